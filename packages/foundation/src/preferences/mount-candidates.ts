import type { CapabilityOf, ModuleEntry, MountPlan } from '@amplifier/core';
import { matchProvider, plannedProviders, priorityOf } from './match-provider.js';
import { allowedConfig, withConfig } from './promote-provider.js';
import type { ProviderPreference } from './provider-preference.js';

export interface MountedCandidates {
  /** What to mount in place of the plan's providers. */
  providers: ModuleEntry[];
  /** The models in order, the chosen one first. */
  candidates: CapabilityOf<'session.candidates'>[number][];
}

/**
 * The providers of a plan on which one of the candidates was promoted, with an instance for each candidate after it. Their
 * priorities are between that of the chosen one (0) and those of the others (1 and more). Null where nothing can take over, and
 * where the plan runs on another model than the chosen one.
 */
export function mountCandidates(
  plan: Pick<MountPlan, 'providers'>,
  candidates: readonly ProviderPreference[],
  chosen: ProviderPreference | null,
): MountedCandidates | null {
  if (!chosen) return null;
  const isChosen = ({ provider, model }: ProviderPreference) =>
    provider === chosen.provider && model === chosen.model;
  const rest = candidates.slice(candidates.findIndex(isChosen) + 1);
  if (rest.length === 0) return null;
  const planned = plannedProviders(plan);
  const first = matchProvider(chosen.provider, planned);
  if (!first || priorityOf(first.spec) !== 0 || first.spec.config?.default_model !== chosen.model)
    return null;
  const taken = new Set(planned.map(({ mounted_as }) => mounted_as));
  const replaced = new Set([first.index]);
  const mounted = {
    providers: [...(plan.providers ?? [])],
    candidates: [{ mounted_as: first.mounted_as, provider: chosen.provider, model: chosen.model }],
  };
  rest.forEach(({ provider, model, config }, at) => {
    const entry = matchProvider(provider, planned);
    if (!entry) return;
    const priority = (at + 1) / (rest.length + 1);
    const spec = withConfig(entry.spec, { ...allowedConfig(config), default_model: model, priority });
    let { mounted_as } = entry;
    if (replaced.has(entry.index)) {
      for (let n = 2; taken.has(mounted_as); n++) mounted_as = `${entry.mounted_as}#${n}`;
      mounted.providers.push({ ...spec, instance_id: mounted_as });
      taken.add(mounted_as);
    } else mounted.providers[entry.index] = spec;
    replaced.add(entry.index);
    mounted.candidates.push({ mounted_as, provider, model });
  });
  return mounted.candidates.length > 1 ? mounted : null;
}
