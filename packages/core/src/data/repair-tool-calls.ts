import type { Message } from '../kernel/messages.js';
import type { JsonObject } from './json.js';

/** As much of a message as says what it calls and what it answers. */
export interface SaidMessage {
  role: Message['role'];
  content: Message['content'];
  tool_calls?: Message['tool_calls'];
  tool_call_id?: string;
  name?: string;
  metadata?: JsonObject;
}

export interface OpenToolCall {
  id: string;
  tool: string;
}

/** Written where a result should have been. */
const DEFAULT_REASON = 'The tool call was interrupted and has no result.';

interface CallBlock {
  type?: string;
  id?: unknown;
  name?: unknown;
  tool_call_id?: unknown;
  tool_use_id?: unknown;
}

/** The calls an assistant message makes, whether listed in `tool_calls` or as content blocks of either spelling. */
export function toolCallsOf(message: Pick<SaidMessage, 'role' | 'content' | 'tool_calls'>): OpenToolCall[] {
  if (message.role !== 'assistant') return [];
  const calls = new Map<string, OpenToolCall>();
  for (const call of message.tool_calls ?? []) calls.set(call.id, { id: call.id, tool: call.tool });
  for (const block of blocksOf(message)) {
    const isCall = block.type === 'tool_call' || block.type === 'tool_use';
    if (!isCall || typeof block.id !== 'string' || calls.has(block.id)) continue;
    calls.set(block.id, { id: block.id, tool: typeof block.name === 'string' ? block.name : 'unknown' });
  }
  return [...calls.values()];
}

/** The calls a message answers. */
export function toolResultsOf(message: Pick<SaidMessage, 'role' | 'content' | 'tool_call_id'>): string[] {
  const ids: unknown[] = message.role === 'tool' || message.role === 'function' ? [message.tool_call_id] : [];
  for (const block of blocksOf(message)) {
    if (block.type === 'tool_result') ids.push(block.tool_call_id ?? block.tool_use_id);
  }
  return ids.filter((id) => typeof id === 'string');
}

/** Calls that no message answers, in the order they were made. */
export function openToolCalls(messages: readonly SaidMessage[]): OpenToolCall[] {
  const answered = new Set(messages.flatMap(toolResultsOf));
  return messages.flatMap(toolCallsOf).filter(({ id }) => !answered.has(id));
}

/** The result that stands in for one that will never come. */
export function missingResult(call: OpenToolCall, reason = DEFAULT_REASON): SaidMessage {
  return {
    role: 'tool',
    name: call.tool,
    tool_call_id: call.id,
    content: JSON.stringify({ error: reason, interrupted: true }),
    metadata: { synthetic: true },
  };
}

/**
 * A conversation that a model accepts: every call is followed by its result, which is moved there when it stood
 * elsewhere and made up when it is missing; results of calls that do not exist are left out. After a made-up result a
 * short assistant message closes the turn when the user speaks next.
 */
export function repairToolCalls<Said extends SaidMessage>(
  messages: readonly Said[],
  reason = DEFAULT_REASON,
): (Said | SaidMessage)[] {
  const results = new Map<string, Said>();
  for (const message of messages) {
    if (message.role !== 'tool' || message.tool_call_id === undefined) continue;
    if (!results.has(message.tool_call_id)) results.set(message.tool_call_id, message);
  }
  const open = new Set(openToolCalls(messages).map(({ id }) => id));
  const repaired: (Said | SaidMessage)[] = [];
  let needsCloser = false;
  for (const message of messages) {
    if (message.role === 'tool') continue;
    if (needsCloser && message.role === 'user') {
      repaired.push({ role: 'assistant', content: reason, metadata: { synthetic: true } });
    }
    needsCloser = false;
    repaired.push(message);
    for (const call of toolCallsOf(message)) {
      const result = results.get(call.id);
      if (result) repaired.push(result);
      else if (open.has(call.id)) {
        repaired.push(missingResult(call, reason));
        needsCloser = true;
      }
    }
  }
  return repaired;
}

function blocksOf({ content }: Pick<SaidMessage, 'content'>): CallBlock[] {
  return Array.isArray(content) ? (content as CallBlock[]) : [];
}
