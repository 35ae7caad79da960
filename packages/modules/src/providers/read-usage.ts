import type { LanguageModelV3Usage } from '@ai-sdk/provider';
import type { Usage } from '@amplifier/core';
import { costOf, type PriceTable, priceOf } from './price-table.js';

/** The model layer's counts in our form, with the cost where the price is known. */
export function readUsage(used: LanguageModelV3Usage, model: string, prices: PriceTable): Usage {
  const input_tokens = count(used.inputTokens.total);
  const output_tokens = count(used.outputTokens.total);
  const usage = {
    input_tokens,
    output_tokens,
    total_tokens: input_tokens + output_tokens,
    ...optional('reasoning_tokens', used.outputTokens.reasoning),
    ...optional('cache_read_tokens', used.inputTokens.cacheRead),
    ...optional('cache_write_tokens', used.inputTokens.cacheWrite),
  };
  return { ...usage, cost_usd: costOf(usage, priceOf(prices, model)) };
}

/** Some servers count in fractions or send nothing. */
function count(tokens: number | undefined): number {
  return tokens === undefined || !Number.isFinite(tokens) ? 0 : Math.max(0, Math.round(tokens));
}

function optional<Name extends string>(name: Name, tokens: number | undefined): { [key in Name]?: number } {
  return tokens === undefined ? {} : ({ [name]: count(tokens) } as { [key in Name]?: number });
}
