import type { ChatRequest, ContentBlock, Message } from '@amplifier/core';

export function hasImages({ messages }: Pick<ChatRequest, 'messages'>): boolean {
  return messages.some(
    ({ content }) => Array.isArray(content) && content.some(({ type }) => type === 'image'),
  );
}

/** The request for a model that cannot see: in the place of each image it is told that there was one, so that it can say so. */
export function hideImages<T extends Pick<ChatRequest, 'messages'>>(request: T, model: string): T {
  return { ...request, messages: request.messages.map((message) => blindly(message, model)) };
}

function blindly(message: Message, model: string): Message {
  if (!Array.isArray(message.content)) return message;
  return { ...message, content: message.content.map((block) => noteFor(block, model)) };
}

function noteFor(block: ContentBlock, model: string): ContentBlock {
  if (block.type !== 'image') return block;
  const name = typeof block.name === 'string' ? ` '${block.name}'` : '';
  const text = `(There is an image${name} here that you are not shown: the model ${model} takes no images. Say so where it matters.)`;
  return { type: 'text', text };
}
