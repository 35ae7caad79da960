import type { RunQueue } from '@amplifier/sessions';
import type { LaunchRecord } from '../plan/launch-record.js';
import { DelegationError } from '../request/delegation-error.js';
import type { Runtime } from '../runtime.js';

/** The kind of background children in the queue. */
export const BACKGROUND_KIND = 'delegation';

/** The queue of background children. Throws where there is none. */
export function requireQueue({ queue }: Runtime): RunQueue {
  if (queue) return queue;
  const message = 'Background children are not available here. Delegate without background.';
  throw new DelegationError(message, { code: 'CAPABILITY_MISSING' });
}

/** On disk when it resolves: from then on a worker will run the turn, also when this process dies. */
export async function enqueueTurn(
  runtime: Runtime,
  { session_id }: Pick<LaunchRecord, 'session_id'>,
  turn: number,
): Promise<void> {
  const run_id = runId(session_id, turn);
  await requireQueue(runtime).enqueue({ session_id, run_id, kind: BACKGROUND_KIND, payload: { turn } });
  runtime.wakeWorker();
}

/** True if the turn is in the queue: then a worker finishes it, also when its process died. */
export async function isAwaited(queue: RunQueue | null, session_id: string, turn: number): Promise<boolean> {
  const run = await queue?.get(runId(session_id, turn));
  return run?.status === 'queued' || run?.status === 'running';
}

/** Removes a turn from the queue if it has not begun. */
export async function withdrawTurn(
  queue: RunQueue | null,
  session_id: string,
  turn: number,
  reason: string,
): Promise<void> {
  const run = await queue?.get(runId(session_id, turn));
  if (run?.status === 'queued') await queue?.cancel(run.run_id, reason);
}

function runId(session_id: string, turn: number): string {
  return `${session_id}_${turn}`;
}
