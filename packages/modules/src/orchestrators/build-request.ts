import type { ChatRequest, Message, RequestView, Tool, ToolSpec } from '@amplifier/core';
import type { Injection, Turn } from './turn.js';

/** What is sent: the context's view, the tools of this moment, and what hooks want said this once. */
export async function buildRequest(
  { runtime, config }: Turn,
  view: RequestView,
  injections: readonly Injection[],
  extra: Partial<ChatRequest>,
): Promise<ChatRequest> {
  const { context, tools, coordinator } = runtime;
  const messages = await context.getMessagesForRequest(view);
  const { temperature, max_output_tokens, reasoning_effort } = config;
  return {
    messages: injections.reduce(inject, messages),
    tools: tools.size === 0 ? undefined : [...tools.values()].map(specOf),
    conversation_id: coordinator.session.id,
    temperature,
    max_output_tokens,
    reasoning_effort,
    model: view.model,
    ...extra,
  };
}

function specOf({ name, description, inputSchema }: Tool): ToolSpec {
  return { name, description, parameters: inputSchema };
}

/** Into the last tool result where that is asked for and there is one; else as a message of its own at the end. */
function inject(messages: readonly Message[], injection: Injection): Message[] {
  const { role, content, append_to_last_tool_result } = injection;
  const last = messages.findLastIndex((message) => message.role === 'tool');
  const result = messages[last];
  if (!append_to_last_tool_result || !result) {
    return [...messages, { role, content, metadata: { source: 'hook', ephemeral: true } }];
  }
  const longer: Message = {
    ...result,
    content:
      typeof result.content === 'string'
        ? `${result.content}\n\n${content}`
        : [...result.content, { type: 'text', text: content }],
  };
  return messages.with(last, longer);
}
