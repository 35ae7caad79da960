import type { Message, StoredToolCall } from '../kernel/messages.js';
import { isPlainObject, type JsonObject } from './json.js';

/** The members of a message that name its tool calls and results. */
export type SaidMessage = Pick<
  Message,
  'role' | 'content' | 'name' | 'tool_calls' | 'tool_call_id' | 'metadata'
>;

/** A result that no tool returned. */
type MadeResult = {
  role: 'tool';
  name: string;
  tool_call_id: string;
  content: string;
  metadata: JsonObject;
};

/** Messages that are sent together or not at all: one message, or an assistant message with the results of all its calls. */
export type MessageGroup<Said = Message> = readonly [Said, ...Said[]];

const DEFAULT_REASON =
  'This call was interrupted; its result is unknown. Check what it did before you repeat it.';

interface CallBlock {
  type?: string;
  id?: unknown;
  name?: unknown;
  input?: unknown;
  tool_call_id?: unknown;
  tool_use_id?: unknown;
  output?: unknown;
  content?: unknown;
}

/** The calls an assistant message makes, whether listed in `tool_calls` or as content blocks of either spelling. */
export function toolCallsOf(message: Pick<SaidMessage, 'role' | 'content' | 'tool_calls'>): StoredToolCall[] {
  if (message.role !== 'assistant') return [];
  const calls = new Map<string, StoredToolCall>();
  for (const call of message.tool_calls ?? []) calls.set(call.id, call);
  for (const { type, id, name, input } of blocksOf(message)) {
    const isCall = type === 'tool_call' || type === 'tool_use';
    if (!isCall || typeof id !== 'string' || calls.has(id)) continue;
    const tool = typeof name === 'string' ? name : 'unknown';
    calls.set(id, { id, tool, arguments: isPlainObject(input) ? input : {} });
  }
  return [...calls.values()];
}

/** Calls without a result, in the order they were made. */
export function openToolCalls(messages: readonly SaidMessage[]): StoredToolCall[] {
  return matchResults(messages).flatMap(({ calls }) =>
    calls.flatMap(({ call, result }) => (result === null ? [call] : [])),
  );
}

/** The result of a call that will never have one. */
export function missingResult(call: StoredToolCall, reason = DEFAULT_REASON): MadeResult {
  return {
    role: 'tool',
    name: call.tool,
    tool_call_id: call.id,
    content: JSON.stringify({ error: reason, interrupted: true }),
    metadata: { synthetic: true },
  };
}

/**
 * A history in the order that every vendor accepts: each call is followed by exactly one result, in call order. Messages between
 * them move behind the results, a missing result gets a stand-in, and a result without a call, or a second one, is left out.
 */
export function pairToolCalls<Said extends SaidMessage>(
  messages: readonly Said[],
): MessageGroup<Said | MadeResult>[] {
  return matchResults(messages).map(({ message, calls }) => [
    message,
    ...calls.map(({ call, result }) => result ?? missingResult(call)),
  ]);
}

interface MatchedMessage<Said> {
  message: Said;
  calls: { call: StoredToolCall; result: Said | MadeResult | null }[];
}

/** Every message that is not a result, with the results of its calls. A result belongs to the last call of its id before it. */
function matchResults<Said extends SaidMessage>(messages: readonly Said[]): MatchedMessage<Said>[] {
  const matched: MatchedMessage<Said>[] = [];
  const open = new Map<string, MatchedMessage<Said>['calls'][number]>();
  for (const message of messages) {
    if (message.role === 'tool' || message.role === 'function') {
      const called = open.get(message.tool_call_id ?? '');
      if (!called) continue;
      called.result = message;
      open.delete(called.call.id);
      continue;
    }
    for (const block of blocksOf(message)) {
      const called =
        block.type === 'tool_result' ? open.get(String(block.tool_call_id ?? block.tool_use_id)) : null;
      if (!called) continue;
      called.result = resultIn(block, called.call);
      open.delete(called.call.id);
    }
    const calls = toolCallsOf(message).map((call) => ({ call, result: null }));
    for (const each of calls) open.set(each.call.id, each);
    matched.push({ message, calls });
  }
  return matched;
}

/** A result that another message has in its blocks, as a message: providers read results nowhere else. */
function resultIn({ output, content }: CallBlock, { id, tool }: StoredToolCall): MadeResult {
  const result = output ?? content ?? null;
  return {
    role: 'tool',
    name: tool,
    tool_call_id: id,
    content: typeof result === 'string' ? result : JSON.stringify(result),
    metadata: {},
  };
}

function blocksOf({ content }: Pick<SaidMessage, 'content'>): CallBlock[] {
  return Array.isArray(content) ? (content as CallBlock[]) : [];
}
