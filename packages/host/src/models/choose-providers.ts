import {
  isPlainObject,
  type JsonObject,
  type ModuleLoader,
  type ModuleSourceResolver,
  type MountPlan,
  moduleSpec,
} from '@amplifier/core';
import { OFFLINE_PROVIDER, OLLAMA_VARIABLES, PROVIDERS_BY_ENVIRONMENT } from '../defaults.js';
import type { Environment } from '../environment.js';
import { type ProviderReading, readProviders } from './read-providers.js';

export interface ChosenProviders {
  plan: MountPlan;
  readings: ProviderReading[];
}

/**
 * Gives a plan the providers it runs on. What bundle and settings list stands; where they list none, every vendor whose
 * key or address is in the environment is taken; offline, there is the one that needs nothing.
 */
export async function chooseProviders(
  plan: MountPlan,
  options: {
    loader: ModuleLoader;
    sources: ModuleSourceResolver;
    environment: Environment;
    offline: boolean;
    /** The user's own prices by model, for every provider. */
    prices?: unknown;
  },
): Promise<ChosenProviders> {
  const { loader, sources, environment, offline, prices } = options;
  if (offline) return withReadings({ ...plan, providers: [{ module: OFFLINE_PROVIDER }] });
  if (plan.providers && plan.providers.length > 0) return withReadings(plan);
  const candidates = [
    ...PROVIDERS_BY_ENVIRONMENT,
    ...(OLLAMA_VARIABLES.some((name) => environment[name]) ? ['provider-ollama'] : []),
  ];
  const { readings } = await withReadings({ ...plan, providers: candidates });
  const usable = readings.filter(({ provider }) => provider);
  return { plan: { ...plan, providers: usable.map(({ spec }) => spec) }, readings };

  async function withReadings(plan: MountPlan): Promise<ChosenProviders> {
    const chosen = isPlainObject(prices) ? withPrices(plan, prices) : plan;
    return { plan: chosen, readings: await readProviders(chosen, loader, sources) };
  }
}

/** Each provider with the user's prices; what its own config says of a model stands. */
function withPrices(plan: MountPlan, prices: JsonObject): MountPlan {
  const providers = (plan.providers ?? []).map((entry) => {
    const spec = moduleSpec(entry);
    if (!spec) return entry;
    const own = isPlainObject(spec.config?.prices) ? spec.config.prices : {};
    return { ...spec, config: { ...spec.config, prices: { ...prices, ...own } } };
  });
  return { ...plan, providers };
}
