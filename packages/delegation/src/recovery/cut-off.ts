import {
  isTerminal,
  type RunQueue,
  type SessionMetadata,
  type SessionStore,
  type SessionSummary,
} from '@amplifier/sessions';
import { isAwaited } from '../background/background-queue.js';
import { outcomeWithoutRun } from '../engine/ending.js';
import type { LaunchRecord } from '../plan/launch-record.js';
import { DelegationError } from '../request/delegation-error.js';
import { interrupted, type Outcome } from '../request/outcome.js';
import type { LiveSessions } from '../turn/live-sessions.js';
import { callOfTurn } from '../turn/turn-start.js';
import { loadLaunch, outcomeIn, turnOf } from './stored-outcome.js';

/** What tells whether a turn has a process. A `Runtime` has it all. */
interface Observed {
  store: SessionStore;
  live: Pick<LiveSessions, 'has'>;
  queue: RunQueue | null;
}

/**
 * True if the process of the present turn has died, so that the turn ends only if it is continued. A turn that waits in the queue, and a child whose parent runs and may not have got to it yet, have no owner either and are not cut off.
 */
export async function isCutOff(
  { store, live, queue }: Observed,
  launch: LaunchRecord,
  metadata: SessionMetadata,
): Promise<boolean> {
  const { session_id } = metadata;
  const turn = turnOf(metadata);
  if (turn === 0 || outcomeIn(metadata)) return metadata.interrupted;
  if (live.has(session_id) || (await store.owner(session_id))) return false;
  const call = callOfTurn(launch, metadata);
  if (call.background && (await isAwaited(queue, session_id, turn))) return false;
  return call.background || call.parent_id === null || (await store.owner(call.parent_id)) === null;
}

/** The outcome of a turn whose process died: it can be continued. */
export function cutOffOutcome(launch: LaunchRecord): Outcome {
  const { session_id } = launch;
  const message = `The process that ran session '${session_id}' ended during the turn. Continue the session to finish the turn.`;
  const thrown = new DelegationError(message, { code: 'INTERRUPTED', origin: session_id });
  return interrupted(outcomeWithoutRun(launch, { thrown }));
}

type Listed = Pick<SessionSummary, 'session_id' | 'status'>;

/** As `isCutOff`, for a session of a listing: most have ended, and their records are not read. */
export async function isInterrupted(observed: Observed, { session_id, status }: Listed): Promise<boolean> {
  if (isTerminal(status)) return false;
  const { store } = observed;
  const launch = await loadLaunch(store, session_id).catch(() => null);
  // A session without a launch record cannot be continued; opening it reports the damage.
  return launch !== null && isCutOff(observed, launch, await store.metadata(session_id));
}

/** The same for a reader that runs nothing itself. */
export function interruptedIn(store: SessionStore, queue: RunQueue): (session: Listed) => Promise<boolean> {
  const live = { has: () => false };
  return (session) => isInterrupted({ store, live, queue }, session);
}
