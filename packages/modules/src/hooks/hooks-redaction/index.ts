import { type AmplifierModule, EVENTS, type JsonObject } from '@amplifier/core';
import { z } from 'zod';
import { readConfig } from '../../read-config.js';
import { MAX_PATTERN_CHARACTERS, MAX_PATTERNS, REDACTION_PRIORITY } from '../defaults.js';
import { redactor } from './redactor.js';

const Config = z.object({
  /** Regular expressions of secrets only this project knows, without look-around and back-references. */
  patterns: z.array(z.string().max(MAX_PATTERN_CHARACTERS)).max(MAX_PATTERNS).default([]),
  /** Members that look secret by name and are not. */
  allow: z.array(z.string()).default([]),
  /** Further events to clean. */
  events: z.array(z.string()).default([]),
});

/**
 * Takes secrets out of events before watchers see them, and out of tool results before the model and the transcript get
 * them.
 */
const module: AmplifierModule = {
  async mount({ hooks }, config: JsonObject) {
    const { patterns, allow, events } = readConfig('hooks-redaction', Config, config);
    const redact = await redactor({ patterns, allow });
    const stops = [...new Set([...WATCHED, ...events])].map((event) =>
      hooks.register(event, (_event, data) => ({ action: 'modify', data: redact(data) }), {
        priority: REDACTION_PRIORITY,
        name: 'hooks-redaction',
      }),
    );
    return () => {
      for (const stop of stops) stop();
    };
  },
};
export default module;

/**
 * Events that carry what was said or done. Not those whose data is acted upon (`tool:pre`, `llm:request`): a tool or a
 * provider given `[REDACTED]` for its key would fail. Not deltas: half a secret cannot be recognised.
 */
const WATCHED: string[] = [
  EVENTS.TOOL_POST,
  EVENTS.TOOL_ERROR,
  EVENTS.PROVIDER_ERROR,
  EVENTS.PROVIDER_RETRY,
  EVENTS.EXECUTION_START,
  EVENTS.EXECUTION_END,
  EVENTS.PROMPT_COMPLETE,
  EVENTS.THINKING_FINAL,
  EVENTS.CONTEXT_INCLUDE,
  EVENTS.USER_NOTIFICATION,
  EVENTS.ARTIFACT_WRITE,
  EVENTS.ARTIFACT_READ,
  EVENTS.POLICY_VIOLATION,
  EVENTS.SESSION_CONFIG,
];
