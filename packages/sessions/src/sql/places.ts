import type { DocumentName } from '../records.js';
import { SessionError } from '../session-error.js';

/** So many messages fit into a log. */
const MESSAGES = 2 ** 24;

/** A message by one number, of its log and its seq: a table that has it for a key needs no index beside that. */
export function placeOf(log: number, seq: number): number {
  return log * MESSAGES + Math.min(seq, MESSAGES - 1);
}

export function checkRoom(session_id: string, seq: number): void {
  if (seq < MESSAGES - 1) return;
  const message = `Session ${session_id} is full: a session has up to ${MESSAGES - 2} messages. Fork it or begin another.`;
  throw new SessionError(message, { code: 'INVALID_RECORD', origin: session_id });
}

export type StoredName = DocumentName | 'extra';

/** Where a record keeps the metadata of its plan, which is stored without them. */
export const PLAN_METADATA = 'plan_metadata';

/** In the order of their places. `extra` is the app's own data. */
const DOCUMENTS: readonly StoredName[] = ['launch', 'mount_plan', 'bundle', 'extra'];

export function documentPlace(session: number, name: StoredName): number {
  return session * DOCUMENTS.length + DOCUMENTS.indexOf(name);
}

/** The same as a term of a statement, where `session` is a column. */
export function documentSql(session: string, name: StoredName): string {
  return `${session} * ${DOCUMENTS.length} + ${DOCUMENTS.indexOf(name)}`;
}

export function documentName(place: number): StoredName {
  return DOCUMENTS[place % DOCUMENTS.length] as StoredName;
}
