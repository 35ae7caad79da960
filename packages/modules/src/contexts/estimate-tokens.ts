import type { ContentBlock, Message } from '@amplifier/core';
import { BYTES_PER_TOKEN, IMAGE_TOKENS } from '../defaults.js';

const MESSAGE_FRAMING_TOKENS = 4;
const estimates = new WeakMap<Message, number>();

/** About how many tokens a message takes. Remembered per message: a history is asked about on every request. */
export function estimateTokens(message: Message): number {
  const known = estimates.get(message);
  if (known !== undefined) return known;
  const tokens = MESSAGE_FRAMING_TOKENS + contentTokens(message) + callTokens(message);
  estimates.set(message, tokens);
  return tokens;
}

export function textTokens(text: string): number {
  return Math.ceil(Buffer.byteLength(text) / BYTES_PER_TOKEN);
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

/** Calls stand in the blocks too, and are sent once. */
function callTokens({ content, tool_calls = [] }: Message): number {
  const told = new Set(
    typeof content === 'string'
      ? []
      : content.flatMap((block) => (block.type === 'tool_call' ? [block.id] : [])),
  );
  return tool_calls
    .filter((call) => !told.has(call.id))
    .reduce((sum, call) => sum + textTokens(JSON.stringify(call)), 0);
}
