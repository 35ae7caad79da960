import type { ChatRequest, Message, RequestView } from '@amplifier/core';
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
    ...(tools.size > 0
      ? {
          tools: [...tools.values()].map(({ name, description, inputSchema }) => ({
            name,
            description,
            parameters: inputSchema,
          })),
        }
      : {}),
    conversation_id: coordinator.session.id,
    ...(temperature === undefined ? {} : { temperature }),
    ...(max_output_tokens === undefined ? {} : { max_output_tokens }),
    ...(reasoning_effort === undefined ? {} : { reasoning_effort }),
    ...(view.model === undefined ? {} : { model: view.model }),
    ...extra,
  };
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
