import { MAX_PAGE } from './defaults.js';
import type { SessionSummary } from './records.js';
import { SessionError } from './session-error.js';

/** A place in the order of creation. */
type Age = Pick<SessionSummary, 'created' | 'session_id'>;

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
