import { addDecimals, isDecimal } from './decimal.js';
import { isPlainObject } from './json.js';

/** What one or more model calls consumed. */
export interface Usage {
  input_tokens: number;
  output_tokens: number;
  total_tokens: number;
  reasoning_tokens?: number | undefined;
  cache_read_tokens?: number | undefined;
  cache_write_tokens?: number | undefined;
  /** Decimal string in US dollars. Null means unknown, which is not the same as free. */
  cost_usd: string | null;
}

export const NO_USAGE: Usage = Object.freeze({
  input_tokens: 0,
  output_tokens: 0,
  total_tokens: 0,
  cost_usd: null,
});

/** Null for what is no usage. */
export function readUsage(value: unknown): Usage | null {
  if (!isPlainObject(value)) return null;
  const { input_tokens, output_tokens, total_tokens, cost_usd = null } = value;
  if (!isCount(input_tokens) || !isCount(output_tokens) || !isCount(total_tokens)) return null;
  if (cost_usd !== null && !(typeof cost_usd === 'string' && isDecimal(cost_usd))) return null;
  const usage: Usage = { input_tokens, output_tokens, total_tokens, cost_usd };
  for (const key of PARTS) {
    const count = value[key];
    if (count === undefined) continue;
    if (!isCount(count)) return null;
    usage[key] = count;
  }
  return usage;
}

const PARTS = ['reasoning_tokens', 'cache_read_tokens', 'cache_write_tokens'] as const;

function isCount(value: unknown): value is number {
  return Number.isInteger(value) && (value as number) >= 0;
}

/** Adds two usages. An unknown cost adds nothing; the sum is unknown only when both are. */
export function addUsage(a: Usage, b: Usage): Usage {
  const sum: Usage = {
    input_tokens: a.input_tokens + b.input_tokens,
    output_tokens: a.output_tokens + b.output_tokens,
    total_tokens: a.total_tokens + b.total_tokens,
    cost_usd: addCosts(a.cost_usd, b.cost_usd),
  };
  for (const key of PARTS) {
    if (a[key] !== undefined || b[key] !== undefined) sum[key] = (a[key] ?? 0) + (b[key] ?? 0);
  }
  return sum;
}

/** The part of the input that came from the provider's cache, between 0 and 1; null where nothing is known of it. */
export function cacheHitRate({ input_tokens, cache_read_tokens }: Usage): number | null {
  if (cache_read_tokens === undefined || input_tokens === 0) return null;
  return Math.round((cache_read_tokens / input_tokens) * 1000) / 1000;
}

export function addCosts(a: string | null, b: string | null): string | null {
  if (a === null) return b;
  if (b === null) return a;
  return addDecimals(a, b);
}
