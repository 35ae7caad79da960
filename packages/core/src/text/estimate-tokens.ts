import type { ContentBlock, Message } from '../kernel/messages.js';

/** UTF-8 bytes per token, on the careful side of what tokenizers of today do with prose and code. */
const BYTES_PER_TOKEN = 3.6;
/** What an image costs most vendors at ordinary size. */
const IMAGE_TOKENS = 1_600;
const MESSAGE_FRAMING_TOKENS = 4;

const estimates = new WeakMap<Message, number>();

/** An estimate for a text, without a tokenizer. */
export function textTokens(text: string): number {
  return Math.ceil(Buffer.byteLength(text) / BYTES_PER_TOKEN);
}

/** An estimate for a message, stored by message: the whole history is counted before every request. */
export function messageTokens(message: Message): number {
  const known = estimates.get(message);
  if (known !== undefined) return known;
  const tokens = MESSAGE_FRAMING_TOKENS + contentTokens(message) + callTokens(message);
  estimates.set(message, tokens);
  return tokens;
}

function contentTokens({ content }: Message): number {
  if (typeof content === 'string') return textTokens(content);
  return content.reduce((sum, block) => sum + blockTokens(block), 0);
}

function blockTokens(block: ContentBlock): number {
  if (block.type === 'image') return IMAGE_TOKENS;
  if (block.type === 'text') return textTokens(block.text);
  return textTokens(JSON.stringify(block));
}

/** Calls that are also content blocks are sent once. */
function callTokens({ content, tool_calls = [] }: Message): number {
  if (tool_calls.length === 0) return 0;
  const blocks = typeof content === 'string' ? [] : content;
  const counted = new Set(blocks.flatMap((block) => (block.type === 'tool_call' ? [block.id] : [])));
  return tool_calls
    .filter((call) => !counted.has(call.id))
    .reduce((sum, call) => sum + textTokens(JSON.stringify(call)), 0);
}
