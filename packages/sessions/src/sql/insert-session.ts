import { type Database, get, run, type SqlValue, type Work } from '../database/database.js';
import { beginSession } from '../draft-session.js';
import type { MailItem } from '../mailbox.js';
import type { RecordSource } from '../number-records.js';
import type { InitialMetadata, SessionContents, SessionMetadata, TranscriptLine } from '../records.js';
import { callTaken, fenced, taken } from '../refusals.js';
import type { Segment } from './read-records.js';
import {
  FOLD_COLUMNS,
  foldValues,
  hasSession,
  LINEAGE_COLUMNS,
  lineageValues,
  statusValues,
  TENANT_OF,
  TRACE_COLUMNS,
} from './session-row.js';
import { type PlanText, recordTexts, storeDocument, storePlans, storeRecords } from './write-records.js';

/** A session on its way into the record, with everything it begins with. */
export interface SessionDraft extends ReturnType<typeof recordTexts> {
  metadata: SessionMetadata;
  /** What the row of the session says with these records. Default: what the metadata says when it is inserted. */
  fold?: readonly SqlValue[];
  bases?: readonly Segment[];
  mail?: readonly Omit<MailItem, 'cursor'>[];
  parent_epoch?: number | undefined;
  /** Who writes it from now on; null: nobody. */
  owner: string | null;
  /** Whose it is, unless that follows from where it comes from. */
  tenant: string;
}

export function draftSession(
  source: RecordSource,
  creation: InitialMetadata,
  contents: SessionContents,
  { process, database }: { process: { id: string }; database: Pick<Database, 'tenant'> },
  cut?: readonly TranscriptLine[],
): SessionDraft {
  const { session_id } = creation;
  const { metadata, parent_epoch, ...records } = beginSession(source, creation, contents, cut);
  const texts = recordTexts({ session_id, ...records });
  return { metadata, parent_epoch, owner: process.id, tenant: database.tenant ?? '', ...texts };
}

const CREATION_COLUMNS = [...LINEAGE_COLUMNS, ...TRACE_COLUMNS];
const COLUMNS = [...CREATION_COLUMNS, ...FOLD_COLUMNS, 'epoch', 'owner', 'owned_since', 'place', 'tenant'];
/** A session belongs to the tenant of the session that it comes from, whose epoch is returned for the check. */
const INSERT = `INSERT INTO sessions (${COLUMNS.join(', ')})
  VALUES (${COLUMNS.slice(1)
    .map(() => '?, ')
    .join('')}${TENANT_OF})
  ON CONFLICT DO NOTHING RETURNING n, tenant,
  (SELECT epoch FROM sessions AS source WHERE source.session_id = ? AND source.deleted IS NULL) AS source_epoch`;

/** All or nothing. Refuses an id, or a tool call, that has a session. */
export function* insertSession(
  draft: SessionDraft,
  stored?: WeakSet<PlanText>,
): Work<{ n: number; tenant: string }> {
  const { metadata, owner, parent_epoch } = draft;
  const { session_id, parent_id, root_id, created, place = null } = metadata;
  const source = parent_id ?? metadata.forked_from?.session_id ?? '';
  const owned = [1, owner, owner === null ? null : created, place];
  const values = [
    ...lineageValues(metadata),
    ...(draft.fold ?? [...foldValues(metadata), ...statusValues(metadata)]),
    ...owned,
    source,
    draft.tenant,
    source,
  ];
  const row = yield* get<{ n: number; tenant: string; source_epoch: number | null }>(INSERT, ...values);
  // One of another tenant may have the id.
  if (!row) throw (yield* whyTaken(metadata)) ?? taken(session_id);
  if (parent_epoch !== undefined && row.source_epoch !== parent_epoch) throw fenced(`Session ${parent_id}`);
  const { n, tenant } = row;
  for (const { last, log } of draft.bases ?? [])
    yield* run('INSERT INTO bases (session, last, log) VALUES (?, ?, ?)', n, last, log);
  yield* storePlans(draft.plans, stored);
  yield* storeRecords({ n, session_id, root_id }, draft.events, draft.messages);
  for (const document of draft.documents) yield* storeDocument(n, document);
  for (const item of draft.mail ?? [])
    yield* run('INSERT INTO mail (session, id, body) VALUES (?, ?, ?)', n, item.id, JSON.stringify(item));
  return { n, tenant };
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
