import { all, get, run, type SqlValue, type Work } from '../database/database.js';
import type { Letter } from '../mailbox.js';
import type { SessionMetadata } from '../records.js';
import { callTaken, taken } from '../refusals.js';
import { type DocumentText, storeDocument } from './documents.js';
import type { Segment } from './read-records.js';
import { FOLD_COLUMNS, findRow, foldValues } from './session-row.js';
import { type EventText, type MessageText, storeEvents, storeMessages } from './write-records.js';

/** A session on its way into the record, with everything it begins with. */
export interface SessionDraft {
  metadata: SessionMetadata;
  messages: readonly MessageText[];
  events: readonly EventText[];
  documents: readonly DocumentText[];
  bases?: readonly Segment[];
  letters?: readonly Omit<Letter, 'cursor'>[];
  /** Who writes it from now on; null: nobody. */
  owner: string | null;
}

const COLUMNS = [
  'session_id',
  'project',
  'parent_id',
  'root_id',
  'agent_name',
  'tool_call_id',
  'profile_name',
  'forked_from',
  'imported_from',
  'created',
  ...FOLD_COLUMNS,
  'epoch',
  'owner',
  'owned_since',
];

const INSERT = `INSERT INTO sessions (${COLUMNS.join(', ')}) VALUES (${COLUMNS.map(() => '?').join(', ')}) RETURNING n`;

/** All or nothing. Refuses an id, or a tool call, that has a session. */
export function* insertSession(draft: SessionDraft): Work<number> {
  const { metadata, owner } = draft;
  const { session_id, parent_id, tool_call_id } = metadata;
  if (yield* findRow(session_id)) throw taken(session_id);
  if (parent_id !== null && tool_call_id !== null) {
    const rival = yield* childOfCall(parent_id, tool_call_id);
    if (rival !== null) throw callTaken(parent_id, tool_call_id, rival);
  }
  const values: SqlValue[] = [
    session_id,
    metadata.project,
    parent_id,
    metadata.root_id,
    metadata.agent_name,
    tool_call_id,
    metadata.profile_name,
    metadata.forked_from?.session_id ?? null,
    metadata.imported_from?.session_id ?? null,
    metadata.created,
    ...foldValues(metadata),
    1,
    owner,
    owner === null ? null : metadata.created,
  ];
  const row = yield* get<{ n: number }>(INSERT, ...values);
  const n = row?.n ?? 0;
  for (const { last, log } of draft.bases ?? [])
    yield* run('INSERT INTO bases (session, last, log) VALUES (?, ?, ?)', n, last, log);
  yield* storeEvents(n, draft.events);
  yield* storeMessages(n, draft.messages);
  for (const document of draft.documents) yield* storeDocument(n, document);
  for (const letter of draft.letters ?? [])
    yield* run('INSERT INTO mail (session, id, body) VALUES (?, ?, ?)', n, letter.id, JSON.stringify(letter));
  return n;
}

export function* childOfCall(parent_id: string, tool_call_id: string): Work<string | null> {
  const row = yield* get<{ session_id: string }>(
    'SELECT session_id FROM sessions WHERE parent_id = ? AND tool_call_id = ? AND deleted IS NULL',
    parent_id,
    tool_call_id,
  );
  return row?.session_id ?? null;
}

/** Where the conversation of a fork comes from: as much of the source's segments as it keeps. */
export function sharedSegments(segments: readonly Segment[], kept: number): Segment[] {
  const shared: Segment[] = [];
  for (const { last, log } of segments) {
    if (kept > 0) shared.push({ last: Math.min(last, kept), log });
    if (last >= kept) break;
  }
  return shared;
}

export function* lettersOf(session: number): Work<{ n: number; body: string }[]> {
  return yield* all('SELECT n, body FROM mail WHERE session = ? ORDER BY n', session);
}
