import { frozenWithoutSecrets, type JsonObject, Memo, type MountPlan, Plan } from '@amplifier/core';
import type { ModelRoleResolver, RoleResolution } from '../routing/role-resolver.js';
import { applyProviderPreferences } from './apply-provider-preferences.js';
import type { ModelCatalog } from './model-catalog.js';
import { type ProviderPreference, parseProviderPreferences } from './provider-preference.js';

/** Which model a session runs on, and how that came about. */
export interface ModelChoice {
  /** Every requested model that is available, best first. */
  candidates: ProviderPreference[];
  chosen: ProviderPreference | null;
  /** A sentence for people. */
  because: string;
  requested: { model_role: string | null; provider_preferences: ProviderPreference[] | null };
  /** Requests that could not be met, in words. */
  unmet: string[];
}

/** The part of a delegation request that is about its model. */
export interface ModelRequest {
  provider_preferences?: ProviderPreference[] | undefined;
  model_role?: string | undefined;
}

/** The models and roles of the session that launches. */
export interface ModelSources {
  models(): ModelCatalog;
  roles(): ModelRoleResolver | null;
}

interface Requested {
  preferences: readonly ProviderPreference[];
  /** Who requests them, for people. */
  by: string;
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

/**
 * Chooses the model of a session. The call's preferences win over the call's role, that over the agent's role, that over the agent's
 * preferences, that over the plan. Without roles in the plan, an agent's role is ignored. Of a list the first available model wins; if
 * none is available, the plan stays and `missed` has the reasons.
 */
export async function chooseModel(
  plan: Plan,
  overlay: JsonObject,
  request: ModelRequest,
  sources: ModelSources,
): Promise<{ plan: Plan; model: ModelChoice; missed: string[] | null }> {
  if (!asksForModel(request) && !asksForModel(overlay)) return { plan, model: AS_PLANNED, missed: null };
  const { preferences, by, unmet } = await requestedModels(request, overlay, sources);
  const requested = {
    model_role: request.model_role ?? null,
    provider_preferences: request.provider_preferences ?? null,
  };
  if (preferences.length === 0) return { plan, model: { ...AS_PLANNED, requested, unmet }, missed: null };
  const applied = await applyProviderPreferences(plan.json, preferences, sources.models());
  const missed = [...unmet, ...applied.unmet.map(({ reason }) => reason)];
  return {
    missed: applied.chosen ? null : missed,
    plan: applied.chosen ? promoted(plan, applied.chosen, applied.plan) : plan,
    model: {
      candidates: applied.candidates.map(plain),
      chosen: applied.chosen && plain(applied.chosen),
      because: `${by}: ${applied.because}`,
      requested,
      unmet: applied.chosen ? unmet : missed,
    },
  };
}

function asksForModel({ model_role, provider_preferences }: JsonObject | ModelRequest): boolean {
  return model_role !== undefined || provider_preferences !== undefined;
}

/** By the plan they were made from and the model that was chosen: children of an agent share one. */
const PROMOTED = new Memo<Plan>();

function promoted(plan: Plan, chosen: ProviderPreference, json: MountPlan): Plan {
  const made = () => Plan.of(json);
  const { hash } = plan;
  return hash === null ? made() : PROMOTED.get(`${hash} ${JSON.stringify(plain(chosen))}`, made);
}

async function requestedModels(
  { provider_preferences, model_role }: ModelRequest,
  overlay: JsonObject,
  sources: Pick<ModelSources, 'roles'>,
): Promise<Requested> {
  if (provider_preferences && provider_preferences.length > 0) {
    return { preferences: provider_preferences, by: 'Asked for by the call', unmet: [] };
  }
  const agents: Requested = { preferences: ownPreferences(overlay), by: 'Preferred by the agent', unmet: [] };
  const role = model_role ?? roleOf(overlay);
  if (role === undefined) return agents;
  const roles = sources.roles();
  if (!roles) {
    const unmet = [`The role '${model_role}' cannot be resolved: no routing matrix is mounted.`];
    return model_role === undefined ? agents : { ...agents, unmet };
  }
  const resolution = await roles.resolve(role);
  if (resolution.candidates.length > 0)
    return { preferences: resolution.candidates, by: `Role '${[role].flat().join("' or '")}'`, unmet: [] };
  // An agent whose role has no model falls back to its own preferences.
  const isServed = model_role === undefined && agents.preferences.length > 0;
  return isServed ? agents : { ...agents, unmet: [whyUnmet(role, resolution, roles)] };
}

/** The models that an agent requests, best first: those of its role, else its own preferences. */
export async function agentPreferences(
  overlay: JsonObject,
  roles: ModelRoleResolver | null,
): Promise<readonly ProviderPreference[]> {
  const { preferences } = await requestedModels({}, overlay, { roles: () => roles });
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
