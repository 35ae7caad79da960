import { z } from 'zod';

const Visibility = z.enum(['internal', 'developer', 'user']);
const shared = { visibility: Visibility.optional() };

/** Blocks keep members this schema does not know: a vendor's extra data must come back to that vendor unchanged. */
const TextBlock = z.looseObject({ type: z.literal('text'), text: z.string(), ...shared });
const ThinkingBlock = z.looseObject({
  type: z.literal('thinking'),
  thinking: z.string(),
  signature: z.string().optional(),
  ...shared,
});
const RedactedThinkingBlock = z.looseObject({
  type: z.literal('redacted_thinking'),
  data: z.string(),
  ...shared,
});
const ToolCallBlock = z.looseObject({
  type: z.literal('tool_call'),
  id: z.string(),
  name: z.string(),
  input: z.record(z.string(), z.unknown()),
  ...shared,
});
const ToolResultBlock = z.looseObject({
  type: z.literal('tool_result'),
  tool_call_id: z.string(),
  output: z.unknown(),
  ...shared,
});
const ImageBlock = z.looseObject({
  type: z.literal('image'),
  source: z.record(z.string(), z.unknown()),
  ...shared,
});
const ReasoningBlock = z.looseObject({
  type: z.literal('reasoning'),
  content: z.array(z.unknown()),
  summary: z.array(z.unknown()),
  ...shared,
});

export const ContentBlock = z.discriminatedUnion('type', [
  TextBlock,
  ThinkingBlock,
  RedactedThinkingBlock,
  ToolCallBlock,
  ToolResultBlock,
  ImageBlock,
  ReasoningBlock,
]);
export type ContentBlock = z.infer<typeof ContentBlock>;

export const MessageRole = z.enum(['system', 'developer', 'user', 'assistant', 'function', 'tool']);
export type MessageRole = z.infer<typeof MessageRole>;

/** A tool call as a stored assistant message carries it. */
export const StoredToolCall = z.looseObject({
  id: z.string(),
  tool: z.string(),
  arguments: z.record(z.string(), z.unknown()),
});
export type StoredToolCall = z.infer<typeof StoredToolCall>;

export const Message = z.looseObject({
  role: MessageRole,
  content: z.union([z.string(), z.array(ContentBlock)]),
  name: z.string().optional(),
  tool_call_id: z.string().optional(),
  tool_calls: z.array(StoredToolCall).optional(),
  metadata: z.record(z.string(), z.unknown()).optional(),
});
export type Message = z.infer<typeof Message>;

/** The text a person would read in a message: strings and text blocks, joined by line breaks. */
export function textOf(content: Message['content']): string {
  if (typeof content === 'string') return content;
  const texts: string[] = [];
  for (const block of content) if (block.type === 'text') texts.push(block.text);
  return texts.join('\n');
}
