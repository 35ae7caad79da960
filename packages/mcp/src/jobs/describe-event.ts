import { describeToolCall, type JsonObject } from '@amplifier/host';

/** What an event means to somebody who waits, in a few words; null when it is of no interest. */
export function describeEvent(name: string, data: Readonly<JsonObject>): string | null {
  switch (name) {
    case 'provider:request':
      return `${agentIn(data)} asks ${typeof data.model === 'string' ? data.model : 'the model'}`;
    case 'provider:retry':
      return `${agentIn(data)} asks again: the model did not answer`;
    case 'provider:wait':
      return `${agentIn(data)} waits for ${String(data.provider)}${waitWords(data)}`;
    case 'tool:pre':
      return `${agentIn(data)} uses ${describeToolCall(data.tool_name, data.tool_input)}`;
    case 'acp:step':
      return `${agentIn(data)} is ${String(data.step)}`;
    case 'acp:plan':
      return planWords(data);
    case 'thinking:delta':
      return `${agentIn(data)} is thinking`;
    case 'content_block:delta':
      return isText(data.delta) ? `${agentIn(data)} is writing` : null;
    case 'approval:required':
      return `${agentIn(data)} waits for approval: ${String(data.prompt)}`;
    case 'delegate:agent_spawned':
      return `${String(data.agent)} was given a task`;
    case 'delegate:agent_completed':
      return `${String(data.agent ?? 'a sub-agent')} is done`;
    case 'delegate:agent_cancelled':
    case 'delegate:error':
      return `${String(data.agent ?? 'a sub-agent')} ended without an answer`;
    default:
      return null;
  }
}

function waitWords({ delay, reason }: Readonly<JsonObject>): string {
  const when = typeof delay === 'number' ? `, again in ${Math.ceil(delay)} s` : '';
  return `${when}: ${String(reason)}`;
}

function agentIn({ lineage, agent }: Readonly<JsonObject>): string {
  const from = (lineage as { agent?: unknown } | undefined)?.agent ?? agent;
  return typeof from === 'string' ? from : 'amplifier';
}

function isText(delta: unknown): boolean {
  return (delta as { type?: unknown } | undefined)?.type === 'text';
}

/** The step of its plan that an external agent is at. */
function planWords(data: Readonly<JsonObject>): string | null {
  const entries = (Array.isArray(data.entries) ? data.entries : []) as {
    content?: unknown;
    status?: unknown;
  }[];
  const running = entries.findIndex(({ status }) => status === 'in_progress');
  const at = running === -1 ? entries.findIndex(({ status }) => status !== 'completed') : running;
  const step = entries[at]?.content;
  return typeof step === 'string' ? `${agentIn(data)}, step ${at + 1} of ${entries.length}: ${step}` : null;
}
