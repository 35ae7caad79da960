import {
  isSameJson,
  type JsonObject,
  jsonTextOf,
  type ModelInfo,
  type ModuleSpec,
  type MountPlan,
  type Provider,
} from '@amplifier/core';
import { plannedProviders } from './match-provider.js';

/** The models of the providers a session has. */
export interface ModelCatalog {
  has(mountedAs: string): boolean;
  /** What the provider lists. Rejects when it is not mounted or does not answer. */
  models(mountedAs: string): Promise<readonly ModelInfo[]>;
}

/**
 * Asks each provider at most once, however many ask at the same time. A failed answer is asked for again next time.
 * What `inherited` knows is not asked for at all.
 */
export function modelCatalog(
  providers: Pick<ReadonlyMap<string, Provider>, 'has' | 'get'>,
  inherited?: ModelCatalog,
): ModelCatalog {
  const lists = new Map<string, Promise<readonly ModelInfo[]>>();
  return {
    has: (mountedAs) => providers.has(mountedAs),
    models(mountedAs) {
      const known = lists.get(mountedAs);
      if (known) return known;
      const asked = inherited?.has(mountedAs)
        ? inherited.models(mountedAs)
        : listModels(providers.get(mountedAs), mountedAs);
      lists.set(mountedAs, asked);
      asked.catch(() => lists.delete(mountedAs));
      return asked;
    },
  };
}

async function listModels(provider: Provider | undefined, mountedAs: string): Promise<ModelInfo[]> {
  if (!provider) throw new Error(`no provider is mounted as '${mountedAs}'`);
  return provider.listModels();
}

/** What a preference or an order of providers may change without changing which models there are. */
const WITHOUT_EFFECT = new Set(['priority', 'default_model']);

/**
 * What is known of a parent's models, for a child with the plan `own`: only of providers that are configured the same in both.
 * Members of `chosen`, which somebody's preference set, do not count.
 */
export function inheritCatalog(
  known: ModelCatalog,
  above: Pick<MountPlan, 'providers'>,
  own: Pick<MountPlan, 'providers'>,
  chosen: JsonObject = {},
): ModelCatalog {
  if (isSameList(above.providers, own.providers)) return known;
  const ignored = new Set([...WITHOUT_EFFECT, ...Object.keys(chosen)]);
  const spec = (plan: Pick<MountPlan, 'providers'>, name: string) =>
    plannedProviders(plan).find(({ mounted_as }) => mounted_as === name)?.spec;
  return {
    has: (mountedAs) =>
      known.has(mountedAs) && isSameProvider(spec(above, mountedAs), spec(own, mountedAs), ignored),
    models: (mountedAs) => known.models(mountedAs),
  };
}

/** Sections of plans are frozen: their hashes are known. */
function isSameList(a: MountPlan['providers'], b: MountPlan['providers']): boolean {
  if (!a || !b) return a === b;
  const { hash, isWhole } = jsonTextOf(a);
  return isWhole && hash === jsonTextOf(b).hash;
}

function isSameProvider(
  a: ModuleSpec | undefined,
  b: ModuleSpec | undefined,
  ignored: ReadonlySet<string>,
): boolean {
  const essence = ({ module, source, config = {} }: ModuleSpec) => [
    module,
    source ?? null,
    Object.fromEntries(Object.entries(config).filter(([key]) => !ignored.has(key))),
  ];
  return a !== undefined && b !== undefined && isSameJson(essence(a), essence(b));
}
