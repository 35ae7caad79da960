import { MAX_PAGE } from './defaults.js';
import type { SessionSummary } from './records.js';
import { notFound, refusal } from './refusals.js';
import type { SessionPage } from './session-store.js';

export type Listed = Pick<SessionSummary, 'created' | 'session_id'>;
export type Named = Pick<SessionSummary, 'session_id' | 'project'>;

/** The first of what was found, one more than fits into a page. */
export function pageOf<Of extends Listed>(found: readonly Of[], limit: number): SessionPage<Of> {
  const sessions = found.slice(0, limit);
  const last = sessions.at(-1);
  const next = found.length > limit && last ? JSON.stringify([last.created, last.session_id]) : null;
  return { sessions, next_cursor: next && Buffer.from(next).toString('base64url') };
}

export function checkLimit(limit: number): void {
  if (Number.isInteger(limit) && limit >= 1 && limit <= MAX_PAGE) return;
  const message = `A limit is a whole number from 1 to ${MAX_PAGE}, and this is ${limit}.`;
  throw refusal('INVALID_QUERY', 'limit', message);
}

/** When the last session of a page was created, and its id. */
export function parseListCursor(cursor: string): [string, string] {
  try {
    const [created, session_id] = JSON.parse(Buffer.from(cursor, 'base64url').toString('utf8'));
    if (typeof created === 'string' && typeof session_id === 'string') return [created, session_id];
  } catch {
    // Falls through to the refusal: whatever it was, it is no cursor of ours.
  }
  throw refusal('INVALID_CURSOR', cursor, `${JSON.stringify(cursor)} is not a cursor of a listing.`);
}

/** The session that a prefix names among all that begin with it. */
export function onlyOne(prefix: string, project: string | null, rows: readonly Named[]): string {
  const own = rows.filter((row) => row.project === project);
  const found = own.length > 0 ? own : rows;
  const [only, second] = found;
  if (!only) throw notFound(prefix);
  if (!second) return only.session_id;
  const which = `${only.session_id} and ${second.session_id}`;
  const message = `${found.length} sessions begin with ${prefix}, among them ${which}. Give more of the id.`;
  throw refusal('SESSION_AMBIGUOUS', prefix, message);
}
