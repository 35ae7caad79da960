import { AbortError } from '@amplifier/core';
import { outcomeWithoutRun } from '../engine/ending.js';
import type { Engine } from '../engine/engine.js';
import { engineOf } from '../engine/engine-of.js';
import { isLong, keptOutcome, recordOutcome } from '../recovery/stored-outcome.js';
import type { Outcome } from '../request/outcome.js';
import type { Runtime } from '../runtime.js';
import type { Turn } from './turn.js';

/**
 * Runs one turn of a session to its outcome and stores the outcome in the session's log, which takes nothing more then. A child waits for
 * a run slot first. Never rejects for what happened in the turn; rejects when the outcome itself cannot be stored.
 */
export async function runTurn(runtime: Runtime, turn: Turn): Promise<Outcome> {
  const { log, guarantor } = turn;
  const leave = runtime.live.enter(turn.launch, turn.cancellation);
  try {
    const outcome = await runInSlot(engineOf(runtime, turn.launch), turn);
    let kept = outcome;
    if (isLong(outcome)) {
      await log.flush('process');
      kept = await keptOutcome(runtime.store, outcome);
    }
    // An outcome that nothing of this process guarantees is about to leave it.
    const recorded = recordOutcome(log, turn.number, kept, guarantor ? 'process' : 'disk');
    if (guarantor) guarantor.guarantee(recorded);
    else await recorded;
    return outcome;
  } finally {
    leave();
    turn.cancellation.release();
    turn.claim?.delete(log);
  }
}

async function runInSlot(engine: Engine, turn: Turn): Promise<Outcome> {
  const { launch, tree, cancellation } = turn;
  let slot = turn.slot;
  try {
    if (launch.depth > 0) slot ??= tree.slots.tryAcquire() ?? (await tree.slots.acquire(cancellation.token));
    turn.slot = slot;
    activate(turn);
    // An external agent acts outside of our control: its instruction must be found after a power cut.
    if (launch.engine !== 'in_process') await turn.log.flush('disk');
    return await engine.run(turn);
  } catch (error) {
    return neverRan(turn, error);
  } finally {
    slot?.release();
  }
}

/** The status is committed before the first tool acts, and while the model is asked. A failed write is met by the next one. */
function activate({ log }: Turn): void {
  if (log.metadata.status === 'active' && !log.metadata.interrupted) return;
  log.transition('active', {}, { trailing: true }).catch(() => {});
}

/** The turn ended before the engine could say how. */
function neverRan({ launch, cancellation }: Turn, error: unknown): Outcome {
  const stopped = error instanceof AbortError ? cancellation.reason : null;
  return outcomeWithoutRun(launch, stopped ? { stopped } : { thrown: error });
}
