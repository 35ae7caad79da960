import { type Message, toolCallsOf } from '@amplifier/core';

/** Messages that are sent together or not at all: one message, or an assistant's tool calls with all their results. */
export type MessageGroup = readonly [Message, ...Message[]];

/**
 * Orders a history the way every vendor accepts it: each tool call followed by exactly one result, in call order.
 * Whatever stood between moves behind the results; a call without a result gets one that says so; a result without a
 * call, and a second result for one call, are left out. A history that is in order comes back as it is.
 */
export function pairToolCalls(messages: readonly Message[]): MessageGroup[] {
  const groups: MessageGroup[] = [];
  const claimed = new Set<Message>();
  messages.forEach((message, index) => {
    if (message.role === 'tool' || message.role === 'function') return;
    const calls = toolCallsOf(message);
    if (calls.length === 0) {
      groups.push([message]);
      return;
    }
    const results = resultsAfter(messages, index);
    groups.push([
      message,
      ...calls.map(({ id, tool }) => {
        const result = results.find((candidate) => candidate.tool_call_id === id && !claimed.has(candidate));
        if (!result) return missingResult(id, tool);
        claimed.add(result);
        return result;
      }),
    ]);
  });
  return groups;
}

/** Results up to the next message that calls tools: ids are only unique within one answer. */
function resultsAfter(messages: readonly Message[], index: number): Message[] {
  const results: Message[] = [];
  for (let at = index + 1; at < messages.length; at++) {
    const message = messages[at] as Message;
    if (toolCallsOf(message).length > 0) break;
    if (message.role === 'tool' || message.role === 'function') results.push(message);
  }
  return results;
}

function missingResult(tool_call_id: string, name: string): Message {
  return {
    role: 'tool',
    tool_call_id,
    name,
    content: 'This call was interrupted; its result is unknown. Check what it did before you repeat it.',
    metadata: { success: false, synthetic: true },
  };
}
