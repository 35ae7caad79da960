import type { Session, Usage } from '@amplifier/core';
import type { ModelCatalog } from '@amplifier/foundation';
import type { SessionStore } from '@amplifier/sessions';
import type { LaunchRecord } from '../launch-record.js';
import { type Parent, parentOf } from '../parent.js';
import type { Turn } from './engine.js';
import { toMessage } from './load-history.js';

interface SeatOptions {
  addUsage: (usage: Usage) => void;
  askAndEnd: (question: string) => void;
  storedHistory: SessionStore | null;
  journal: NonNullable<Parent['log']>;
  models: ModelCatalog;
}

/** A running session as a parent of further delegations. */
export function seatOf(
  session: Session,
  launch: LaunchRecord,
  turn: Turn,
  { addUsage, askAndEnd, storedHistory, journal, models }: SeatOptions,
): Parent {
  const { coordinator } = session;
  return {
    is_model: true,
    may_ask: launch.parent_id !== null && launch.may_ask,
    plan: session.plan,
    tree: turn.tree,
    budget: turn.budget,
    slot: turn.slot,
    cancellation: coordinator.cancellation,
    hooks: coordinator.hooks,
    log: journal,
    models: () => models,
    roles: () => coordinator.getCapability('model_role_resolver'),
    // Somebody beside the engine observes this session, or somebody above looks on.
    isWatched: () => coordinator.hooks.observerCount > 1 || turn.isWatched(),
    async history() {
      // Only the end of a long conversation is loaded; a child that is to see all of it gets it from the log.
      if (storedHistory) return (await storedHistory.messages(launch.session_id)).map(toMessage);
      return (await coordinator.mounts.one('context')?.getMessages()) ?? [];
    },
    addUsage,
    askAndEnd,
    ...parentOf(launch),
  };
}
