import { type Clock, isPlainObject, type JsonObject, LLMError } from '@amplifier/core';
import { LISTING_TIMEOUT_SECONDS } from '../defaults.js';
import { classifyLLMError } from './classify-llm-error.js';
import { Deadline } from './deadline.js';
import { toLLMError } from './map-error.js';
import type { ProviderSettings } from './provider-settings.js';
import { readRetryAfter } from './read-retry-after.js';
import { sameOriginFetch } from './same-origin-fetch.js';
import type { AskVendor } from './vendor.js';

/** Plain JSON requests to a vendor, for everything that is no model call. Failures come in our taxonomy. */
export function askVendor(provider: string, settings: ProviderSettings, clock: Clock): AskVendor {
  return async (path, { headers = {}, body } = {}) => {
    const url = /^https?:/.test(path) ? path : `${settings.base_url}${path}`;
    using deadline = new Deadline(clock, LISTING_TIMEOUT_SECONDS);
    try {
      const response = await sameOriginFetch(url, {
        method: body ? 'POST' : 'GET',
        headers: { accept: 'application/json', ...settings.headers, ...headers },
        ...(body ? { body: JSON.stringify(body) } : {}),
        signal: deadline.signal,
      });
      if (response.ok) return asObject(await response.json(), url);
      throw await failure(response, url, provider, clock);
    } catch (error) {
      const ended_by = deadline.endedBy;
      const known = { provider, model: url, ended_by, midway: false, timeout: LISTING_TIMEOUT_SECONDS };
      throw toLLMError(error, { ...known, now: clock.now() });
    }
  };
}

async function failure(response: Response, url: string, provider: string, clock: Clock): Promise<LLMError> {
  const text = (await response.text()).slice(0, 500);
  const retry_after = readRetryAfter(Object.fromEntries(response.headers), null, clock.now());
  return classifyLLMError(`${url} answered ${response.status}: ${text}`, {
    provider,
    status_code: response.status,
    retry_after: retry_after ?? undefined,
  });
}

function asObject(value: unknown, url: string): JsonObject {
  if (isPlainObject(value)) return value;
  throw new LLMError(`${url} answered with something that is no JSON object.`);
}
