import { readFile } from 'node:fs/promises';
import { ConfigurationError, errorInfo, isDecimal, type Usage } from '@amplifier/core';
import { z } from 'zod';

const decimal = z.string().refine(isDecimal, 'write the price as a decimal string such as "0.25"');

/** US dollars per million tokens. A cache price left out is the input price. */
const Price = z.object({
  input: decimal,
  output: decimal,
  cache_read: decimal.optional(),
  cache_write: decimal.optional(),
});
export type Price = z.infer<typeof Price>;

/** `{"prices": {"model-id": {"input": "3", "output": "15"}}}`. Models the file names replace ours, others stay. */
const PriceFile = z.object({ as_of: z.string().optional(), prices: z.record(z.string(), Price) });

export type PriceTable = Readonly<Record<string, Price>>;

/** Public list prices as of November 2025. A model that is not here costs an unknown amount, which is not zero. */
export const LIST_PRICES: PriceTable = {
  'claude-opus-4-5': { input: '5', output: '25', cache_read: '0.5', cache_write: '6.25' },
  'claude-opus-4-1': { input: '15', output: '75', cache_read: '1.5', cache_write: '18.75' },
  'claude-sonnet-4-5': { input: '3', output: '15', cache_read: '0.3', cache_write: '3.75' },
  'claude-haiku-4-5': { input: '1', output: '5', cache_read: '0.1', cache_write: '1.25' },
  'gpt-5': { input: '1.25', output: '10', cache_read: '0.125' },
  'gpt-5-mini': { input: '0.25', output: '2', cache_read: '0.025' },
  'gpt-5-nano': { input: '0.05', output: '0.4', cache_read: '0.005' },
  'gpt-4.1': { input: '2', output: '8', cache_read: '0.5' },
  'gpt-4o': { input: '2.5', output: '10', cache_read: '1.25' },
  'gemini-2.5-pro': { input: '1.25', output: '10', cache_read: '0.125' },
  'gemini-2.5-flash': { input: '0.3', output: '2.5', cache_read: '0.03' },
};

/** The list prices with a file's laid over them. */
export async function loadPrices(file: string | undefined): Promise<PriceTable> {
  if (file === undefined) return LIST_PRICES;
  try {
    return { ...LIST_PRICES, ...PriceFile.parse(JSON.parse(await readFile(file, 'utf8'))).prices };
  } catch (cause) {
    const why = cause instanceof z.ZodError ? z.prettifyError(cause) : errorInfo(cause).message;
    throw new ConfigurationError(
      `The price file ${file} cannot be used: ${why}. Correct it or remove 'price_file' from the provider's config.`,
      { cause },
    );
  }
}

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
  const total =
    scaled(price.input) * BigInt(fresh) +
    scaled(price.output) * BigInt(output_tokens) +
    scaled(price.cache_read ?? price.input) * BigInt(cache_read_tokens) +
    scaled(price.cache_write ?? price.input) * BigInt(cache_write_tokens);
  return unscaled(total);
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
