import { all, conditions, type SqlValue, type Work } from '../database/database.js';
import { DEFAULT_PAGE, MAX_PAGE } from '../defaults.js';
import type { SessionSummary } from '../records.js';
import { notFound, refusal } from '../refusals.js';
import type { SessionPage, SessionQuery } from '../session-store.js';
import { IN_TREE, type SessionRow, summaries } from './session-row.js';

/** Conditions of a query that a column answers as it is. */
const EQUAL = ['agent_name', 'profile_name', 'forked_from', 'imported_from'] as const;

/** A page of a listing, newest first; ids break ties. */
export function* listSessions(query: SessionQuery): Work<SessionPage> {
  const limit = checkLimit(query.limit ?? DEFAULT_PAGE);
  const { where, values } = conditionsOf(query);
  const rest = `${where.join(' AND ')} ORDER BY created DESC, session_id DESC LIMIT ?`;
  const found = yield* summaries(rest, ...values, limit + 1);
  const sessions = found.slice(0, limit);
  const last = sessions.at(-1);
  return { sessions, next_cursor: found.length > limit && last ? encodeCursor(last) : null };
}

function conditionsOf(query: SessionQuery): { where: string[]; values: SqlValue[] } {
  const kept = query.deleted ? 'deleted IS NOT NULL AND is_purged = 0' : 'deleted IS NULL';
  const { where, values, add } = conditions(kept);
  const { project, parent_id, root_id, status, created_after, created_before, cursor } = query;
  if (project != null) add('project = ?', project);
  if (parent_id === null) where.push('parent_id IS NULL');
  else if (parent_id !== undefined) add('parent_id = ?', parent_id);
  if (root_id !== undefined) add(IN_TREE, root_id, root_id);
  for (const column of EQUAL) if (query[column] !== undefined) add(`${column} = ?`, query[column]);
  if (status !== undefined) {
    const statuses = typeof status === 'string' ? [status] : status;
    if (statuses.length === 1) add('status = ?', statuses[0] as string);
    else add(`status IN (${statuses.map(() => '?').join(', ')})`, ...statuses);
  }
  if (created_after !== undefined) add('created >= ?', created_after);
  if (created_before !== undefined) add('created < ?', created_before);
  if (cursor !== undefined) {
    const { created, session_id } = decodeCursor(cursor);
    add('(created, session_id) < (?, ?)', created, session_id);
  }
  return { where, values };
}

/** A place in the order of creation. */
type Age = Pick<SessionSummary, 'created' | 'session_id'>;

function checkLimit(limit: number): number {
  if (Number.isInteger(limit) && limit >= 1 && limit <= MAX_PAGE) return limit;
  const message = `A limit is a whole number from 1 to ${MAX_PAGE}, and this is ${limit}.`;
  throw refusal('INVALID_QUERY', 'limit', message);
}

function encodeCursor({ created, session_id }: Age): string {
  return Buffer.from(JSON.stringify([created, session_id])).toString('base64url');
}

function decodeCursor(cursor: string): Age {
  try {
    const [created, session_id] = JSON.parse(Buffer.from(cursor, 'base64url').toString('utf8'));
    if (typeof created === 'string' && typeof session_id === 'string') return { created, session_id };
  } catch {
    // Falls through to the refusal: whatever it was, it is no cursor of ours.
  }
  throw refusal('INVALID_CURSOR', cursor, `${JSON.stringify(cursor)} is not a cursor of a listing.`);
}

/** The one session whose id begins with a text: of the project when it has any, else of all. */
export function* resolvePrefix(prefix: string, project: string | null): Work<string> {
  const end = `${prefix.slice(0, -1)}${String.fromCharCode(prefix.charCodeAt(prefix.length - 1) + 1)}`;
  const rows = yield* all<Pick<SessionRow, 'session_id' | 'project'>>(
    `SELECT session_id, project FROM sessions WHERE session_id >= ? AND session_id < ? AND deleted IS NULL
      ORDER BY session_id LIMIT 1000`,
    prefix,
    end,
  );
  const own = rows.filter((row) => row.project === project);
  const found = own.length > 0 ? own : rows;
  const [only, second] = found;
  if (!only) throw notFound(prefix);
  if (!second) return only.session_id;
  const which = `${only.session_id} and ${second.session_id}`;
  const message = `${found.length} sessions begin with ${prefix}, among them ${which}. Give more of the id.`;
  throw refusal('SESSION_AMBIGUOUS', prefix, message);
}

/** Every project that has sessions, by its slug. */
export function* listProjects(): Work<string[]> {
  const rows = yield* all<{ project: string }>(
    'SELECT DISTINCT project FROM sessions WHERE project IS NOT NULL AND deleted IS NULL ORDER BY project',
  );
  return rows.map(({ project }) => project);
}
