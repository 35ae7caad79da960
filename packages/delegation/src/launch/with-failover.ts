import { type MountPlan, sessionModuleSpec } from '@amplifier/core';

/** The plan with an orchestrator that may, or may not, continue with another provider when one fails; as it is where nobody said. */
export function withFailover(plan: MountPlan, failover: boolean | undefined): MountPlan {
  if (failover === undefined) return plan;
  const { config, ...spec } = sessionModuleSpec(plan, 'orchestrator');
  return {
    ...plan,
    session: { ...plan.session, orchestrator: { ...spec, config: { ...config, failover } } },
  };
}
