import type { JsonObject } from '@amplifier/core';
import { all, get, type SqlValue, type Work } from '../database/database.js';
import { newMetadata } from '../fold-metadata.js';
import { damaged, parseText } from '../json-text.js';
import type {
  SessionBirth,
  SessionEvent,
  SessionMetadata,
  SessionPatch,
  SessionSummary,
} from '../records.js';
import { notFound } from '../refusals.js';

/** A row of `sessions`: where it stands in the tree, what its logs amount to, and who writes it. */
export interface SessionRow {
  n: number;
  session_id: string;
  project: string | null;
  parent_id: string | null;
  root_id: string;
  agent_name: string | null;
  tool_call_id: string | null;
  profile_name: string | null;
  forked_from: string | null;
  imported_from: string | null;
  created: string;
  name: string | null;
  model: string | null;
  status: SessionMetadata['status'];
  interrupted: number;
  error: string | null;
  updated: string;
  started: string | null;
  ended: string | null;
  message_count: number;
  turn_count: number;
  event_count: number;
  agent_invocations: number;
  token_count: number | null;
  mailbox_cursor: number;
  usage: string;
  epoch: number;
  owner: string | null;
  owned_since: string | null;
  owner_lease: number | null;
  lease: number | null;
  deleted: string | null;
}

/** A row with what the metadata is made of beside it. */
interface WholeRow extends SessionRow {
  birth: string | null;
  plan: string | null;
  extra: string | null;
}

const WHOLE = `SELECT s.*, e.body AS birth, p.body AS plan, x.body AS extra
  FROM sessions s LEFT JOIN events e ON e.session = s.n AND e.seq = 1 LEFT JOIN plans p ON p.hash = e.plan
  LEFT JOIN documents x ON x.session = s.n AND x.name = 'extra'`;

export function* findRow(session_id: string): Work<SessionRow | undefined> {
  return yield* get<SessionRow>(
    'SELECT * FROM sessions WHERE session_id = ? AND deleted IS NULL',
    session_id,
  );
}

export function* mustFindRow(session_id: string): Work<SessionRow> {
  const row = yield* findRow(session_id);
  if (!row) throw notFound(session_id);
  return row;
}

export function* findMetadata(session_id: string): Work<{ row: SessionRow; metadata: SessionMetadata }> {
  const row = yield* get<WholeRow>(`${WHOLE} WHERE s.session_id = ? AND s.deleted IS NULL`, session_id);
  if (!row) throw notFound(session_id);
  return { row, metadata: metadataOf(row) };
}

/** The first event says what the session was created with; the row, what has become of it since. */
function metadataOf(row: WholeRow): SessionMetadata {
  const { session_id } = row;
  const event = parseText<SessionEvent>(row.birth, session_id, 'its first event');
  if (typeof event.data !== 'object') throw damaged(session_id, 'its first event', 'it has no data');
  const birth = event.data as unknown as SessionBirth & SessionPatch;
  const config =
    row.plan === null ? (birth.config ?? null) : parseText<JsonObject>(row.plan, session_id, 'its plan');
  const metadata = newMetadata({ ...birth, config });
  metadata.name = row.name;
  metadata.model = row.model;
  metadata.status = row.status;
  metadata.interrupted = row.interrupted === 1;
  metadata.error = row.error === null ? null : parseText(row.error, session_id, 'its error');
  metadata.updated = row.updated;
  metadata.started = row.started;
  metadata.ended = row.ended;
  metadata.message_count = row.message_count;
  metadata.turn_count = row.turn_count;
  metadata.event_count = row.event_count;
  metadata.agent_invocations = row.agent_invocations;
  metadata.token_count = row.token_count;
  metadata.mailbox_cursor = row.mailbox_cursor;
  metadata.usage = parseText(row.usage, session_id, 'its usage');
  if (row.extra !== null) metadata.extra = parseText(row.extra, session_id, 'its data');
  return metadata;
}

/** What changes in a row with each append, in the order of `FOLD_COLUMNS`. */
export const FOLD_COLUMNS = [
  'name',
  'model',
  'status',
  'interrupted',
  'error',
  'updated',
  'started',
  'ended',
  'message_count',
  'turn_count',
  'event_count',
  'agent_invocations',
  'token_count',
  'mailbox_cursor',
  'usage',
] as const;

export function foldValues(metadata: SessionMetadata): SqlValue[] {
  return [
    metadata.name,
    metadata.model,
    metadata.status,
    metadata.interrupted ? 1 : 0,
    metadata.error === null ? null : JSON.stringify(metadata.error),
    metadata.updated,
    metadata.started,
    metadata.ended,
    metadata.message_count,
    metadata.turn_count,
    metadata.event_count,
    metadata.agent_invocations,
    metadata.token_count,
    metadata.mailbox_cursor,
    JSON.stringify(metadata.usage),
  ];
}

export function summaryOf(row: SessionRow): SessionSummary {
  return {
    session_id: row.session_id,
    project: row.project,
    parent_id: row.parent_id,
    root_id: row.root_id,
    agent_name: row.agent_name,
    tool_call_id: row.tool_call_id,
    profile_name: row.profile_name,
    name: row.name,
    status: row.status,
    interrupted: row.interrupted === 1,
    created: row.created,
    updated: row.updated,
    ended: row.ended,
    message_count: row.message_count,
    turn_count: row.turn_count,
    forked_from: row.forked_from,
    imported_from: row.imported_from,
    foreign: false,
  };
}

/** All direct children, oldest first. */
export function* childRows(parent_id: string): Work<SessionRow[]> {
  return yield* all<SessionRow>(
    'SELECT * FROM sessions WHERE parent_id = ? AND deleted IS NULL ORDER BY created, session_id',
    parent_id,
  );
}
