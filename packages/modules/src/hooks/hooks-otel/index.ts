import { type AmplifierModule, EVENTS, type JsonObject } from '@amplifier/core';
import { trace } from '@opentelemetry/api';
import { z } from 'zod';
import { agentName } from '../../agent-name.js';
import { readConfig } from '../../read-config.js';
import { TurnSpans } from './turn-spans.js';

declare module '@amplifier/core' {
  interface Capabilities {
    /** The W3C `traceparent` of a running tool call, or of the turn; null outside a turn. Whoever starts a child passes it on. */
    'otel.traceparent': (toolCallId?: string) => string | null;
  }
}

const Config = z.object({
  tracer_name: z.string().default('amplifier'),
  /** Put prompts and tool inputs on the spans. Off by default: they may hold what must not leave the machine. */
  capture_content: z.boolean().default(false),
});

/**
 * OpenTelemetry spans by the GenAI conventions: `invoke_agent` for a turn, `chat` for a model call, `execute_tool` for
 * a tool call. Speaks to the API alone: without an SDK in the app it costs next to nothing and sends nothing.
 */
const module: AmplifierModule = {
  mount(coordinator, config: JsonObject) {
    const { tracer_name, capture_content } = readConfig('hooks-otel', Config, config);
    const { hooks, plan, session, clock } = coordinator;
    const traceparent = plan.session.metadata?.traceparent;
    const spans = new TurnSpans(trace.getTracer(tracer_name), {
      agent: agentName(coordinator),
      session_id: session.id,
      parent_id: session.parent_id,
      traceparent: typeof traceparent === 'string' ? traceparent : null,
      capture_content,
      now: () => clock.now(),
    });
    coordinator.registerCapability('otel.traceparent', (toolCallId) => spans.traceparent(toolCallId));
    const stop = hooks.observe((event, data) => {
      HANDLERS[event]?.(spans, data as JsonObject);
    });
    return () => {
      stop();
      spans.endAll('cancelled');
    };
  },
};
export default module;

const HANDLERS: Record<string, (spans: TurnSpans, data: JsonObject) => void> = {
  [EVENTS.EXECUTION_START]: (spans, data) => spans.startTurn(data),
  [EVENTS.EXECUTION_END]: (spans, data) => spans.endAll(String(data.status)),
  [EVENTS.PROVIDER_REQUEST]: (spans, data) => spans.startChat(data),
  [EVENTS.PROVIDER_RESPONSE]: (spans, data) => spans.endChat(data),
  [EVENTS.PROVIDER_ERROR]: (spans, data) => spans.failChat(data),
  [EVENTS.PROVIDER_RETRY]: (spans, data) => spans.noteRetry(data),
  [EVENTS.TOOL_PRE]: (spans, data) => spans.startTool(data),
  [EVENTS.TOOL_POST]: (spans, data) => spans.endTool(data),
  [EVENTS.TOOL_ERROR]: (spans, data) => spans.failTool(data),
};
