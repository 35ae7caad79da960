import { frozenWithoutSecrets, type JsonObject, type MountPlan } from '@amplifier/core';
import {
  applyProviderPreferences,
  type ModelRoleResolver,
  type ProviderPreference,
  parseProviderPreferences,
  type RoleResolution,
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

/** What most sessions run on. */
const AS_PLANNED: ModelChoice = frozenWithoutSecrets({
  candidates: [],
  chosen: null,
  because: "No preference was given: the parent's plan decides.",
  requested: { model_role: null, provider_preferences: null },
  unmet: [],
});

function isAskedFor({ model_role, provider_preferences }: DelegateRequest): boolean {
  return model_role !== undefined || provider_preferences !== undefined;
}

/**
 * Picks the model of a session. The call's preferences win over the call's role, that over the agent's own role, that over the
 * agent's own preferences, that over the plan. Where a plan has no roles, an agent's role means nothing. Within a list the first that is available wins; when
 * none can, the plan stays and the result says so.
 */
export async function chooseModel(
  plan: MountPlan,
  overlay: JsonObject,
  request: DelegateRequest,
  parent: Pick<Parent, 'models' | 'roles'>,
): Promise<{ plan: MountPlan; model: ModelChoice }> {
  const { preferences, whose, unmet } = await wishOf(request, overlay, parent);
  if (preferences.length === 0 && unmet.length === 0 && !isAskedFor(request))
    return { plan, model: AS_PLANNED };
  const requested = {
    model_role: request.model_role ?? null,
    provider_preferences: request.provider_preferences ?? null,
  };
  if (preferences.length === 0) return { plan, model: { ...AS_PLANNED, requested, unmet } };
  const applied = await applyProviderPreferences(plan, preferences, parent.models());
  const missed = [...unmet, ...applied.unmet.map(({ reason }) => reason)];
  if (!applied.chosen && request.strict_preferences) {
    throw new DelegationError(`None of the preferred models is available. ${missed.join(' ')}`, {
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
  parent: Pick<Parent, 'roles'>,
): Promise<Wish> {
  if (provider_preferences && provider_preferences.length > 0) {
    return { preferences: provider_preferences, whose: 'Asked for by the call', unmet: [] };
  }
  const agents: Wish = { preferences: ownPreferences(overlay), whose: 'Preferred by the agent', unmet: [] };
  const role = model_role ?? roleOf(overlay);
  if (role === undefined) return agents;
  const roles = parent.roles();
  if (!roles) {
    const unmet = [`The role '${model_role}' cannot be resolved: no routing matrix is mounted.`];
    return model_role === undefined ? agents : { ...agents, unmet };
  }
  const resolution = await roles.resolve(role);
  if (resolution.candidates.length > 0)
    return { preferences: resolution.candidates, whose: `Role '${[role].flat().join("' or '")}'`, unmet: [] };
  // An agent's own preferences are what it falls back to; nothing is amiss as long as it has some.
  const isServed = model_role === undefined && agents.preferences.length > 0;
  return isServed ? agents : { ...agents, unmet: [whyUnmet(role, resolution, roles)] };
}

/** The models an agent wishes for by itself, best first: those of its role, else its own preferences. */
export async function agentPreferences(
  overlay: JsonObject,
  roles: ModelRoleResolver | null,
): Promise<readonly ProviderPreference[]> {
  const { preferences } = await wishOf({ instruction: '' }, overlay, { roles: () => roles });
  return preferences.map(plain);
}

function ownPreferences({ provider_preferences }: JsonObject): ProviderPreference[] {
  return provider_preferences === undefined ? [] : parseProviderPreferences(provider_preferences);
}

/** One short sentence: it ends up in the result of the delegation that asked for the role. */
function whyUnmet(
  role: string | readonly string[],
  { unknown_roles, unmet }: RoleResolution,
  { name, known_roles }: ModelRoleResolver,
): string {
  const asked = [role].flat().map((each) => `'${each}'`);
  if (unknown_roles.length === asked.length)
    return `The matrix '${name}' has no role ${asked.join(' or ')}; it has: ${known_roles.join(', ')}.`;
  const wanted = unmet.map(({ requested: { provider, model } }) => `${provider}/${model}`);
  return `No model of the role ${asked.join(' or ')} is available; wanted: ${wanted.join(', ')}.`;
}

function roleOf({ model_role }: JsonObject): string | string[] | undefined {
  if (typeof model_role === 'string') return model_role;
  return Array.isArray(model_role) ? model_role.filter((each) => typeof each === 'string') : undefined;
}

function plain({ provider, model, config }: ProviderPreference): ProviderPreference {
  return { provider, model, ...(config ? { config } : {}) };
}
