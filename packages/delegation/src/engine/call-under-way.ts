import {
  AbortError,
  type ChatRequest,
  LLMError,
  LLMTimeoutError,
  type Provider,
  StreamError,
  systemClock,
  type Usage,
  within,
} from '@amplifier/core';
import { PRICE_LOOKUP_MS } from '../defaults.js';
import type { Reservation, Spend } from '../limits/budget.js';
import { likelyTokens } from './count-tokens.js';

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
  return { input: likelyTokens(asked), output: likelyTokens(heard) };
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
