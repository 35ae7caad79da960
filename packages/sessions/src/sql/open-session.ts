import { isoTime } from '@amplifier/core';
import { all, run, type SqlValue, type Work } from '../database/database.js';
import { describeProcess, fenced, locked } from '../refusals.js';
import { checkSessionId } from '../session-ids.js';
import type { OpenOptions } from '../session-store.js';
import { findMetadata, type SessionRow } from './session-row.js';
import type { StoreContext } from './store-context.js';

const TAKE = `UPDATE sessions SET epoch = epoch + 1, owner = ?, owned_since = ?, owner_lease = ?, lease = coalesce(?, lease),
  is_copied = 0 WHERE n = ?`;

/** Takes a session that nobody has, or, with a newer lease, one that somebody has under an older. */
export async function openSession(context: StoreContext, session_id: string, { lease }: OpenOptions) {
  checkSessionId(session_id);
  const { database, process, clock } = context;
  const taken = [process.id, isoTime(clock), lease ?? null, lease ?? null];
  const owned = await database.write(
    function* () {
      const { row, metadata } = yield* findMetadata(session_id);
      const { n, tenant, epoch, owner, owner_lease } = row;
      if (lease !== undefined && row.lease !== null && row.lease > lease)
        throw fenced(`Session ${session_id}`);
      const isNewer = lease !== undefined && owner_lease !== null && owner_lease < lease;
      if (!isNewer) yield* requireFree(context, row);
      if (owner !== null) yield* takeBelow(session_id, owner);
      yield* process.register();
      yield* run(TAKE, ...taken, n);
      return { n, tenant, epoch: epoch + 1, metadata };
    },
    { topics: [session_id], durability: 'process' },
  );
  return context.own(owned);
}

const TAKE_BELOW = `UPDATE sessions SET owner = NULL, epoch = epoch + 1
  WHERE parent_id = ? AND owner = ? AND owner_lease IS NULL AND deleted IS NULL RETURNING session_id`;

/** Takes what a former owner held below a session: it is another's to continue now. What has a lease of its own is judged by that. */
function* takeBelow(session_id: string, owner: string): Work<void> {
  const taken = yield* all<{ session_id: string }>(TAKE_BELOW, session_id, owner);
  for (const child of taken) yield* takeBelow(child.session_id, owner);
}

/** Throws when somebody who lives, or may live, writes the session. */
export function* requireFree({ process, liveness }: StoreContext, row: SessionRow): Work<void> {
  const owner = yield* process.ownerOf(row);
  if (owner)
    throw locked(row.session_id, `${describeProcess(owner, liveness.self)} since ${row.owned_since}`);
}

/** Those of the chosen sessions that nobody writes, or whose owners are gone. */
export function* unowned({ process }: StoreContext, which: string, ...values: SqlValue[]) {
  const sql = `SELECT * FROM sessions WHERE deleted IS NULL AND ${which}`;
  const found: SessionRow[] = [];
  for (const row of yield* all<SessionRow>(sql, ...values))
    if (!(yield* process.ownerOf(row))) found.push(row);
  return found;
}

const FORGET = `DELETE FROM processes WHERE lease_until <= ?
  AND id NOT IN (SELECT owner FROM sessions WHERE owner IS NOT NULL) AND id NOT IN (SELECT value FROM facts)`;

/** Takes sessions from owners that are gone, and forgets those who own nothing. Returns the ids of the sessions. */
export function* freeLeft(context: StoreContext): Work<string[]> {
  const rows = yield* unowned(context, 'owner IS NOT NULL');
  for (const { n } of rows) yield* run('UPDATE sessions SET owner = NULL, epoch = epoch + 1 WHERE n = ?', n);
  yield* run(FORGET, context.clock.now());
  return rows.map(({ session_id }) => session_id).sort();
}
