import { isoTime } from '@amplifier/core';
import { all, run, type Work } from '../database/database.js';
import { fenced, locked } from '../refusals.js';
import { checkSessionId } from '../session-ids.js';
import type { OpenOptions, SessionOwner } from '../session-store.js';
import { describe, forgetProcesses, type OwnProcess } from './own-process.js';
import { findMetadata, mustFindRow, type SessionRow } from './session-row.js';
import type { StoreContext } from './store-context.js';

/** Takes a session that nobody has, or, with a newer lease, one that somebody has under an older. */
export async function openSession(context: StoreContext, session_id: string, { lease }: OpenOptions) {
  checkSessionId(session_id);
  const since = isoTime(context.clock);
  const owned = await context.database.write(
    function* () {
      const { row, metadata } = yield* findMetadata(session_id);
      if (lease !== undefined && row.lease !== null && row.lease > lease)
        throw fenced(`Session ${session_id}`);
      const isNewer = lease !== undefined && row.owner_lease !== null && row.owner_lease < lease;
      if (!isNewer) yield* requireFree(context, row);
      if (row.owner !== null) yield* takeBelow(session_id, row.owner);
      yield* context.process.register();
      yield* run(
        `UPDATE sessions SET epoch = epoch + 1, owner = ?, owned_since = ?, owner_lease = ?, lease = coalesce(?, lease),
          is_copied = 0 WHERE n = ?`,
        context.process.id,
        since,
        lease ?? null,
        lease ?? null,
        row.n,
      );
      return { n: row.n, tenant: row.tenant, epoch: row.epoch + 1, metadata };
    },
    { topics: [session_id] },
  );
  return context.own(owned);
}

/**
 * Takes from a former owner what it held below a session, so that it cannot end there what is now another's to continue. What it
 * holds under a lease of its own is judged by that.
 */
function* takeBelow(session_id: string, owner: string): Work<void> {
  const taken = yield* all<{ session_id: string }>(
    `UPDATE sessions SET owner = NULL, epoch = epoch + 1
      WHERE parent_id = ? AND owner = ? AND owner_lease IS NULL AND deleted IS NULL RETURNING session_id`,
    session_id,
    owner,
  );
  for (const child of taken) yield* takeBelow(child.session_id, owner);
}

/** Throws when somebody who lives, or may live, writes the session. */
export function* requireFree({ process, liveness }: StoreContext, row: SessionRow): Work<void> {
  const owner = yield* process.ownerOf(row);
  if (owner) throw locked(row.session_id, `${describe(owner, liveness.self)} since ${row.owned_since}`);
}

/** Who writes the session now. */
export function* ownerOf({ process }: StoreContext, session_id: string): Work<SessionOwner | null> {
  const row = yield* mustFindRow(session_id);
  const owner = yield* process.ownerOf(row);
  if (!owner) return null;
  return { pid: owner.pid, host: owner.host, since: row.owned_since ?? '', lease: row.owner_lease };
}

/** The sessions at work whose owners are gone. */
export function* leftActive({ process }: StoreContext): Work<SessionRow[]> {
  return yield* left(process, "status = 'active' AND deleted IS NULL ORDER BY created, session_id");
}

/** The sessions that nobody writes and whose copies are not known to be whole. */
export function* uncopied({ process }: StoreContext, limit: number): Work<string[]> {
  const rows = yield* left(process, `is_copied = 0 AND deleted IS NULL LIMIT ${limit}`);
  return rows.map(({ session_id }) => session_id);
}

/** The sessions whose owners are gone, taken from them. */
export function* freeLeft({ process }: StoreContext, now: number): Work<string[]> {
  const rows = yield* left(process, 'owner IS NOT NULL AND deleted IS NULL');
  for (const { n } of rows) yield* run('UPDATE sessions SET owner = NULL, epoch = epoch + 1 WHERE n = ?', n);
  yield* forgetProcesses(now);
  return rows.map(({ session_id }) => session_id).sort();
}

function* left(process: OwnProcess, which: string): Work<SessionRow[]> {
  const found: SessionRow[] = [];
  for (const row of yield* all<SessionRow>(`SELECT * FROM sessions WHERE ${which}`))
    if (!(yield* process.ownerOf(row))) found.push(row);
  return found;
}
