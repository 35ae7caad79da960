import type { MountPlan } from '@amplifier/core';
import type { ModelCatalog } from './model-catalog.js';
import { PREFERENCE_CONFIG_KEYS, promoteProvider, refusedConfig } from './promote-provider.js';
import type { ProviderPreference } from './provider-preference.js';
import {
  type PreferenceResolution,
  type ResolvedPreference,
  resolvePreferences,
} from './resolve-preferences.js';

export interface AppliedPreferences extends PreferenceResolution {
  /** The very plan that was given when nothing could be honoured. */
  plan: MountPlan;
  chosen: ResolvedPreference | null;
  /** A sentence for people: what was chosen, or why nothing was. */
  because: string;
}

/**
 * Promotes the first preference the plan can honour. When none can be, the plan stays as it is and the result says so:
 * whoever asked must be told that they run on something else.
 */
export async function applyProviderPreferences(
  plan: MountPlan,
  preferences: readonly ProviderPreference[],
  catalog: ModelCatalog,
): Promise<AppliedPreferences> {
  const resolution = await resolvePreferences(plan, preferences, catalog);
  const [chosen] = resolution.candidates;
  if (!chosen) return { ...resolution, plan, chosen: null, because: whyNothing(resolution) };
  const { provider, model, requested } = chosen;
  const because = `${provider}/${model} is the first of ${preferences.length} preferences that can be honoured (asked for as ${requested.provider}/${requested.model}).${notTaken(requested)}`;
  return { ...resolution, plan: promoteProvider(plan, chosen), chosen, because };
}

function notTaken({ config }: ProviderPreference): string {
  const refused = refusedConfig(config);
  if (refused.length === 0) return '';
  return ` Its config ${refused.join(', ')} is not taken: a preference may set ${PREFERENCE_CONFIG_KEYS.join(', ')}.`;
}

function whyNothing({ unmet }: PreferenceResolution): string {
  if (unmet.length === 0) return 'No preference was given; the plan decides.';
  return `None of ${unmet.length} preferences can be honoured; the plan decides. ${unmet.map(({ reason }) => reason).join(' ')}`;
}
