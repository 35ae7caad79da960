import type { Provider } from '@amplifier/core';
import { matchProvider, plannedProviders } from '../preferences/match-provider.js';
import type { RoutingMatrix } from './routing-matrix.js';

/**
 * Settings of candidates that their provider would refuse: a value that is none of the choices it declares. What it does
 * not declare passes, and so does everything of a provider that is not there or does not say.
 */
export function checkCandidateConfig(
  { roles }: RoutingMatrix,
  providers: ReadonlyMap<string, Provider>,
): string[] {
  const planned = plannedProviders({
    providers: [...providers.keys()].map((name) => ({ module: `provider-${name}` })),
  });
  return Object.entries(roles).flatMap(([role, { candidates }]) =>
    candidates.flatMap(({ provider, config = {} }) => {
      const mounted = providers.get(matchProvider(provider, planned)?.mounted_as ?? '');
      return Object.entries(config).flatMap(([key, value]) => {
        const choices = choicesOf(mounted, key);
        if (choices === null || choices.includes(String(value))) return [];
        return `The role ${role} sets ${key}: ${String(value)} for ${provider}, which takes ${choices.join(', ')}.`;
      });
    }),
  );
}

function choicesOf(provider: Provider | undefined, key: string): string[] | null {
  try {
    const field = provider
      ?.getInfo()
      .config_fields.find(({ name, type }) => name === key && type === 'choice');
    return field?.choices ?? null;
  } catch {
    return null; // A provider that cannot describe itself is no reason to doubt the matrix.
  }
}
