import { DEFAULT_PAGE, MAX_PAGE } from './defaults.js';
import type { SessionSummary } from './records.js';
import { SessionError } from './session-error.js';
import type { SessionPage, SessionQuery } from './session-store.js';

/** A page of a listing. `sessions` must be in the order of creation, oldest first; ids break ties. */
export function querySessions(sessions: readonly SessionSummary[], query: SessionQuery): SessionPage {
  const limit = checkLimit(query.limit ?? DEFAULT_PAGE);
  const matches = matcher(query);
  const before = query.cursor === undefined ? null : decodeCursor(query.cursor);
  const page: SessionSummary[] = [];
  let isEnd = true;
  for (let at = sessions.length - 1; at >= 0; at--) {
    const session = sessions[at] as SessionSummary;
    if (before && compareAge(session, before) >= 0) continue;
    if (query.created_before !== undefined && session.created >= query.created_before) continue;
    if (query.created_after !== undefined && session.created < query.created_after) break;
    if (!matches(session)) continue;
    if (page.length === limit) {
      isEnd = false;
      break;
    }
    page.push(session);
  }
  const last = page.at(-1);
  return { sessions: page, next_cursor: isEnd || !last ? null : encodeCursor(last) };
}

/** A place in the order of creation. */
type Age = Pick<SessionSummary, 'created' | 'session_id'>;

export function compareAge(a: Age, b: Age): number {
  if (a.created !== b.created) return a.created < b.created ? -1 : 1;
  if (a.session_id === b.session_id) return 0;
  return a.session_id < b.session_id ? -1 : 1;
}

export function matcher(query: SessionQuery): (session: SessionSummary) => boolean {
  const { status, parent_id, root_id, agent_name, profile_name, forked_from, imported_from } = query;
  const statuses = status === undefined ? null : new Set(typeof status === 'string' ? [status] : status);
  const wanted = { parent_id, root_id, agent_name, profile_name, forked_from, imported_from };
  const equal = Object.entries(wanted).filter(([, value]) => value !== undefined) as [
    keyof SessionSummary,
    string | null,
  ][];
  return (session) =>
    (statuses === null || statuses.has(session.status)) &&
    equal.every(([key, value]) => session[key] === value);
}

export function checkLimit(limit: number): number {
  if (Number.isInteger(limit) && limit >= 1 && limit <= MAX_PAGE) return limit;
  throw new SessionError(`A limit is a whole number from 1 to ${MAX_PAGE}, and this is ${limit}.`, {
    code: 'INVALID_QUERY',
  });
}

export function encodeCursor({ created, session_id }: Age): string {
  return Buffer.from(JSON.stringify([created, session_id])).toString('base64url');
}

export function decodeCursor(cursor: string): Age {
  try {
    const [created, session_id] = JSON.parse(Buffer.from(cursor, 'base64url').toString('utf8'));
    if (typeof created === 'string' && typeof session_id === 'string') return { created, session_id };
  } catch {
    // Falls through to the refusal: whatever it was, it is no cursor of ours.
  }
  throw new SessionError(`${JSON.stringify(cursor)} is not a cursor of a listing.`, {
    code: 'INVALID_CURSOR',
  });
}
