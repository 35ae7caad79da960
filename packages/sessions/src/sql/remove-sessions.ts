import { isoTime } from '@amplifier/core';
import { all, get, run, type Work } from '../database/database.js';
import { active, hasChildren, notFound } from '../refusals.js';
import type { DeleteOptions } from '../session-store.js';
import { whyTaken } from './insert-session.js';
import { requireFree } from './open-session.js';
import { documentPlace, placeOf } from './places.js';
import { CHILDREN, mustFindRow, type SessionRow } from './session-row.js';
import type { StoreContext } from './store-context.js';

/** A new epoch shuts out the last owner. `is_copied` is 0 until what is kept beside the record is removed, too. */
const PUT_AWAY =
  'UPDATE sessions SET deleted = ?, owner = NULL, epoch = epoch + 1, is_copied = 0 WHERE n = ?';

/** Deleted sessions whose copies are not known to be removed; the id may be that of another session by now. */
const UNREMOVED = `SELECT n, project, session_id FROM sessions WHERE is_copied = 0 AND deleted IS NOT NULL AND is_purged = 0
  AND session_id NOT IN (SELECT session_id FROM sessions WHERE deleted IS NULL) LIMIT ?`;

export function unremoved(limit: number) {
  return all<Pick<SessionRow, 'n' | 'project' | 'session_id'>>(UNREMOVED, limit);
}

/** Puts a session away, with those below it where that is wanted: children first, all of them or none. */
export function* deleteSession(context: StoreContext, session_id: string, options: DeleteOptions) {
  const { children = 'refuse', force = false } = options;
  const doomed = [yield* mustFindRow(session_id)];
  // Grows while it is walked, and ends also where sessions name each other as parents.
  for (const { session_id: parent_id, status } of doomed) {
    if (status === 'active' && !force) throw active(parent_id);
    if (children === 'orphan') break;
    const below = yield* all<SessionRow>(`SELECT * FROM sessions WHERE ${CHILDREN}`, parent_id);
    if (below.length > 0 && children === 'refuse') throw hasChildren(parent_id, below.length);
    doomed.push(...below.filter((row) => row.session_id !== session_id));
  }
  doomed.reverse();
  for (const row of doomed) yield* requireFree(context, row);
  const now = isoTime(context.clock);
  for (const { n } of doomed) yield* run(PUT_AWAY, now, n);
  return doomed;
}

/** Brings back a session, and those below it that were put away together with it. Returns their ids, the session itself first. */
export function* restoreSession(session_id: string): Work<string[]> {
  const top = yield* get<SessionRow>(
    `SELECT * FROM sessions WHERE session_id = ? AND deleted IS NOT NULL AND is_purged = 0
      ORDER BY deleted DESC, n DESC LIMIT 1`,
    session_id,
  );
  if (!top) throw notFound(session_id);
  const below = 'SELECT * FROM sessions WHERE parent_id = ? AND deleted = ? AND is_purged = 0';
  const back: string[] = [];
  const found = [top];
  for (const row of found) {
    const taken = yield* whyTaken(row);
    if (taken && row === top) throw taken;
    if (taken) continue;
    yield* run('UPDATE sessions SET deleted = NULL, is_copied = 0 WHERE n = ?', row.n);
    back.push(row.session_id);
    found.push(...(yield* all<SessionRow>(below, row.session_id, row.deleted)));
  }
  return back;
}

/** What removes a session by its number. The number of the last entry of the feed must not be given out again. */
const PURGE = [
  `UPDATE events SET seq = 0, body = '{}', plan = NULL WHERE session = ? AND n = (SELECT max(n) FROM events)`,
  'DELETE FROM events WHERE session = ? AND seq <> 0',
  'DELETE FROM mail WHERE session = ?',
  'DELETE FROM bases WHERE session = ?',
  'UPDATE sessions SET is_purged = 1 WHERE n = ?',
];

/** Removes for good what was put away before `cutoff`. A conversation that forks share stays for them. */
export function* purgeSessions(cutoff: string): Work<string[]> {
  const rows = yield* all<{ n: number; session_id: string }>(
    'SELECT n, session_id FROM sessions WHERE deleted <= ? AND is_purged = 0 ORDER BY deleted, n',
    cutoff,
  );
  for (const { n } of rows) {
    yield* run('DELETE FROM documents WHERE place >= ? AND place <= ?', ...documentsOf(n));
    for (const sql of PURGE) yield* run(sql, n);
  }
  const unshared = `DELETE FROM messages WHERE place <= ?
    AND place > ? + coalesce((SELECT max(last) FROM bases WHERE log = ?), 0)`;
  for (const { n } of yield* all<{ n: number }>('SELECT n FROM sessions WHERE is_purged = 1')) {
    const [start, end] = messagesIn(n);
    yield* run(unshared, end, start, n);
  }
  yield* run(`DELETE FROM sessions WHERE is_purged = 1 AND n NOT IN (SELECT log FROM bases)
    AND n NOT IN (SELECT session FROM events WHERE seq = 0)`);
  return rows.map(({ session_id }) => session_id);
}

function messagesIn(log: number): [number, number] {
  return [placeOf(log, 0), placeOf(log, Number.MAX_SAFE_INTEGER)];
}

function documentsOf(session: number): [number, number] {
  return [documentPlace(session, 'launch'), documentPlace(session, 'extra')];
}

/** How many bytes of text a session has of its own. */
export function* bytesOf({ n }: SessionRow): Work<number> {
  const row = yield* get<{ bytes: number }>(
    `SELECT (SELECT coalesce(sum(length(body)), 0) FROM messages WHERE place >= ? AND place <= ?)
      + (SELECT coalesce(sum(length(body)), 0) FROM events WHERE session = ?)
      + (SELECT coalesce(sum(length(body)), 0) FROM documents WHERE place >= ? AND place <= ?) AS bytes`,
    ...messagesIn(n),
    n,
    ...documentsOf(n),
  );
  return row?.bytes ?? 0;
}
