import type { ChatRequest } from '@amplifier/core';
import { CHARACTERS_PER_TOKEN } from '../defaults.js';

/**
 * Text of prompts and schemas has more than two bytes a token in every tokenizer and language we know of. Text that a model, a tool
 * or a file wrote may have as little as one: random letters do.
 */
const PROMPT_BYTES_PER_TOKEN = 2;

/** A guess, for what was spent and nobody counted. */
export function likelyTokens(text: string): number {
  return Math.ceil(text.length / CHARACTERS_PER_TOKEN);
}

/**
 * Bounds how many tokens a request can have. What the vendor counted for the request before is taken for as much as this one begins
 * with the same text; the rest counts by the byte.
 */
export class TokenBound {
  #asked = new Map<string, { text: string; tokens: number }>();

  /** `line`: whose tokenizer it is. */
  of(line: string, request: ChatRequest): number {
    const own = Math.ceil(Buffer.byteLength(promptOf(request)) / PROMPT_BYTES_PER_TOKEN);
    const spoken = spokenOf(request);
    const whole = own + Buffer.byteLength(spoken);
    const before = this.#asked.get(line);
    if (!before) return whole;
    const same = commonPrefix(before.text, spoken);
    return Math.min(whole, own + before.tokens + Buffer.byteLength(spoken.slice(same)));
  }

  /** The vendor counted so many for this request. */
  learn(line: string, request: ChatRequest, tokens: number): void {
    if (tokens > 0) this.#asked.set(line, { text: spokenOf(request), tokens });
  }
}

function promptOf({ messages, tools }: ChatRequest): string {
  return JSON.stringify([messages.filter(({ role }) => role === 'system'), tools ?? []]);
}

function spokenOf({ messages }: ChatRequest): string {
  return JSON.stringify(messages.filter(({ role }) => role !== 'system'));
}

function commonPrefix(a: string, b: string): number {
  const most = Math.min(a.length, b.length);
  let at = 0;
  while (at < most && a.charCodeAt(at) === b.charCodeAt(at)) at++;
  return at;
}
