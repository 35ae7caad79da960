import { isPlainObject, type JsonObject } from '@amplifier/core';
import type { MountPoint, PublicPlan } from './plan-schema.js';
import { toCorePlan } from './to-core-plan.js';

/**
 * A plan as it is stored: in the kernel's form, which the launch record shares, and beside it what only the public form has, such
 * as ids, references and mounts that are switched off.
 */
export function planDocument(plan: PublicPlan): JsonObject {
  const core = toCorePlan(plan);
  const parts = partsOf(core, plan.mount_points);
  return {
    format_version: plan.format_version,
    plan: core,
    session: { ...plan.session, settings: {}, instruction: '' },
    mount_points: plan.mount_points.map((mount, at) => {
      if (mount.mount_type === 'referenced') return parts[at] ? { ...mount, config: {} } : mount;
      return parts[at]?.content === mount.content ? { ...mount, content: '' } : mount;
    }),
  };
}

/** The public form of a stored plan. Earlier versions stored that form itself; so do readable copies. */
export function planOf(document: JsonObject): PublicPlan {
  const { plan: core, ...plan } = document as JsonObject & PublicPlan;
  if (!isPlainObject(core)) return plan;
  const { settings, system } = core.session as JsonObject;
  const { instruction } = system as JsonObject;
  const parts = partsOf(core, plan.mount_points);
  return {
    ...plan,
    session: { ...plan.session, settings, instruction } as PublicPlan['session'],
    mount_points: plan.mount_points.map((mount, at) => {
      const { content, config } = parts[at] ?? {};
      if (mount.mount_type === 'referenced') return parts[at] ? { ...mount, config } : mount;
      return mount.content === '' && content !== undefined ? { ...mount, content } : mount;
    }) as MountPoint[],
  };
}

/** What the kernel's form has of each mount that is switched on. Modules and contexts have the order of the mounts. */
function partsOf(core: JsonObject, mounts: readonly MountPoint[]): (JsonObject | undefined)[] {
  const { orchestrator, context, system } = core.session as JsonObject;
  const agents = core.agents as Record<string, { system?: { instruction?: string } }>;
  const parts: Record<string, Iterator<unknown>> = {
    orchestrator: [orchestrator].values(),
    'context-manager': [context].values(),
    provider: valuesOf(core.providers),
    tool: valuesOf(core.tools),
    hook: valuesOf(core.hooks),
    context: valuesOf((system as JsonObject).context),
  };
  return mounts.map(({ enabled, module_type, module = '' }) => {
    if (!enabled) return undefined;
    if (module_type === 'agent') return { content: agents[module]?.system?.instruction };
    return parts[module_type]?.next().value as JsonObject | undefined;
  });
}

function valuesOf(list: unknown): Iterator<unknown> {
  return (list as unknown[]).values();
}
