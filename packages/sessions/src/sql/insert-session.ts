import type { JsonObject } from '@amplifier/core';
import { get, run, type Work } from '../database/database.js';
import { countEvents, countMessages, newMetadata, RECORD_EVENTS } from '../fold-metadata.js';
import type { MailItem } from '../mailbox.js';
import { numberEvents, numberMessages, type RecordSource } from '../number-records.js';
import type {
  NewMessage,
  SessionContents,
  SessionCreation,
  SessionMetadata,
  SessionPatch,
} from '../records.js';
import { callTaken, fenced, taken } from '../refusals.js';
import type { Segment } from './read-records.js';
import {
  FOLD_COLUMNS,
  foldValues,
  hasSession,
  LINEAGE_COLUMNS,
  lineageValues,
  TENANT_OF,
} from './session-row.js';
import type { StoreContext } from './store-context.js';
import {
  type DocumentText,
  documentTexts,
  type EventText,
  eventTexts,
  type MessageText,
  messageTexts,
  storeDocument,
  storeEvents,
  storeMessages,
  storePlan,
} from './write-records.js';

/** A session on its way into the record, with everything it begins with. */
export interface SessionDraft {
  metadata: SessionMetadata;
  messages: readonly MessageText[];
  events: readonly EventText[];
  documents: readonly DocumentText[];
  bases?: readonly Segment[];
  mail?: readonly Omit<MailItem, 'cursor'>[];
  parent_epoch?: number | undefined;
  /** Who writes it from now on; null: nobody. */
  owner: string | null;
  /** Whose it is, unless that follows from where it comes from. */
  tenant: string;
}

/** A fork begins with the counts of what it shares, and closes the calls it cut off. */
interface Shared {
  messages: number;
  turns: number;
  closers: readonly NewMessage[];
}

const NOTHING: Shared = { messages: 0, turns: 0, closers: [] };

export function draftSession(
  source: RecordSource,
  creation: SessionCreation & SessionPatch,
  contents: SessionContents,
  { process, database }: Pick<StoreContext, 'process' | 'database'>,
  shared = NOTHING,
): SessionDraft {
  const { session_id, created } = creation;
  const metadata = newMetadata(creation, shared);
  const first = { name: RECORD_EVENTS.CREATED, data: creation as unknown as JsonObject, time: created };
  const events = numberEvents(source, metadata, [first, ...(contents.events ?? [])]);
  const messages = numberMessages(source, metadata, [...shared.closers, ...(contents.messages ?? [])]);
  countEvents(metadata, events);
  countMessages(metadata, messages);
  return {
    metadata,
    parent_epoch: contents.parent_epoch,
    owner: process.id,
    tenant: database.tenant ?? '',
    events: eventTexts(events, session_id),
    messages: messageTexts(messages, session_id),
    documents: documentTexts(contents.documents ?? {}, session_id),
  };
}

const COLUMNS = [...LINEAGE_COLUMNS, ...FOLD_COLUMNS, 'epoch', 'owner', 'owned_since'];
const INSERT = `INSERT INTO sessions (${COLUMNS.join(', ')}, tenant) VALUES (${COLUMNS.map(() => '?').join(', ')}, ${TENANT_OF})
  ON CONFLICT DO NOTHING RETURNING n, tenant`;

/** All or nothing. Refuses an id, or a tool call, that has a session. */
export function* insertSession(draft: SessionDraft): Work<{ n: number; tenant: string }> {
  const { metadata, owner, parent_epoch } = draft;
  const { parent_id } = metadata;
  const held = 'SELECT 1 FROM sessions WHERE session_id = ? AND epoch = ? AND deleted IS NULL';
  if (parent_epoch !== undefined && !(yield* get(held, parent_id, parent_epoch)))
    throw fenced(`Session ${parent_id}`);
  const owned = [1, owner, owner === null ? null : metadata.created];
  const row = yield* get<{ n: number; tenant: string }>(
    INSERT,
    ...lineageValues(metadata),
    ...foldValues(metadata),
    ...owned,
    // What comes of a session belongs to whom that belongs to.
    parent_id ?? metadata.forked_from?.session_id ?? null,
    draft.tenant,
  );
  // One of another tenant may have the id.
  if (!row) throw (yield* whyTaken(metadata)) ?? taken(metadata.session_id);
  const { n } = row;
  if (metadata.place) yield* run('UPDATE sessions SET place = ? WHERE n = ?', metadata.place, n);
  for (const { last, log } of draft.bases ?? [])
    yield* run('INSERT INTO bases (session, last, log) VALUES (?, ?, ?)', n, last, log);
  const plans = [...draft.events, ...draft.documents].flatMap(({ plan }) => plan ?? []);
  for (const plan of new Map(plans.map((each) => [each.hash, each])).values()) yield* storePlan(plan);
  const { session_id } = metadata;
  yield* storeEvents({ n, session_id }, draft.events);
  yield* storeMessages({ n, session_id }, draft.messages);
  for (const document of draft.documents) yield* storeDocument(n, document);
  for (const item of draft.mail ?? [])
    yield* run('INSERT INTO mail (session, id, body) VALUES (?, ?, ?)', n, item.id, JSON.stringify(item));
  return row;
}

type Wanted = Pick<SessionMetadata, 'session_id' | 'parent_id' | 'tool_call_id'>;

/** The id, or the tool call, has a session: which. */
export function* whyTaken({ session_id, parent_id, tool_call_id }: Wanted): Work<Error | null> {
  if (yield* hasSession(session_id)) return taken(session_id);
  const rival = yield* childOfCall(parent_id ?? '', tool_call_id ?? '');
  return rival === null ? null : callTaken(parent_id ?? '', tool_call_id ?? '', rival);
}

export function* childOfCall(parent_id: string, tool_call_id: string): Work<string | null> {
  const sql = 'SELECT session_id FROM sessions WHERE parent_id = ? AND tool_call_id = ? AND deleted IS NULL';
  return (yield* get<{ session_id: string }>(sql, parent_id, tool_call_id))?.session_id ?? null;
}
