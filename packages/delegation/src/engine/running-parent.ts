import type { Session, Usage } from '@amplifier/core';
import type { ModelCatalog } from '@amplifier/foundation';
import type { SessionStore } from '@amplifier/sessions';
import { type Guarantor, type Parent, type ParentLog, parentOf } from '../turn/parent.js';
import { isWatched, type Turn } from '../turn/turn.js';
import { inheritedHistory } from './load-history.js';

interface RunningParentOptions {
  addUsage: (usage: Usage) => void;
  askAndEnd: (question: string) => void;
  storedHistory: SessionStore | null;
  journal: ParentLog & Guarantor;
  models: ModelCatalog;
}

/** A running session as a parent of further delegations. */
export function runningParent(
  session: Session,
  turn: Turn,
  { addUsage, askAndEnd, storedHistory, journal, models }: RunningParentOptions,
): Parent {
  const { coordinator } = session;
  const { launch } = turn;
  return {
    is_model: true,
    may_ask: launch.parent_id !== null && launch.may_ask,
    plan: session.plan,
    tree: turn.tree,
    budget: turn.budget,
    slot: turn.slot,
    cancellation: coordinator.cancellation,
    claim: turn.claim,
    hooks: coordinator.hooks,
    log: journal,
    guarantor: journal,
    models: () => models,
    roles: () => coordinator.getCapability('model_role_resolver'),
    // Somebody beside the engine observes this session, or somebody above looks on.
    isWatched: () => coordinator.hooks.observerCount > 1 || isWatched(turn),
    async history() {
      // Only the end of a long conversation is loaded; a child that is to see more of it gets it from the log.
      if (storedHistory) return inheritedHistory(storedHistory, launch.session_id);
      return (await coordinator.mounts.one('context')?.getMessages()) ?? [];
    },
    addUsage,
    askAndEnd,
    ...parentOf(launch),
  };
}
