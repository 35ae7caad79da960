import { isoTime } from '@amplifier/core';
import { chooseExpired } from '../choose-expired.js';
import { all } from '../database/database.js';
import type { RetentionPolicy, RetentionReport } from '../session-store.js';
import { bytesOf, putAway } from './remove-sessions.js';
import { type SessionRow, summaryOf } from './session-row.js';
import type { StoreContext } from './store-context.js';

/** Puts away what a policy lets go, or says what it would be. */
export async function retainSessions(
  { database, clock, project, process }: StoreContext,
  policy: RetentionPolicy,
): Promise<{ report: RetentionReport; gone: SessionRow[] }> {
  const { dry_run = false } = policy;
  const now = isoTime(clock);
  return database.write(function* () {
    const where = project === null ? '' : 'AND project = ?';
    const rows = yield* all<SessionRow>(
      `SELECT * FROM sessions WHERE deleted IS NULL ${where} ORDER BY created, session_id`,
      ...(project === null ? [] : [project]),
    );
    const byId = new Map(rows.map((row) => [row.session_id, row]));
    const report: RetentionReport = { session_ids: [], bytes: 0, dry_run };
    const gone: SessionRow[] = [];
    for (const { session_id } of chooseExpired(rows.map(summaryOf), policy, clock.now())) {
      const row = byId.get(session_id);
      if (!row || (yield* process.ownerOf(row))) continue;
      report.session_ids.push(session_id);
      report.bytes += yield* bytesOf(row.n);
      if (dry_run) continue;
      yield* putAway(row.n, now);
      gone.push(row);
    }
    return { report, gone };
  });
}
