import { isTerminal, type SessionLog, type SessionStore } from '@amplifier/sessions';
import type { Control } from './control.js';
import { cutOffOutcome } from './cut-off.js';
import { DelegationError } from './delegation-error.js';
import type { LiveSessions } from './live-sessions.js';
import type { Outcome } from './outcome.js';
import { loadLaunch, readOutcome, recordOutcome, turnOf } from './stored-outcome.js';

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
