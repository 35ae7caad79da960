import { addUsage, isPlainObject, type JsonObject, type Usage } from '@amplifier/core';

/** Where agents put what a prompt consumed, best first. Each agent has its own idea. */
const PLACES: ((response: JsonObject) => unknown)[] = [
  ({ usage }) => usage,
  ({ _meta }) => member(member(_meta, 'quota'), 'token_count'),
  ({ _meta }) => member(_meta, 'usage'),
];

/**
 * The tokens of a prompt; null when the agent does not say. `calls`: what it said of each model call on the way, which counts
 * where the answer says nothing about the whole.
 */
export function readUsage(response: unknown, calls: readonly JsonObject[]): Usage | null {
  const answer = isPlainObject(response) ? response : {};
  for (const place of PLACES) {
    const found = tokensIn(place(answer));
    if (found) return found;
  }
  const told = calls.map(tokensIn).filter((usage) => usage !== null);
  return told.length === 0 ? null : told.reduce(addUsage);
}

function tokensIn(value: unknown): Usage | null {
  if (!isPlainObject(value)) return null;
  const input = count(value, 'inputTokens', 'input_tokens', 'promptTokens');
  const output = count(value, 'outputTokens', 'output_tokens', 'candidatesTokens');
  if (input === null && output === null) return null;
  const reasoning = count(value, 'thoughtTokens', 'thought_tokens', 'reasoningTokens');
  const cacheRead = count(value, 'cachedReadTokens', 'cached_read_tokens', 'cachedTokens');
  const cacheWrite = count(value, 'cachedWriteTokens', 'cached_write_tokens');
  return {
    input_tokens: input ?? 0,
    output_tokens: output ?? 0,
    cost_usd: null,
    total_tokens: count(value, 'totalTokens', 'total_tokens') ?? (input ?? 0) + (output ?? 0),
    ...(reasoning === null ? {} : { reasoning_tokens: reasoning }),
    ...(cacheRead === null ? {} : { cache_read_tokens: cacheRead }),
    ...(cacheWrite === null ? {} : { cache_write_tokens: cacheWrite }),
  };
}

function count(value: JsonObject, ...names: string[]): number | null {
  for (const name of names) {
    const found = value[name];
    if (typeof found === 'number' && Number.isFinite(found) && found >= 0) return Math.round(found);
  }
  return null;
}

function member(value: unknown, name: string): unknown {
  return isPlainObject(value) ? value[name] : undefined;
}
