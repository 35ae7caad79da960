import type { JsonObject, RetryConfig } from '@amplifier/core';
import type { PriceTable } from './price-table.js';

/** A provider's configuration with everything read that it refers to. */
export interface ProviderSettings {
  api_key: string | null;
  base_url: string | null;
  default_model: string | null;
  priority: number | undefined;
  headers: Record<string, string>;
  timeout: number;
  retry: RetryConfig;
  /** Calls at once, of all processes that share the record. */
  concurrency?: number | undefined;
  temperature: number | undefined;
  max_output_tokens: number | undefined;
  context_window: number | undefined;
  reasoning_effort: string | undefined;
  prompt_caching: boolean;
  streaming: boolean;
  /** Can its models look at images? Default: as the vendor says. */
  vision?: boolean | undefined;
  price_file: string | undefined;
  /** Beside the list prices, by model. */
  prices: PriceTable;
  /** Everything the config said, for what only one vendor knows. */
  config: JsonObject;
}
