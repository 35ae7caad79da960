import { isTerminal } from '@amplifier/sessions';
import { outcomeWithoutRun } from '../engine/ending.js';
import { DelegationError } from '../request/delegation-error.js';
import type { Outcome } from '../request/outcome.js';
import type { Runtime } from '../runtime.js';
import { handBackLater } from '../turn/hand-back.js';
import { openLog } from '../turn/open-log.js';
import { subtreeOf } from './control.js';
import { cutOffOutcome } from './cut-off.js';
import { loadLaunch, outcomeIn, readOutcome, recordOutcome, turnOf } from './stored-outcome.js';

/**
 * Ends a turn that a dead process left, and those below it, as interrupted: what they are until they are continued. A turn that has
 * ended keeps its outcome, and one that runs is left alone.
 */
export async function interruptTurns(runtime: Runtime, session_id: string): Promise<Outcome> {
  const { store, live } = runtime;
  const outcome = await interruptTurn(runtime, session_id);
  const [, ...below] = await subtreeOf(store, session_id);
  for (const id of below) {
    const { status } = await store.metadata(id);
    if (!isTerminal(status) && !live.has(id)) await interruptTurn(runtime, id).catch(unlessRunning);
  }
  return outcome;
}

/** A session that another process has opened is not interrupted. */
function unlessRunning(error: unknown): void {
  if (!(error instanceof DelegationError) || error.code !== 'SESSION_BUSY') throw error;
}

async function interruptTurn(runtime: Runtime, session_id: string): Promise<Outcome> {
  const { store } = runtime;
  const launch = await loadLaunch(store, session_id);
  await using log = await openLog(runtime, session_id);
  const known = await readOutcome(store, log.metadata);
  if (known) return known;
  const outcome = cutOffOutcome(launch);
  await recordOutcome(log, turnOf(log.metadata), outcome);
  return outcome;
}

/** Ends a turn whose processes died too often, and tells the parent. One that has ended keeps its outcome. */
export async function giveUpTurn(runtime: Runtime, session_id: string, turn: number): Promise<void> {
  const { store, live } = runtime;
  const launch = await loadLaunch(store, session_id);
  await using log = await openLog(runtime, session_id);
  if (turnOf(log.metadata) !== turn || outcomeIn(log.metadata)) return;
  const message = `The process of session '${session_id}' died too often. Resume it to try again.`;
  const thrown = new DelegationError(message, { code: 'INTERRUPTED', origin: session_id });
  const outcome = outcomeWithoutRun(launch, { thrown });
  await recordOutcome(log, turn, outcome);
  await handBackLater(store, live, session_id, turn, outcome);
}
