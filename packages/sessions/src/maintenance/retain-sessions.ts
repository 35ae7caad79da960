import { type Clock, systemClock } from '@amplifier/core';
import type { SessionSummary } from '../records.js';
import { hasCode } from '../session-error.js';
import type { SessionStore } from '../session-store.js';
import { chooseExpired, type RetentionPolicy } from './choose-expired.js';

export interface RetentionReport {
  session_ids: string[];
  bytes: number;
  dry_run: boolean;
}

/** Puts away what a policy lets go, or says what it would be. One that somebody writes stays. */
export async function retainSessions(
  store: SessionStore,
  policy: RetentionPolicy,
  clock: Clock = systemClock,
): Promise<RetentionReport> {
  const report: RetentionReport = { session_ids: [], bytes: 0, dry_run: policy.dry_run ?? false };
  for (const { session_id } of chooseExpired(await allSessions(store), policy, clock.now())) {
    if (await store.owner(session_id)) continue;
    const bytes = await store.size(session_id);
    if (!report.dry_run && !(await putAway(store, session_id))) continue;
    report.session_ids.push(session_id);
    report.bytes += bytes;
  }
  return report;
}

async function allSessions(store: SessionStore): Promise<SessionSummary[]> {
  const sessions: SessionSummary[] = [];
  for (let cursor: string | null = ''; cursor !== null; ) {
    const page = await store.list({ limit: 1_000, cursor: cursor || undefined });
    sessions.push(...page.sessions);
    cursor = page.next_cursor;
  }
  return sessions;
}

/** False when somebody took it meanwhile, or put it away. */
async function putAway(store: SessionStore, session_id: string): Promise<boolean> {
  try {
    await store.delete(session_id, { children: 'orphan' });
    return true;
  } catch (error) {
    const isPassed = (['SESSION_LOCKED', 'SESSION_ACTIVE', 'SESSION_NOT_FOUND'] as const).some((code) =>
      hasCode(error, code),
    );
    if (isPassed) return false;
    throw error;
  }
}
