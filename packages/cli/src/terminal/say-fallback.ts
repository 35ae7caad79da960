import type { JsonObject } from '@amplifier/host';

interface ModelName {
  provider: string;
  model: string;
}

/** `anthropic/claude-x failed (…); openai/gpt-y takes over.`: a model that was asked for is never replaced without a word. */
export function fallbackWords(data: Readonly<JsonObject>): string {
  const { from, to, error } = data as unknown as {
    from: ModelName | null;
    to: ModelName | null;
    error?: { message?: string };
  };
  return `${named(from)} failed (${error?.message ?? 'unknown error'}); ${named(to)} takes over.`;
}

function named(model: ModelName | null): string {
  return model === null ? 'The model' : [model.provider, model.model].filter(Boolean).join('/');
}
