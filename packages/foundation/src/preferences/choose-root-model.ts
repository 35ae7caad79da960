import { closestNames, DEFAULT_PROVIDER_PRIORITY, type MountPlan, type Provider } from '@amplifier/core';
import { FoundationError } from '../errors.js';
import type { ModelRoleResolver } from '../routing/role-resolver.js';
import { type ModelCatalog, modelCatalog } from './model-catalog.js';
import type { ProviderPreference } from './provider-preference.js';
import { resolvePreferences } from './resolve-preferences.js';

/** What a person may request of the model of a session. */
export interface ModelOptions {
  provider?: string | undefined;
  model?: string | undefined;
  role?: string | undefined;
  /** How hard the model is to think, where it can be told. */
  effort?: string | undefined;
}

/** The models that a root session can run on. */
export interface RootModels {
  plan: MountPlan;
  providers: ReadonlyMap<string, Provider>;
  roles(): Promise<ModelRoleResolver>;
  /** Default: the models that the providers list. */
  catalog?: ModelCatalog | undefined;
}

/** The preferences that the options resolve to, best first; none without options. Throws for what cannot be met. */
export async function chooseRootModel(
  { effort, ...options }: ModelOptions,
  { catalog, ...models }: RootModels,
): Promise<ProviderPreference[]> {
  const from = { ...models, catalog: catalog ?? modelCatalog(models.providers) };
  const chosen = await chooseModels(options, from);
  if (effort === undefined) return chosen;
  const preferences = chosen.length > 0 ? chosen : [await pinned(undefined, undefined, from)];
  return preferences.map(({ config, ...each }) => ({
    ...each,
    config: { ...config, reasoning_effort: effort },
  }));
}

async function chooseModels(
  { provider, model, role }: ModelOptions,
  from: Required<RootModels> & { catalog: ModelCatalog },
): Promise<ProviderPreference[]> {
  if (provider !== undefined || model !== undefined) return [await pinned(provider, model, from)];
  if (role === undefined) return [];
  const resolver = await from.roles();
  const { candidates, unknown_roles, unmet } = await resolver.resolve(role);
  if (candidates.length > 0)
    return candidates.map(({ provider: name, model: id, config }) => preference(name, id, config));
  const guess = closestNames(role, [...resolver.known_roles]);
  const why = unknown_roles.includes(role)
    ? `The matrix '${resolver.name}' has no role '${role}'. ${guess.length > 0 ? `Did you mean '${guess[0]}'?` : `It has: ${resolver.known_roles.join(', ')}.`}`
    : `No model of the role '${role}' is available. ${unmet.map(({ reason }) => reason).join(' ')}`;
  throw new FoundationError(why, { code: 'ROLE_UNMET', origin: role });
}

async function pinned(
  wanted: string | undefined,
  model: string | undefined,
  { plan, providers, catalog }: Pick<RootModels, 'plan' | 'providers'> & { catalog: ModelCatalog },
): Promise<ProviderPreference> {
  const provider = wanted ?? preferredProvider(plan, providers);
  const mounted = providers.get(provider) ?? providers.get(provider.replace(/^provider-/, ''));
  if (!mounted) throw unknownProvider(provider, [...providers.keys()]);
  const pattern = model ?? mounted.defaultModel;
  if (pattern === undefined) {
    throw new FoundationError(
      `The provider '${provider}' has no model of its own choice. Name one with --model.`,
      {
        code: 'PROVIDER_UNKNOWN',
        origin: provider,
      },
    );
  }
  const { candidates, unmet } = await resolvePreferences(plan, [{ provider, model: pattern }], catalog);
  const [found] = candidates;
  if (found) return preference(found.provider, found.model, found.config);
  throw new FoundationError(unmet.map(({ reason }) => reason).join(' ') || `No model fits '${pattern}'.`, {
    code: 'PROVIDER_UNKNOWN',
    origin: provider,
  });
}

/** The one a session would use: the lowest priority, the first of equals. */
export function preferredProvider(plan: MountPlan, providers: ReadonlyMap<string, Provider>): string {
  const priority = ([, provider]: [string, Provider]) => provider.priority ?? DEFAULT_PROVIDER_PRIORITY;
  const [first] = [...providers].sort((a, b) => priority(a) - priority(b));
  if (first) return first[0];
  throw new FoundationError(
    `No provider of the plan can be used (${plan.providers?.length ?? 0} are listed).`,
    {
      code: 'NO_MODEL',
    },
  );
}

function unknownProvider(name: string, known: string[]): FoundationError {
  const [guess] = closestNames(name, known);
  const hint = guess ? `Did you mean '${guess}'?` : `There are: ${known.join(', ') || 'none'}.`;
  return new FoundationError(`No usable provider is called '${name}'. ${hint}`, {
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
