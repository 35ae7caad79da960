import type { JsonObject } from '@amplifier/core';
import { planParts, publicPlanForm } from '@amplifier/sessions/record';
import type { PublicPlan } from './plan-schema.js';
import { toCorePlan } from './to-core-plan.js';

/**
 * A plan as it is stored: in the kernel's form, which the launch record shares, and beside it what only the public form has, such
 * as ids, references and mounts that are switched off.
 */
export function planDocument(plan: PublicPlan): JsonObject {
  const core = toCorePlan(plan);
  const parts = planParts(core, plan.mount_points);
  return {
    format_version: plan.format_version,
    plan: core,
    session: { ...plan.session, settings: {}, instruction: '' },
    mount_points: plan.mount_points.map((mount, at) => {
      if (mount.mount_type === 'referenced') return parts[at] ? { ...mount, config: {} } : mount;
      // Null keeps the order of the members.
      return parts[at]?.content === mount.content ? { ...mount, content: null } : mount;
    }),
  };
}

export function planOf(document: JsonObject): PublicPlan {
  return publicPlanForm(document) as JsonObject & PublicPlan;
}
