import { compareDecimals, isDecimal, type Usage } from '@amplifier/core';
import { z } from 'zod';

const decimal = z.string().refine(isDecimal, 'write the price as a decimal string such as "0.25"');

const Rates = z.strictObject({
  input: decimal,
  output: decimal,
  cache_read: decimal.optional(),
  cache_write: decimal.optional(),
});

/** US dollars per million tokens. A cache price left out is the input price. */
export const Price = Rates.extend({
  /** What a call costs whose prompt is longer than this many tokens. */
  long: Rates.extend({ above: z.number().int().positive() }).optional(),
});
export type Price = z.infer<typeof Price>;

export type PriceTable = Readonly<Record<string, Price>>;

/** A dated snapshot of a model costs what the model costs. */
export function priceOf(table: PriceTable, model: string): Price | null {
  if (Object.hasOwn(table, model)) return table[model] ?? null;
  const undated = model.replace(/-(\d{8}|\d{4}-\d{2}-\d{2}|latest)$/, '');
  return Object.hasOwn(table, undated) ? (table[undated] ?? null) : null;
}

/** Exact, as a decimal string; null when the price is unknown. `input_tokens` includes what came from the cache. */
export function costOf(usage: Omit<Usage, 'cost_usd'>, price: Price | null): string | null {
  if (!price) return null;
  const { input_tokens, output_tokens, cache_read_tokens = 0, cache_write_tokens = 0 } = usage;
  const fresh = Math.max(0, input_tokens - cache_read_tokens - cache_write_tokens);
  const rates = price.long && input_tokens > price.long.above ? price.long : price;
  const total =
    scaled(rates.input) * BigInt(fresh) +
    scaled(rates.output) * BigInt(output_tokens) +
    scaled(rates.cache_read ?? rates.input) * BigInt(cache_read_tokens) +
    scaled(rates.cache_write ?? rates.input) * BigInt(cache_write_tokens);
  return unscaled(total);
}

/** The most so many tokens can cost, cached or not; null when the price is unknown. */
export function mostCostOf(tokens: { input: number; output: number }, price: Price | null): string | null {
  if (!price) return null;
  const { input: input_tokens, output: output_tokens } = tokens;
  const counts = { input_tokens, output_tokens, total_tokens: input_tokens + output_tokens };
  const costs = [0, input_tokens].map((cache_write_tokens) =>
    costOf({ ...counts, cache_write_tokens }, price),
  );
  return costs.reduce((a, b) => (a !== null && b !== null && compareDecimals(a, b) > 0 ? a : b));
}

/** Prices are counted in millionths of a dollar per million tokens, so a total is in millionths of millionths. */
const PRICE_PLACES = 6;
const TOTAL_PLACES = 12;

function scaled(text: string): bigint {
  const [whole = '0', fraction = ''] = text.split('.');
  return BigInt(whole + fraction.slice(0, PRICE_PLACES).padEnd(PRICE_PLACES, '0'));
}

function unscaled(total: bigint): string {
  const digits = total.toString().padStart(TOTAL_PLACES + 1, '0');
  const fraction = digits.slice(-TOTAL_PLACES).replace(/0+$/, '');
  const whole = digits.slice(0, -TOTAL_PLACES);
  return fraction === '' ? whole : `${whole}.${fraction}`;
}
