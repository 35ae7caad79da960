import { isTerminal, type RunQueue, type SessionStore, type SessionSummary } from '@amplifier/sessions';
import { isAwaited } from './background.js';
import { type CutOffDeps, isCutOff } from './cut-off.js';
import { loadLaunch } from './stored-outcome.js';

type Listed = Pick<SessionSummary, 'session_id' | 'status'>;

/** Did its process die in the middle of a turn? As `isCutOff`, for a session of a listing: most have ended and are not read for it. */
export async function isInterrupted(
  { session_id, status }: Listed,
  store: SessionStore,
  cutOff: Omit<CutOffDeps, 'store'>,
): Promise<boolean> {
  if (isTerminal(status)) return false;
  const launch = await loadLaunch(store, session_id).catch(() => null);
  // One without a record cannot be continued; whoever opens it says what is wrong with it.
  return launch !== null && isCutOff({ store, ...cutOff }, launch, await store.metadata(session_id));
}

/** The same for a reader that runs nothing itself. */
export function interruptedIn(store: SessionStore, queue: RunQueue): (session: Listed) => Promise<boolean> {
  const live = { has: () => false };
  const background = {
    isAwaited: (session_id: string, turn: number) => isAwaited(queue, session_id, turn),
  };
  return (session) => isInterrupted(session, store, { live, background });
}
