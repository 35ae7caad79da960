import {
  type Coordinator,
  errorInfo,
  type ModelInfo,
  type Provider,
  type RequestView,
  textTokens,
} from '@amplifier/core';
import { BUDGET_MARGIN, MIN_WINDOW_SHARE, REQUEST_RESERVE_TOKENS, UNKNOWN_MODEL } from '../defaults.js';

type Window = Pick<ModelInfo, 'context_window' | 'max_output_tokens'>;

const listings = new WeakMap<Provider, Promise<ModelInfo[]>>();

/** Tokens a request may take: the caller's number, or what the model's window leaves beside its answer. */
export async function requestBudget(view: RequestView, coordinator: Coordinator): Promise<number> {
  const budget = view.token_budget ?? budgetOf(await windowOf(view, coordinator));
  return Math.floor(budget * BUDGET_MARGIN);
}

export function budgetOf({ context_window, max_output_tokens }: Window): number {
  return Math.max(
    context_window - max_output_tokens - REQUEST_RESERVE_TOKENS,
    context_window * MIN_WINDOW_SHARE,
  );
}

/** The tools go with every request and take their share of it. */
export function toolTokens({ mounts }: Coordinator): number {
  let tokens = 0;
  for (const { name, description, inputSchema } of mounts.all('tools').values()) {
    tokens += textTokens(name) + textTokens(description) + schemaTokens(inputSchema);
  }
  return tokens;
}

/** By schema object: tools are counted before every request (`npm run bench -- delegation`). A tool must not change its schema. */
const schemas = new WeakMap<object, number>();

function schemaTokens(schema: object): number {
  let tokens = schemas.get(schema);
  if (tokens === undefined) {
    tokens = textTokens(JSON.stringify(schema));
    schemas.set(schema, tokens);
  }
  return tokens;
}

async function windowOf({ provider, model }: RequestView, coordinator: Coordinator): Promise<Window> {
  if (!provider) return UNKNOWN_MODEL;
  const id = model ?? provider.defaultModel;
  if (id === undefined) return UNKNOWN_MODEL;
  return provider.modelInfo?.(id) ?? (await listed(provider, id, coordinator)) ?? UNKNOWN_MODEL;
}

/** A provider is asked once; one that cannot answer is reported and taken for small. */
async function listed(
  provider: Provider,
  model: string,
  coordinator: Coordinator,
): Promise<ModelInfo | undefined> {
  let listing = listings.get(provider);
  if (!listing) {
    listing = provider.listModels().catch((error: unknown) => {
      coordinator.report({
        level: 'warning',
        code: 'MODEL_WINDOW_UNKNOWN',
        message: `${provider.name} cannot list its models (${errorInfo(error).message}), so a window of ${UNKNOWN_MODEL.context_window} tokens is assumed. Set 'context_window' in its config.`,
        error,
      });
      return [];
    });
    listings.set(provider, listing);
  }
  return (await listing).find((info) => info.id === model);
}
