import type { Provider } from '@amplifier/core';

/** The models of the providers a session has. */
export interface ModelCatalog {
  has(mountedAs: string): boolean;
  /** Names of the provider's models. Rejects when it is not mounted or does not answer. */
  models(mountedAs: string): Promise<readonly string[]>;
}

/**
 * Asks each provider at most once, however many ask at the same time. A failed answer is asked for again next time.
 * What `inherited` knows is not asked for at all.
 */
export function modelCatalog(
  providers: ReadonlyMap<string, Provider>,
  inherited?: ModelCatalog,
): ModelCatalog {
  const lists = new Map<string, Promise<readonly string[]>>();
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

async function listModels(provider: Provider | undefined, mountedAs: string): Promise<string[]> {
  if (!provider) throw new Error(`no provider is mounted as '${mountedAs}'`);
  return (await provider.listModels()).map(({ id }) => id);
}
