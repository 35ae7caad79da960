import { all, get, run, type Work } from '../database/database.js';
import { active, hasChildren, notFound } from '../refusals.js';
import type { DeleteOptions } from '../session-store.js';
import { whyTaken } from './insert-session.js';
import { documentPlace, placeOf } from './places.js';
import { CHILDREN, mustFindRow, type SessionRow } from './session-row.js';

/** Throws when somebody writes the session. */
type RequireFree = (row: SessionRow) => Work<void>;

/** Puts a session away, with those below it where that is wanted: children first, all of them or none. */
export function* deleteSession(
  session_id: string,
  { children = 'refuse', force = false }: DeleteOptions,
  requireFree: RequireFree,
  now: string,
): Work<SessionRow[]> {
  const doomed = yield* chooseDoomed(yield* mustFindRow(session_id), children, force, requireFree);
  for (const { n } of doomed) yield* putAway(n, now);
  return doomed;
}

function* chooseDoomed(
  row: SessionRow,
  children: DeleteOptions['children'],
  force: boolean,
  requireFree: RequireFree,
): Work<SessionRow[]> {
  if (row.status === 'active' && !force) throw active(row.session_id);
  const below =
    children === 'orphan'
      ? []
      : yield* all<SessionRow>(`SELECT * FROM sessions WHERE ${CHILDREN}`, row.session_id);
  if (below.length > 0 && children === 'refuse') throw hasChildren(row.session_id, below.length);
  const doomed: SessionRow[] = [];
  for (const child of below) doomed.push(...(yield* chooseDoomed(child, children, force, requireFree)));
  yield* requireFree(row);
  return [...doomed, row];
}

/** Nobody holds it from here on: the epoch shuts out whoever might still believe so. */
function* putAway(n: number, now: string): Work<void> {
  yield* run('UPDATE sessions SET deleted = ?, owner = NULL, epoch = epoch + 1 WHERE n = ?', now, n);
}

/** Brings back a session, and those below it that were put away together with it. Returns their ids, the session itself first. */
export function* restoreSession(session_id: string): Work<string[]> {
  const row = yield* get<SessionRow>(
    `SELECT * FROM sessions WHERE session_id = ? AND deleted IS NOT NULL AND is_purged = 0
      ORDER BY deleted DESC, n DESC LIMIT 1`,
    session_id,
  );
  if (!row) throw notFound(session_id);
  const taken = yield* whyTaken(row);
  if (taken) throw taken;
  return yield* bringBack(row);
}

function* bringBack({ n, session_id, deleted }: SessionRow): Work<string[]> {
  yield* run('UPDATE sessions SET deleted = NULL WHERE n = ?', n);
  const below = yield* all<SessionRow>(
    'SELECT * FROM sessions WHERE parent_id = ? AND deleted = ? AND is_purged = 0',
    session_id,
    deleted,
  );
  const back = [session_id];
  for (const child of below) if (!(yield* whyTaken(child))) back.push(...(yield* bringBack(child)));
  return back;
}

/** Removes for good what was put away before `cutoff`. A conversation that forks share stays for them. */
export function* purgeSessions(cutoff: string): Work<string[]> {
  const rows = yield* all<{ n: number; session_id: string }>(
    'SELECT n, session_id FROM sessions WHERE deleted <= ? AND is_purged = 0 ORDER BY deleted, n',
    cutoff,
  );
  for (const { n } of rows) yield* purge(n);
  yield* sweepShared();
  return rows.map(({ session_id }) => session_id);
}

function* purge(n: number): Work<void> {
  // The feed counts by the number of the last event, which must not be given out again.
  yield* run(
    `UPDATE events SET seq = 0, body = '{}', plan = NULL WHERE session = ? AND n = (SELECT max(n) FROM events)`,
    n,
  );
  yield* run('DELETE FROM events WHERE session = ? AND seq > 0', n);
  yield* run('DELETE FROM documents WHERE place >= ? AND place <= ?', ...documentsOf(n));
  yield* run('DELETE FROM mail WHERE session = ?', n);
  yield* run('DELETE FROM bases WHERE session = ?', n);
  yield* run('UPDATE sessions SET is_purged = 1 WHERE n = ?', n);
}

/** Rows of purged sessions that nothing refers to any more. */
function* sweepShared(): Work<void> {
  const purged = 'SELECT n FROM sessions WHERE is_purged = 1';
  for (const { n } of yield* all<{ n: number }>(purged)) {
    const base = yield* get<{ last: number | null }>('SELECT max(last) AS last FROM bases WHERE log = ?', n);
    const [, end] = messagesIn(n);
    yield* run('DELETE FROM messages WHERE place > ? AND place <= ?', placeOf(n, base?.last ?? 0), end);
  }
  yield* run(`DELETE FROM sessions WHERE is_purged = 1 AND n NOT IN (SELECT log FROM bases)
    AND n NOT IN (SELECT session FROM events WHERE seq = 0)`);
}

function messagesIn(log: number): [number, number] {
  return [placeOf(log, 0), placeOf(log, Number.MAX_SAFE_INTEGER)];
}

function documentsOf(session: number): [number, number] {
  return [documentPlace(session, 'launch'), documentPlace(session, 'extra')];
}

/** How many bytes of text a session has of its own. */
export function* bytesOf(n: number): Work<number> {
  const row = yield* get<{ bytes: number | null }>(
    `SELECT (SELECT coalesce(sum(length(body)), 0) FROM messages WHERE place >= ? AND place <= ?)
      + (SELECT coalesce(sum(length(body)), 0) FROM events WHERE session = ?)
      + (SELECT coalesce(sum(length(body)), 0) FROM documents WHERE place >= ? AND place <= ?) AS bytes`,
    ...messagesIn(n),
    n,
    ...documentsOf(n),
  );
  return row?.bytes ?? 0;
}
