import { type AmplifierModule, EVENTS, type JsonObject } from '@amplifier/core';
import { z } from 'zod';
import { agentName } from '../../agent-name.js';
import { readConfig } from '../../read-config.js';
import { UI_COALESCE_MS, UI_PREVIEW_CHARACTERS } from '../defaults.js';
import { TextFlow } from './text-flow.js';
import { UI_EVENTS, uiToolEnd, uiToolStart, uiUsage } from './ui-events.js';

const Config = z.object({
  /** How long text may be held back to be shown in one piece. Zero shows each delta. */
  coalesce_ms: z.number().int().nonnegative().default(UI_COALESCE_MS),
  preview_characters: z.number().int().positive().default(UI_PREVIEW_CHARACTERS),
  show_thinking: z.boolean().default(true),
});

/** Turns what happens in a session into the few events a screen needs: `ui:text`, `ui:thinking`, `ui:tool_start`, `ui:tool_end`, `ui:usage`. */
const module: AmplifierModule = {
  mount(coordinator, config: JsonObject) {
    const { coalesce_ms, preview_characters, show_thinking } = readConfig(
      'hooks-streaming-ui',
      Config,
      config,
    );
    const { hooks, contributions, clock } = coordinator;
    const agent = agentName(coordinator);
    const show = (name: string, data: JsonObject) => hooks.emit(name, { ...data, agent });
    const flow = new TextFlow(clock, coalesce_ms, (kind, text) => void show(`ui:${kind}`, { text }));

    const on = (event: string, handle: (data: JsonObject) => unknown) =>
      hooks.listen(event, (_event, data) => handle(data), { name: 'hooks-streaming-ui' });
    const inOrder = (handle: (data: JsonObject) => unknown) => (data: JsonObject) => {
      flow.flush();
      return handle(data);
    };
    const stops = [
      on(EVENTS.CONTENT_BLOCK_DELTA, ({ delta }) => {
        const { type, text } = delta as { type: string; text?: string };
        if (type === 'text' && text) flow.add('text', text);
        if (type === 'thinking' && text && show_thinking) flow.add('thinking', text);
      }),
      on(
        EVENTS.TOOL_PRE,
        inOrder((data) => show('ui:tool_start', uiToolStart(data, preview_characters))),
      ),
      on(
        EVENTS.TOOL_POST,
        inOrder((data) => show('ui:tool_end', uiToolEnd(data, preview_characters))),
      ),
      on(
        EVENTS.TOOL_ERROR,
        inOrder((data) => show('ui:tool_end', uiToolEnd(data, preview_characters))),
      ),
      on(
        EVENTS.PROVIDER_RESPONSE,
        inOrder((data) => show('ui:usage', uiUsage(data))),
      ),
      on(EVENTS.EXECUTION_END, () => flow.flush()),
      contributions.register('observability.events', 'hooks-streaming-ui', () => UI_EVENTS),
    ];
    return () => {
      flow.flush();
      for (const stop of stops) stop();
    };
  },
};
export default module;
