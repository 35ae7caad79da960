import type { SessionStatus, SessionSummary } from '../records.js';
import { checkCount } from '../refusals.js';
import { isTerminal } from '../status.js';

const DAY_MS = 24 * 60 * 60 * 1000;

/** Which sessions to move to the trash. All given conditions must hold. */
export interface RetentionPolicy {
  older_than_days: number;
  statuses?: readonly SessionStatus[];
  /** So many of the newest candidates stay. */
  keep_last?: number;
  dry_run?: boolean;
}

/**
 * Which sessions a policy lets go, oldest first. Never an active one, and never one above a session that stays.
 */
export function chooseExpired(
  sessions: readonly SessionSummary[],
  { older_than_days, statuses, keep_last = 0 }: RetentionPolicy,
  now: number,
): SessionSummary[] {
  checkCount('older_than_days', older_than_days);
  checkCount('keep_last', keep_last);
  const cutoff = new Date(now - older_than_days * DAY_MS).toISOString();
  const isOld = ({ ended, updated }: SessionSummary) => (ended ?? updated) <= cutoff;
  const mayGo = (session: SessionSummary) =>
    (statuses ? statuses.includes(session.status) : isTerminal(session.status)) &&
    session.status !== 'active';
  const candidates = sessions.filter((session) => mayGo(session) && isOld(session)).sort(byAge);
  const chosen = candidates.slice(0, Math.max(0, candidates.length - keep_last));
  return withoutAncestorsOf(sessions, chosen);
}

function withoutAncestorsOf(
  sessions: readonly SessionSummary[],
  chosen: readonly SessionSummary[],
): SessionSummary[] {
  const going = new Set(chosen.map(({ session_id }) => session_id));
  const parents = new Map(sessions.map(({ session_id, parent_id }) => [session_id, parent_id]));
  for (const { session_id } of sessions) {
    if (going.has(session_id)) continue;
    // A cycle of parents, which only a damaged record has, ends where it was seen before.
    const seen = new Set<string>();
    for (let id = parents.get(session_id); id != null && !seen.has(id); id = parents.get(id)) {
      seen.add(id);
      going.delete(id);
    }
  }
  return chosen.filter(({ session_id }) => going.has(session_id));
}

function byAge(a: SessionSummary, b: SessionSummary): number {
  return (a.ended ?? a.updated) < (b.ended ?? b.updated) ? -1 : 1;
}
