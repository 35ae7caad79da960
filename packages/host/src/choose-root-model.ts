import { closestNames, DEFAULT_PROVIDER_PRIORITY, type MountPlan, type Provider } from '@amplifier/core';
import {
  composeMatrix,
  DEFAULT_MATRIX,
  loadMatrix,
  type ModelCatalog,
  type ModelRoleResolver,
  matrixRoleResolver,
  modelCatalog,
  type ProviderPreference,
  ROUTING_DIR,
  resolvePreferences,
} from '@amplifier/foundation';
import { HostError } from './host-error.js';
import type { Project } from './project.js';

/** What a person may say about the model of a session they start. */
export interface ModelWish {
  provider?: string | undefined;
  model?: string | undefined;
  role?: string | undefined;
  /** How hard the model is to think, where it can be told. */
  effort?: string | undefined;
}

/** The preferences a wish resolves to, best first; none when nothing was wished for. A wish that cannot be met is an error. */
export async function chooseRootModel(
  { effort, ...wish }: ModelWish,
  project: Project,
  plan: MountPlan,
  providers: ReadonlyMap<string, Provider>,
  catalog: ModelCatalog = modelCatalog(providers),
): Promise<ProviderPreference[]> {
  const chosen = await chooseModels(wish, project, plan, providers, catalog);
  if (effort === undefined) return chosen;
  const models = chosen.length > 0 ? chosen : [await pinned(undefined, undefined, plan, providers, catalog)];
  return models.map(({ config, ...each }) => ({ ...each, config: { ...config, reasoning_effort: effort } }));
}

async function chooseModels(
  { provider, model, role }: ModelWish,
  project: Project,
  plan: MountPlan,
  providers: ReadonlyMap<string, Provider>,
  catalog: ModelCatalog,
): Promise<ProviderPreference[]> {
  if (provider !== undefined || model !== undefined)
    return [await pinned(provider, model, plan, providers, catalog)];
  if (role === undefined) return [];
  const resolver = await roleResolver(project, plan, providers, catalog);
  const { candidates, unknown_roles, unmet } = await resolver.resolve(role);
  if (candidates.length > 0)
    return candidates.map(({ provider: name, model: id, config }) => preference(name, id, config));
  const guess = closestNames(role, [...resolver.known_roles]);
  const why = unknown_roles.includes(role)
    ? `The matrix '${resolver.name}' has no role '${role}'. ${guess.length > 0 ? `Did you mean '${guess[0]}'?` : `It has: ${resolver.known_roles.join(', ')}.`}`
    : `No model of the role '${role}' is available. ${unmet.map(({ reason }) => reason).join(' ')}`;
  throw new HostError(why, { code: 'ROLE_UNMET', origin: role });
}

/** The roles of a project, over the providers that can be used. */
export async function roleResolver(
  project: Project,
  plan: MountPlan,
  providers: ReadonlyMap<string, Provider>,
  catalog: ModelCatalog = modelCatalog(providers),
): Promise<ModelRoleResolver> {
  const { matrix: name = DEFAULT_MATRIX, overrides } = project.settings.settings.routing ?? {};
  const matrix = await loadMatrix(name, [...project.paths.routing, ROUTING_DIR]);
  return matrixRoleResolver({
    matrix: composeMatrix(matrix, overrides ?? {}),
    plan,
    providers,
    catalog,
  });
}

async function pinned(
  wanted: string | undefined,
  model: string | undefined,
  plan: MountPlan,
  providers: ReadonlyMap<string, Provider>,
  catalog: ModelCatalog,
): Promise<ProviderPreference> {
  const provider = wanted ?? preferredProvider(plan, providers);
  const mounted = providers.get(provider) ?? providers.get(provider.replace(/^provider-/, ''));
  if (!mounted) throw unknownProvider(provider, [...providers.keys()]);
  const pattern = model ?? mounted.defaultModel;
  if (pattern === undefined) {
    throw new HostError(`The provider '${provider}' has no model of its own choice. Name one with --model.`, {
      code: 'PROVIDER_UNKNOWN',
      origin: provider,
    });
  }
  const { candidates, unmet } = await resolvePreferences(plan, [{ provider, model: pattern }], catalog);
  const [found] = candidates;
  if (found) return preference(found.provider, found.model, found.config);
  throw new HostError(unmet.map(({ reason }) => reason).join(' ') || `No model fits '${pattern}'.`, {
    code: 'PROVIDER_UNKNOWN',
    origin: provider,
  });
}

/** The one a session would use: the lowest priority, the first of equals. */
export function preferredProvider(plan: MountPlan, providers: ReadonlyMap<string, Provider>): string {
  const priority = ([, provider]: [string, Provider]) => provider.priority ?? DEFAULT_PROVIDER_PRIORITY;
  const [first] = [...providers].sort((a, b) => priority(a) - priority(b));
  if (first) return first[0];
  throw new HostError(`No provider of the plan can be used (${plan.providers?.length ?? 0} are listed).`, {
    code: 'NO_MODEL',
  });
}

function unknownProvider(name: string, known: string[]): HostError {
  const [guess] = closestNames(name, known);
  const hint = guess ? `Did you mean '${guess}'?` : `There are: ${known.join(', ') || 'none'}.`;
  return new HostError(`No usable provider is called '${name}'. ${hint}`, {
    code: 'PROVIDER_UNKNOWN',
    origin: name,
  });
}

function preference(
  provider: string,
  model: string,
  config: ProviderPreference['config'],
): ProviderPreference {
  return { provider, model, ...(config && Object.keys(config).length > 0 ? { config } : {}) };
}
