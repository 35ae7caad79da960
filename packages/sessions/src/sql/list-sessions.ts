import { all, type SqlValue, type Work } from '../database/database.js';
import { DEFAULT_PAGE } from '../defaults.js';
import { checkLimit, decodeCursor, encodeCursor } from '../list-cursor.js';
import type { SessionPage, SessionQuery } from '../session-store.js';
import { type SessionRow, summaryOf } from './session-row.js';

/** Conditions of a query that a column answers as it is. */
const EQUAL = ['root_id', 'agent_name', 'profile_name', 'forked_from', 'imported_from'] as const;

/** A page of a listing, newest first; ids break ties. */
export function* listSessions(query: SessionQuery): Work<SessionPage> {
  const limit = checkLimit(query.limit ?? DEFAULT_PAGE);
  const { where, values } = conditionsOf(query);
  const rows = yield* all<SessionRow>(
    `SELECT * FROM sessions WHERE ${where.join(' AND ')} ORDER BY created DESC, session_id DESC LIMIT ?`,
    ...values,
    limit + 1,
  );
  const sessions = rows.slice(0, limit).map(summaryOf);
  const last = sessions.at(-1);
  return { sessions, next_cursor: rows.length > limit && last ? encodeCursor(last) : null };
}

function conditionsOf(query: SessionQuery): { where: string[]; values: SqlValue[] } {
  const where = ['deleted IS NULL'];
  const values: SqlValue[] = [];
  const add = (condition: string, ...given: SqlValue[]) => {
    where.push(condition);
    values.push(...given);
  };
  const { project, parent_id, status, created_after, created_before, cursor } = query;
  if (project != null) add('project = ?', project);
  if (parent_id === null) where.push('parent_id IS NULL');
  else if (parent_id !== undefined) add('parent_id = ?', parent_id);
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
