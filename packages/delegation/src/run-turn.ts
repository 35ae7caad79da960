import { AbortError, NO_USAGE } from '@amplifier/core';
import type { SessionStore } from '@amplifier/sessions';
import { outcomeOf } from './engine/ending.js';
import type { Engine } from './engine/engine.js';
import type { StopReason } from './engine/stop-switch.js';
import type { LaunchRecord } from './launch-record.js';
import { isLong, keptOutcome } from './long-answer.js';
import type { Outcome } from './outcome.js';
import { recordOutcome } from './stored-outcome.js';
import type { Turn } from './turn.js';

/**
 * Runs one turn of a session to its outcome and makes the outcome a fact of the session's log. A child waits for a run slot first.
 * Never rejects for what happened in the turn; rejects when the outcome itself cannot be kept.
 */
export async function runTurn(
  engine: Engine,
  turn: Turn,
  store: Pick<SessionStore, 'tail'>,
): Promise<Outcome> {
  const outcome = await runInSlot(engine, turn);
  if (isLong(outcome)) await turn.log.flush();
  const kept = isLong(outcome) ? await keptOutcome(store, outcome) : outcome;
  const recorded = recordOutcome(turn.log, turn.number, kept);
  // The session is given back in the same commit.
  const ended = Promise.all([recorded, turn.log.close()]);
  await (turn.guarantor?.guarantee(ended) ?? ended);
  return outcome;
}

async function runInSlot(engine: Engine, turn: Turn): Promise<Outcome> {
  const { launch, tree, cancellation } = turn;
  let slot = turn.slot;
  try {
    if (launch.depth > 0) slot ??= tree.slots.tryAcquire() ?? (await tree.slots.acquire(cancellation.token));
    turn.slot = slot;
    await activate(turn);
    return await engine.run(turn);
  } catch (error) {
    return neverRan(turn, error);
  } finally {
    slot?.release();
  }
}

/** A root that died is found by its status. A child is found by its parent, and need not wait for the disk here. */
async function activate({ launch, log }: Turn): Promise<void> {
  if (log.metadata.status === 'active' && !log.metadata.interrupted) return;
  const active = log.transition('active', {}, { trailing: launch.depth > 0 });
  active.catch(() => {});
  if (launch.depth === 0) await active;
}

/** The turn ended before the engine could say how. */
function neverRan({ launch, cancellation }: Turn, error: unknown): Outcome {
  const stopped = error instanceof AbortError ? cancellation.reason : null;
  return unrun(launch, stopped ? { stopped } : { thrown: error });
}

/** The outcome of a turn in which nothing was said. */
export function unrun(launch: LaunchRecord, why: { thrown?: unknown; stopped?: StopReason }): Outcome {
  return outcomeOf({
    launch,
    text: '',
    loop_status: null,
    finish_reason: null,
    turn_count: 0,
    usage: NO_USAGE,
    model_used: null,
    thrown: why.thrown ?? null,
    stopped: why.stopped ?? null,
  });
}
