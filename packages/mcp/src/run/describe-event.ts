import type { JsonObject } from '@amplifier/host';

const TOLD_INPUTS = ['file_path', 'path', 'pattern', 'command', 'agent', 'query', 'url'];

/** What an event means to somebody who waits, in a few words; null when it is of no interest. */
export function describeEvent(name: string, data: Readonly<JsonObject>): string | null {
  switch (name) {
    case 'provider:request':
      return `${agentIn(data)} asks ${typeof data.model === 'string' ? data.model : 'the model'}`;
    case 'provider:retry':
      return `${agentIn(data)} asks again: the model did not answer`;
    case 'tool:pre':
      return `${agentIn(data)} uses ${toolWords(data)}`;
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

function agentIn({ lineage, agent }: Readonly<JsonObject>): string {
  const from = (lineage as { agent?: unknown } | undefined)?.agent ?? agent;
  return typeof from === 'string' ? from : 'amplifier';
}

function toolWords({ tool_name, tool_input }: Readonly<JsonObject>): string {
  const input = (tool_input ?? {}) as JsonObject;
  const told = TOLD_INPUTS.map((key) => input[key]).find((value) => typeof value === 'string');
  return told === undefined ? String(tool_name) : `${String(tool_name)} ${String(told)}`;
}
