import { errorInfo } from '@amplifier/core';
import type { ProviderReading } from './read-providers.js';

export interface ProviderTest {
  name: string;
  /** Can it be called at all? */
  configured: boolean;
  ok: boolean;
  detail: string;
}

/** One short call. */
export async function tryProvider(
  { name, provider, problem }: ProviderReading,
  model: string | undefined,
): Promise<ProviderTest> {
  if (!provider) return { name, configured: false, ok: false, detail: problem ?? '' };
  const started = Date.now();
  try {
    const answer = await provider.complete({
      messages: [{ role: 'user', content: 'Answer with the word ready.' }],
      max_output_tokens: 64,
      ...(model === undefined ? {} : { model }),
    });
    const detail = `${answer.model ?? model ?? provider.defaultModel ?? ''} answered in ${Date.now() - started} ms`;
    return { name, configured: true, ok: true, detail };
  } catch (error) {
    return { name, configured: true, ok: false, detail: errorInfo(error).message };
  }
}
