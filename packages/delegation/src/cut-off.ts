import type { SessionMetadata, SessionStore } from '@amplifier/sessions';
import type { BackgroundWork } from './background.js';
import { DelegationError } from './delegation-error.js';
import type { LaunchRecord } from './launch-record.js';
import type { LiveSessions } from './live-sessions.js';
import { interrupted, type Outcome } from './outcome.js';
import { unrun } from './run-turn.js';
import { outcomeIn, turnOf } from './stored-outcome.js';
import { callOfTurn } from './turn-start.js';

export interface CutOffDeps {
  store: Pick<SessionStore, 'owner'>;
  live: Pick<LiveSessions, 'has'>;
  background: Pick<BackgroundWork, 'isAwaited'> | null;
}

/**
 * Has the process of the present turn died, so that nobody will bring it to its end unasked? A turn that waits in the queue, and
 * a child whose parent runs and may not have got to it yet, have no owner either and are not cut off.
 */
export async function isCutOff(
  { store, live, background }: CutOffDeps,
  launch: LaunchRecord,
  metadata: SessionMetadata,
): Promise<boolean> {
  const { session_id } = metadata;
  const turn = turnOf(metadata);
  if (turn === 0 || outcomeIn(metadata)) return metadata.interrupted;
  if (live.has(session_id) || (await store.owner(session_id))) return false;
  const call = callOfTurn(launch, metadata);
  if (call.background && (await background?.isAwaited(session_id, turn))) return false;
  return call.background || call.parent_id === null || (await store.owner(call.parent_id)) === null;
}

/** What a turn amounts to whose process died: not over, only cut off. */
export function cutOffOutcome(launch: LaunchRecord): Outcome {
  const { session_id } = launch;
  const message = `The process that ran session '${session_id}' ended during the turn. Continue the session to finish the turn.`;
  const thrown = new DelegationError(message, { code: 'INTERRUPTED', origin: session_id });
  return interrupted(unrun(launch, { thrown }));
}
