import {
  AbortError,
  type ChatRequest,
  LLMError,
  LLMTimeoutError,
  type Provider,
  StreamError,
  systemClock,
  textTokens,
  type Usage,
  within,
} from '@amplifier/core';
import { PRICE_LOOKUP_MS } from '../defaults.js';
import type { Reservation, Spend } from './budget.js';

interface Tokens {
  input: number;
  output: number;
}

/** A call that is under way: what it may use at the most, and what was heard of it. */
export interface Call {
  inner: Provider;
  model: string;
  request: ChatRequest;
  /** Null without a budget. */
  most: (Spend & { input: number }) | null;
  reservation: Reservation | null;
  heard: string;
}

export function lineOf({ inner, model }: Call): string {
  return `${inner.name}/${model}`;
}

/** Null where nobody knows, those included who fail when they are asked, or do not answer. */
export async function priceOf({ inner, model }: Call, tokens: Tokens): Promise<string | null> {
  try {
    const asked = inner.mostCost?.(model, tokens);
    if (!asked) return null;
    const answer = await within(asked, PRICE_LOOKUP_MS, systemClock);
    return answer.done ? answer.value : null;
  } catch {
    return null;
  }
}

/** Of a call that was made: where its price is no longer known, all that was set aside for it. */
export async function priceOrMost(call: Call, tokens: Tokens): Promise<string | null> {
  return (await priceOf(call, tokens)) ?? mostOf(call);
}

/** The money that was set aside for it. */
export function mostOf({ most }: Call): string | null {
  return most?.cost_usd ?? null;
}

export function tokensOfFailure({ most, heard, request }: Call): Tokens {
  if (most)
    return { input: most.input, output: Math.min(Buffer.byteLength(heard), most.tokens - most.input) };
  const asked = JSON.stringify([request.messages, request.tools ?? []]);
  return { input: textTokens(asked), output: textTokens(heard) };
}

export function usageOfMost({ tokens, input, cost_usd }: Spend & { input: number }): Usage {
  return { input_tokens: input, output_tokens: tokens - input, total_tokens: tokens, cost_usd };
}

export function describe({ tokens, cost_usd }: Spend): string {
  return cost_usd === null ? `${tokens} tokens` : `${tokens} tokens and $${cost_usd}`;
}

/** Vendors do not charge for what they refuse. An answer that broke off, or that nobody waited for, they do. */
export function mayHaveCost(error: unknown): boolean {
  if (!(error instanceof LLMError)) return true;
  const asked = [StreamError, LLMTimeoutError, AbortError].some((type) => error instanceof type);
  return error.midway || asked;
}

/**
 * Text of prompts and schemas has more than two bytes a token in every tokenizer and language we know of. Text that a model, a tool
 * or a file wrote may have as little as one: random letters do.
 */
const PROMPT_BYTES_PER_TOKEN = 2;

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
