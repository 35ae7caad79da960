import { readFile } from 'node:fs/promises';
import { ConfigurationError, errorInfo } from '@amplifier/core';
import { z } from 'zod';
import { LIST_PRICES } from './list-prices.js';
import { Price, type PriceTable } from './price-table.js';

/** `{"prices": {"model-id": {"input": "3", "output": "15"}}}`. Models the file names replace ours, others stay. */
const PriceFile = z.object({ as_of: z.string().optional(), prices: z.record(z.string(), Price) });

/** The list prices with a file's laid over them, and those of the settings over both. */
export async function loadPrices(file: string | undefined, own: PriceTable = {}): Promise<PriceTable> {
  if (file === undefined) return { ...LIST_PRICES, ...own };
  try {
    return { ...LIST_PRICES, ...PriceFile.parse(JSON.parse(await readFile(file, 'utf8'))).prices, ...own };
  } catch (cause) {
    const why = cause instanceof z.ZodError ? z.prettifyError(cause) : errorInfo(cause).message;
    throw new ConfigurationError(
      `The price file ${file} cannot be used: ${why}. Correct it or remove 'price_file' from the provider's config.`,
      { cause },
    );
  }
}
