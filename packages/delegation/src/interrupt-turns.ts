import { isTerminal, type SessionLog, type SessionStore } from '@amplifier/sessions';
import type { Control } from './control.js';
import { cutOffOutcome } from './cut-off.js';
import { DelegationError } from './delegation-error.js';
import type { LiveSessions } from './live-sessions.js';
import type { Outcome } from './outcome.js';
import { unrun } from './run-turn.js';
import { loadLaunch, outcomeIn, readOutcome, recordOutcome, turnOf } from './stored-outcome.js';

interface Interrupting {
  store: SessionStore;
  live: LiveSessions;
  control: Pick<Control, 'subtree'>;
  open: (session_id: string) => Promise<SessionLog>;
}

/**
 * Ends a turn that a dead process left, and those below it, as interrupted: what they are until somebody lets them continue. A
 * turn that has ended keeps its outcome, and one that runs is left alone.
 */
export async function interruptTurns(deps: Interrupting, session_id: string): Promise<Outcome> {
  const outcome = await interruptTurn(deps, session_id);
  const [, ...below] = await deps.control.subtree(session_id);
  for (const id of below) {
    const { status } = await deps.store.metadata(id);
    if (!isTerminal(status) && !deps.live.has(id)) await interruptTurn(deps, id).catch(unlessRunning);
  }
  return outcome;
}

/** Somebody has taken the session up meanwhile: then it is not interrupted. */
function unlessRunning(error: unknown): void {
  if (!(error instanceof DelegationError) || error.code !== 'SESSION_BUSY') throw error;
}

async function interruptTurn({ store, open }: Interrupting, session_id: string): Promise<Outcome> {
  const launch = await loadLaunch(store, session_id);
  await using log = await open(session_id);
  const known = await readOutcome(store, log.metadata);
  if (known) return known;
  const outcome = cutOffOutcome(launch);
  await recordOutcome(log, turnOf(log.metadata), outcome);
  return outcome;
}

interface HandsBack {
  store: SessionStore;
  handBackLater(session_id: string, turn: number, outcome: Outcome): Promise<void>;
}

/** Ends a turn whose processes died too often, and tells the parent. One that has ended keeps its outcome. */
export async function giveUpTurn(
  delegator: HandsBack,
  open: Interrupting['open'],
  session_id: string,
  turn: number,
): Promise<void> {
  const launch = await loadLaunch(delegator.store, session_id);
  await using log = await open(session_id);
  if (turnOf(log.metadata) !== turn || outcomeIn(log.metadata)) return;
  const message = `The process of session '${session_id}' died too often. Resume it to try again.`;
  const thrown = new DelegationError(message, { code: 'INTERRUPTED', origin: session_id });
  const outcome = unrun(launch, { thrown });
  await recordOutcome(log, turn, outcome);
  await delegator.handBackLater(session_id, turn, outcome);
}
