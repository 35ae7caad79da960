import type { JsonObject, MountPlan } from '@amplifier/core';
import {
  applyProviderPreferences,
  type ProviderPreference,
  parseProviderPreferences,
} from '@amplifier/foundation';
import { DelegationError } from '../delegation-error.js';
import type { ModelChoice } from '../launch-record.js';
import type { Parent } from '../parent.js';
import type { DelegateRequest } from '../request.js';

interface Wish {
  preferences: readonly ProviderPreference[];
  /** Whose wish it is, for people. */
  whose: string;
  unmet: string[];
}

/**
 * Picks the model of a child. The call's preferences win over the call's role, that over what the agent prefers (as the
 * routing hook or its file says), that over the parent's plan. Within a list the first that can be had wins; when
 * none can, the plan stays and the result says so.
 */
export async function chooseModel(
  plan: MountPlan,
  overlay: JsonObject,
  request: DelegateRequest,
  parent: Pick<Parent, 'models' | 'roles'>,
): Promise<{ plan: MountPlan; model: ModelChoice }> {
  const { preferences, whose, unmet } = await wishOf(request, overlay, parent);
  const requested = {
    model_role: request.model_role ?? null,
    provider_preferences: request.provider_preferences ?? null,
  };
  if (preferences.length === 0) {
    const because = 'Nothing else was asked for: the parent’s plan decides.';
    return { plan, model: { candidates: [], chosen: null, because, requested, unmet } };
  }
  const applied = await applyProviderPreferences(plan, preferences, parent.models);
  const missed = [...unmet, ...applied.unmet.map(({ reason }) => reason)];
  if (!applied.chosen && request.strict_preferences) {
    throw new DelegationError(`None of the preferred models can be had. ${missed.join(' ')}`, {
      code: 'STRICT_PREFERENCE',
    });
  }
  return {
    plan: applied.plan,
    model: {
      candidates: applied.candidates.map(plain),
      chosen: applied.chosen && plain(applied.chosen),
      because: `${whose}: ${applied.because}`,
      requested,
      unmet: applied.chosen ? unmet : missed,
    },
  };
}

async function wishOf(
  { provider_preferences, model_role }: DelegateRequest,
  overlay: JsonObject,
  { roles }: Pick<Parent, 'roles'>,
): Promise<Wish> {
  if (provider_preferences && provider_preferences.length > 0) {
    return { preferences: provider_preferences, whose: 'Asked for by the call', unmet: [] };
  }
  const own =
    overlay.provider_preferences === undefined ? [] : parseProviderPreferences(overlay.provider_preferences);
  const agents: Wish = { preferences: own, whose: 'Preferred by the agent', unmet: [] };
  if (model_role === undefined) return agents;
  if (!roles)
    return {
      ...agents,
      unmet: [`The role '${model_role}' means nothing here: no routing matrix is mounted.`],
    };
  const { candidates, unknown_roles, unmet } = await roles.resolve(model_role);
  if (candidates.length > 0) return { preferences: candidates, whose: `Role '${model_role}'`, unmet: [] };
  const why = unknown_roles.includes(model_role)
    ? `The matrix '${roles.name}' has no role '${model_role}'; it has: ${roles.known_roles.join(', ')}.`
    : `No model of the role '${model_role}' can be had. ${unmet.map(({ reason }) => reason).join(' ')}`;
  return { ...agents, unmet: [why] };
}

function plain({ provider, model, config }: ProviderPreference): ProviderPreference {
  return { provider, model, ...(config ? { config } : {}) };
}
