import { errorInfo, type MountPlan } from '@amplifier/core';
import { isModelPattern, resolveModel } from './match-model.js';
import { matchProvider, type PlannedProvider, plannedProviders } from './match-provider.js';
import type { ModelCatalog } from './model-catalog.js';
import { isModelName } from './promote-provider.js';
import type { ProviderPreference } from './provider-preference.js';

/** A preference that can be honoured. `provider` is the name the provider is mounted under, `model` an exact name. */
export interface ResolvedPreference extends ProviderPreference {
  requested: ProviderPreference;
}

export interface UnmetPreference {
  requested: ProviderPreference;
  /** A sentence: what was missing. */
  reason: string;
}

export interface PreferenceResolution {
  /** What can be honoured, best first. The rest are what to fall back to. */
  candidates: ResolvedPreference[];
  /** What cannot, in order, each with its reason. */
  unmet: UnmetPreference[];
}

/**
 * Works out which preferences a plan can honour. Only patterns ask a provider for its models. Never rejects: a provider
 * that does not answer makes its preference an unmet one.
 */
export async function resolvePreferences(
  plan: Pick<MountPlan, 'providers'>,
  preferences: readonly ProviderPreference[],
  catalog: ModelCatalog,
): Promise<PreferenceResolution> {
  const providers = plannedProviders(plan);
  const results = await Promise.all(
    preferences.map((preference) => resolveOne(preference, providers, catalog)),
  );
  return {
    candidates: results.flatMap((result) => ('model' in result ? [result] : [])),
    unmet: results.flatMap((result) => ('reason' in result ? [result] : [])),
  };
}

async function resolveOne(
  requested: ProviderPreference,
  providers: readonly PlannedProvider[],
  catalog: ModelCatalog,
): Promise<ResolvedPreference | UnmetPreference> {
  const provider = matchProvider(requested.provider, providers);
  if (!provider) {
    const known = providers.map(({ mounted_as }) => mounted_as).join(', ') || 'none';
    return { requested, reason: `The plan has no provider '${requested.provider}'; it has: ${known}.` };
  }
  const { mounted_as } = provider;
  if (!isModelPattern(requested.model)) {
    if (isModelName(requested.model)) return { ...requested, provider: mounted_as, requested };
    return { requested, reason: `${JSON.stringify(requested.model)} is no name of a model.` };
  }
  try {
    const listed = (await catalog.models(mounted_as)).map(({ id }) => id);
    const model = resolveModel(requested.model, listed);
    if (model !== null) return { ...requested, provider: mounted_as, model, requested };
    return { requested, reason: `No model of '${mounted_as}' matches '${requested.model}'.` };
  } catch (error) {
    return { requested, reason: `The models of '${mounted_as}' are unknown: ${errorInfo(error).message}.` };
  }
}
