import { type MountPlan, sessionModuleSpec } from '@amplifier/core';
import {
  type Grant,
  intersectGrants,
  isWiderMode,
  type SafetyMode,
  tighterNetwork,
  withinReach,
} from '@amplifier/workspace';
import { DelegationError } from '../request/delegation-error.js';
import type { DelegateRequest } from '../request/request.js';
import type { LaunchRecord } from './launch-record.js';

/** What one turn of a session may do, where whoever answers for it wants something else than it was launched with. */
export interface TurnRights {
  safety_mode: SafetyMode;
  /** The most the mode allows in the session's folder. */
  grant: Grant;
  /** Has the user said that the folder may be acted on? */
  trusted: boolean;
  /** See `LaunchRecord.workspace`. */
  trust_declared: boolean;
}

type IsolationKind = LaunchRecord['workspace']['isolation'];

/** The mode decides isolation: `propose` never works in the user's folder. */
export function isolationIn(safety_mode: SafetyMode, asked: IsolationKind = 'none'): IsolationKind {
  return safety_mode === 'propose' && asked === 'none' ? 'worktree' : asked;
}

/** `isolation: none` is refused in `propose`, whichever of request, agent or parent asked for the mode. */
export function refuseWithoutTree(
  { isolation, agent, session_id }: Pick<DelegateRequest, 'isolation' | 'agent' | 'session_id'>,
  safety_mode: SafetyMode,
): void {
  if (isolation !== 'none' || safety_mode !== 'propose') return;
  const origin = agent ?? session_id;
  throw new DelegationError(
    `${origin ?? 'The agent'} works in propose, which always uses an isolated tree, so isolation cannot be none. Omit isolation, or ask for the safety mode write or read_only.`,
    { code: 'ISOLATION_REQUIRED', origin },
  );
}

/**
 * The launch as one turn is to run it. A session without a parent has the rights of whoever starts its turns; one below another
 * may be given less than it was launched with, never more.
 */
export function withRights(launch: LaunchRecord, rights: TurnRights | undefined): LaunchRecord {
  if (!rights) return launch;
  const isSameMode = rights.safety_mode === launch.safety_mode;
  if (isSameMode && rights.grant.network === launch.grant.network) return launch;
  const { safety_mode, trusted, trust_declared } = rights;
  const isChild = launch.parent_id !== null;
  if (isSameMode) {
    const { network } = rights.grant;
    const given = isChild ? tighterNetwork(launch.grant.network, network) : network;
    return { ...launch, grant: { ...launch.grant, network: given } };
  }
  if (isChild && isWiderMode(safety_mode, launch.safety_mode)) {
    throw new DelegationError(
      `The session '${launch.session_id}' works for another one, which gave it ${launch.safety_mode}; it cannot be given ${safety_mode}. Resume it in ${launch.safety_mode}, or start a session of your own.`,
      { code: 'SAFETY_MODE_WIDER', origin: launch.session_id },
    );
  }
  const grant = isChild
    ? intersectGrants(launch.grant, rights.grant)
    : withinReach(rights.grant, launch.grant);
  const isolation = isolationIn(safety_mode, isChild ? launch.workspace.isolation : 'none');
  return {
    ...launch,
    safety_mode,
    grant,
    workspace: { ...launch.workspace, trusted, trust_declared, isolation },
  };
}

/** The plan with an orchestrator that may, or may not, continue with another provider when one fails; as it is where nobody said. */
export function withFailover(plan: MountPlan, failover: boolean | undefined): MountPlan {
  if (failover === undefined) return plan;
  const { config, ...spec } = sessionModuleSpec(plan, 'orchestrator');
  return {
    ...plan,
    session: { ...plan.session, orchestrator: { ...spec, config: { ...config, failover } } },
  };
}
