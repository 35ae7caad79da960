import { type Message, type StoredToolCall, toolCallsOf, toolFailure } from '@amplifier/core';
import '../capabilities.js';
import { resultMessage } from './run-tools.js';
import type { Turn } from './turn.js';

/**
 * A turn that ended with its process may have left calls without results at the end of the history. Before anything is
 * added they get one each: what is known of them, or that they were interrupted. They are never run again.
 */
export async function settleOpenCalls({ runtime, call_ids }: Turn): Promise<void> {
  const { context, coordinator } = runtime;
  const messages = await context.getMessages();
  for (const message of messages) for (const { id } of toolCallsOf(message)) call_ids.add(id);
  const recover = coordinator.getCapability('session.recover_tool_result');
  for (const call of openCalls(messages)) {
    const result = (await recover?.(call)) ?? interrupted();
    await context.addMessage(resultMessage({ id: call.id, name: call.tool }, result, null));
  }
}

function openCalls(messages: readonly Message[]): StoredToolCall[] {
  const at = messages.findLastIndex((message) => message.role !== 'tool');
  const calls = messages[at]?.tool_calls ?? [];
  const answered = new Set(messages.slice(at + 1).map((message) => message.tool_call_id));
  return calls.filter((call) => !answered.has(call.id));
}

function interrupted() {
  const message = 'Interrupted: the process ended while this ran. Check what it did before you repeat it.';
  return toolFailure(message, { code: 'INTERRUPTED' });
}
