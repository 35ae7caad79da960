import { type AmplifierModule, errorInfo, type JsonObject } from '@amplifier/core';
import { z } from 'zod';
import { readConfig } from '../../read-config.js';
import { EventLog } from './event-log.js';
import { logLine } from './log-line.js';
import { logPath } from './log-path.js';

const Config = z.object({
  /** Where to write; `{session_id}` is filled in. */
  path: z.string().optional(),
  /** Stream deltas are left out unless asked for: the response that follows holds all they said. */
  include_deltas: z.boolean().default(false),
  /** Names to leave out. */
  exclude_events: z.array(z.string()).default([]),
});

/** Writes every event of the session as one line of JSON. */
const module: AmplifierModule = {
  mount(coordinator, config: JsonObject) {
    const { path, include_deltas, exclude_events } = readConfig('hooks-logging', Config, config);
    const excluded = new Set([...(include_deltas ? [] : DELTAS), ...exclude_events]);
    const log = new EventLog(logPath(path, coordinator.session.id), (error) =>
      coordinator.report({
        level: 'warning',
        code: 'EVENT_LOG_FAILED',
        message: `Events of session ${coordinator.session.id} are not logged any more: ${errorInfo(error).message}`,
        module_id: 'hooks-logging',
        error,
      }),
    );
    const stop = coordinator.hooks.observe((event, data) => {
      if (!excluded.has(event)) log.append(logLine(event, data));
    });
    return async () => {
      stop();
      await log.close();
    };
  },
};
export default module;

const DELTAS = ['content_block:delta', 'thinking:delta'];
