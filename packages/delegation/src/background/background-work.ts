import { errorInfo } from '@amplifier/core';
import { continueTurn } from '../recovery/continue-turn.js';
import { giveUpTurn } from '../recovery/interrupt-turns.js';
import type { Runtime } from '../runtime.js';
import { handBackLater } from '../turn/hand-back.js';
import { type ClaimedRun, type RunEnd, type RunKind, runFailure } from './queue-worker.js';

/** How a worker executes background children. */
export function backgroundKind(perform: (claimed: ClaimedRun) => Promise<RunEnd>): RunKind {
  return {
    name: 'background work',
    // The limits of the trees apply.
    limit: Number.POSITIVE_INFINITY,
    perform,
    failed(error) {
      const isLasting = runFailure(error, true) === 'lasting';
      return isLasting ? { result: { status: 'failed', error_code: errorInfo(error).code } } : null;
    },
  };
}

/** Runs the turn of a background child to its end, and tells its parent. */
export async function performBackground(
  runtime: Runtime,
  { run, token, claim, check, isExhausted }: ClaimedRun,
): Promise<RunEnd> {
  const { store, live } = runtime;
  const { session_id } = run;
  const turn = Number(run.payload.turn ?? 1);
  if (isExhausted) {
    await giveUpTurn(runtime, session_id, turn);
    return { result: { status: 'interrupted' } };
  }
  const { cancellation } = claim;
  const { outcome } = await continueTurn(runtime, session_id, { lease: token, claim, cancellation, check });
  await handBackLater(store, live, session_id, turn, outcome);
  return { result: { status: outcome.status } };
}
