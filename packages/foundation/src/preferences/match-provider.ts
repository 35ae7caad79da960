import {
  DEFAULT_PROVIDER_PRIORITY,
  instanceLabel,
  type ModuleSpec,
  type MountPlan,
  moduleSpec,
} from '@amplifier/core';

/** A provider of a plan and the name it is mounted under. */
export interface PlannedProvider {
  /** Its place in the plan's list. */
  index: number;
  mounted_as: string;
  spec: ModuleSpec;
}

export function plannedProviders(plan: Pick<MountPlan, 'providers'>): PlannedProvider[] {
  return (plan.providers ?? []).flatMap((entry, index) => {
    const spec = moduleSpec(entry);
    return spec ? [{ index, spec, mounted_as: instanceLabel(spec) ?? shortName(spec.module) }] : [];
  });
}

/**
 * The one answer to "which provider is meant": the instance of that label; else the unlabelled one of that module, the
 * `provider-` before the name given or not; else the instance of that module with the lowest priority number, the first
 * listed of equals. Labels of siblings never match each other.
 */
export function matchProvider(wanted: string, providers: readonly PlannedProvider[]): PlannedProvider | null {
  const labelled = providers.find(({ spec }) => [spec.instance_id, spec.id].includes(wanted));
  if (labelled) return labelled;
  const instances = providers.filter(({ spec }) => shortName(spec.module) === shortName(wanted));
  const unlabelled = instances.find(({ spec }) => instanceLabel(spec) === undefined);
  return unlabelled ?? instances.reduce<PlannedProvider | null>(preferred, null);
}

function preferred(best: PlannedProvider | null, next: PlannedProvider): PlannedProvider {
  return best && priorityOf(best.spec) <= priorityOf(next.spec) ? best : next;
}

/** Lower is preferred. */
export function priorityOf({ config }: ModuleSpec): number {
  const priority = Number(config?.priority ?? DEFAULT_PROVIDER_PRIORITY);
  return Number.isFinite(priority) ? priority : DEFAULT_PROVIDER_PRIORITY;
}

function shortName(module: string): string {
  return module.replace(/^provider-/, '');
}
