import { type MountPlan, moduleSpec, type Provider } from '@amplifier/core';
import { configuredMatrix, ROUTING_HOOK } from '@amplifier/foundation';

/**
 * Takes the routing hook out of a plan none of whose providers its matrix knows, such as one with a single server of the user's
 * own. It could serve no role, and would offer roles to the model that lead nowhere.
 */
export async function leaveOutRouting(
  plan: MountPlan,
  providers: ReadonlyMap<string, Provider>,
): Promise<MountPlan> {
  const isRouting = (entry: unknown) => moduleSpec(entry)?.module === ROUTING_HOOK;
  const hook = (plan.hooks ?? []).map(moduleSpec).find(isRouting);
  if (!hook) return plan;
  const without = { ...plan, hooks: (plan.hooks ?? []).filter((entry) => !isRouting(entry)) };
  if ([...providers.keys()].every((name) => name === 'offline')) return without;
  const known = await configuredMatrix(hook.config ?? {}).catch(() => null);
  if (!known) return plan; // The hook itself says what is wrong with its matrix.
  const names = new Set([...providers.keys()].map((each) => each.replace(/^provider-/, '')));
  const candidates = Object.values(known.roles).flatMap((role) => role.candidates);
  const serves = candidates.some(({ provider }) => names.has(provider.replace(/^provider-/, '')));
  return serves ? plan : without;
}
