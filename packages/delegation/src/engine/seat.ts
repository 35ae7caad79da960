import type { Session, Usage } from '@amplifier/core';
import { modelCatalog } from '@amplifier/foundation';
import type { SessionStore } from '@amplifier/sessions';
import type { LaunchRecord } from '../launch-record.js';
import type { Parent } from '../parent.js';
import type { Turn } from './engine.js';
import { toMessage } from './load-history.js';

interface SeatOptions {
  addUsage: (usage: Usage) => void;
  askAndEnd: (question: string) => void;
  storedHistory: SessionStore | null;
  journal: NonNullable<Parent['log']>;
}

/** A running session as a parent of further delegations. */
export function seatOf(
  session: Session,
  launch: LaunchRecord,
  turn: Turn,
  { addUsage, askAndEnd, storedHistory, journal }: SeatOptions,
): Parent {
  const { coordinator } = session;
  // Written out member by member: an object that is put together from others and has a getter is slow to make and to use.
  return {
    session_id: launch.session_id,
    parent_id: launch.parent_id,
    background: launch.background,
    root_id: launch.root_id,
    trace_id: launch.trace_id,
    depth: launch.depth,
    agent_name: launch.agent.name,
    agent_access: launch.agent_access,
    self_depth: launch.self_depth,
    instruction: launch.agent.instruction,
    grant: launch.grant,
    limits: launch.limits,
    safety_mode: launch.safety_mode,
    workspace: { cwd: launch.workspace.cwd, trusted: launch.workspace.trusted },
    may_ask: launch.parent_id !== null && launch.may_ask,
    plan: session.plan,
    tree: turn.tree,
    budget: turn.budget,
    slot: turn.slot,
    cancellation: coordinator.cancellation,
    hooks: coordinator.hooks,
    log: journal,
    models: modelCatalog(coordinator.mounts.all('providers')),
    get roles() {
      return coordinator.getCapability('model_role_resolver');
    },
    // Somebody beside the engine observes this session, or somebody above looks on.
    isWatched: () => coordinator.hooks.observerCount > 1 || turn.isWatched(),
    async history() {
      // Only the end of a long conversation is loaded; a child that is to see all of it gets it from the log.
      if (storedHistory) return (await storedHistory.messages(launch.session_id)).map(toMessage);
      return (await coordinator.mounts.one('context')?.getMessages()) ?? [];
    },
    addUsage,
    askAndEnd,
  };
}
