import { allWithin, change, get, type SqlValue, table, type Work } from '../database/database.js';
import { newMetadata } from '../fold-metadata.js';
import { damaged, parseText } from '../json-text.js';
import type {
  InitialMetadata,
  SessionEvent,
  SessionMetadata,
  SessionOutline,
  SessionSummary,
  SessionVersion,
} from '../records.js';
import { notFound } from '../refusals.js';
import { wholeCreation } from './lineage.js';
import { wholePlan } from './places.js';

/** What a session is created with, in the order of `lineageValues`, which `TRACE_COLUMNS` follow there. */
const LINEAGE =
  'session_id project parent_id root_id agent_name tool_call_id profile_name created forked_from imported_from';
export const LINEAGE_COLUMNS = LINEAGE.split(' ') as readonly (keyof SummaryRow)[];

/** The same, in rows since schema 11; the first event of an earlier session has it. */
export const TRACE_COLUMNS: readonly (keyof SessionRow)[] = ['trace_id', 'depth', 'parallel_group_id'];

/** What appends change and is stored as it is. */
const PLAIN =
  'name model updated started ended message_count turn_count event_count agent_invocations token_count mailbox_cursor';
const PLAIN_COLUMNS = PLAIN.split(' ') as readonly (keyof SessionRow & keyof SessionMetadata)[];

/** What a change of the status changes, in the order of `statusValues`. */
const STATUS_COLUMNS: readonly string[] = ['status', 'last_outcome'];

/** What appends change, in the order of `foldValues` and `statusValues`. */
export const FOLD_COLUMNS: readonly string[] = [
  ...PLAIN_COLUMNS,
  'interrupted',
  'error',
  'usage',
  ...STATUS_COLUMNS,
];

const LISTED = 'name status updated ended message_count turn_count interrupted'.split(' ');

/** What a listing shows. */
export const SUMMARY_COLUMNS = [...LINEAGE_COLUMNS, ...LISTED] as readonly (keyof SummaryRow)[];

type SummaryRow = Omit<SessionSummary, 'interrupted'> & { interrupted: number };

type Trace = 'trace_id' | 'depth' | 'parallel_group_id';
type Plain = 'model' | 'started' | 'event_count' | 'agent_invocations' | 'token_count' | 'mailbox_cursor';

/** A row of `sessions`: where it stands in the tree, what its logs amount to, and who writes it. */
export interface SessionRow extends SummaryRow, Pick<SessionMetadata, Plain | Trace> {
  n: number;
  error: string | null;
  usage: string;
  last_outcome: string | null;
  epoch: number;
  owner: string | null;
  owned_since: string | null;
  owner_lease: number | null;
  lease: number | null;
  deleted: string | null;
  tenant: string;
}

/** A row with what the metadata is made of beside it. */
interface WholeRow extends SessionRow {
  creation: string | null;
  plan?: string | null;
  extra: string | null;
}

/** `extra` has its place by `documentPlace`. */
const WHOLE = `SELECT s.*, e.body AS creation, p.body AS plan, x.body AS extra
  FROM sessions s LEFT JOIN events e ON e.session = s.n AND e.seq = 1 LEFT JOIN plans p ON p.hash = e.plan
  LEFT JOIN documents x ON x.place = s.n * 4 + 3`;

export function* mustFindRow(session_id: string): Work<SessionRow> {
  const sql = 'SELECT * FROM sessions WHERE session_id = ? AND deleted IS NULL';
  const row = yield* get<SessionRow>(sql, session_id);
  if (!row) throw notFound(session_id);
  return row;
}

/** Whose a session is; where there is no such session, what comes as the second value. */
export const TENANT_OF =
  'coalesce((SELECT tenant FROM sessions WHERE session_id = ? AND deleted IS NULL), ?)';

export function* hasSession(session_id: string): Work<boolean> {
  const row = yield* get('SELECT 1 FROM sessions WHERE session_id = ? AND deleted IS NULL', session_id);
  return row !== undefined;
}

export function* findMetadata(session_id: string): Work<{ row: SessionRow; metadata: SessionMetadata }> {
  const row = yield* get<WholeRow>(`${WHOLE} WHERE s.session_id = ? AND s.deleted IS NULL`, session_id);
  if (!row) throw notFound(session_id);
  return { row, metadata: metadataOf(row) };
}

const VERSION = `SELECT session_id, created, event_count, message_count FROM sessions
  WHERE session_id = ? AND deleted IS NULL`;

export function* findVersion(session_id: string): Work<SessionVersion> {
  const row = yield* get<SessionVersion>(VERSION, session_id);
  if (!row) throw notFound(session_id);
  return { ...row };
}

/** The first event says what the session was created with; the row, what has become of it since. */
function metadataOf(row: WholeRow): SessionMetadata {
  const { session_id } = row;
  const event = parseText<SessionEvent>(row.creation, session_id, 'its first event');
  if (typeof event.data !== 'object') throw damaged(session_id, 'its first event', 'it has no data');
  if (row.plan != null) event.data.config = wholePlan(row.plan, event.data, session_id, 'its plan');
  const creation = wholeCreation(event.data as unknown as InitialMetadata, row);
  const metadata = newMetadata({ ...creation, config: creation.config ?? null });
  Object.assign(metadata, pick(row, PLAIN_COLUMNS));
  metadata.status = row.status;
  metadata.interrupted = row.interrupted === 1;
  metadata.error = row.error === null ? null : parseText(row.error, session_id, 'its error');
  metadata.usage = parseText(row.usage, session_id, 'its usage');
  metadata.last_outcome =
    row.last_outcome === null ? null : parseText(row.last_outcome, session_id, 'its last outcome');
  if (row.tenant !== '') metadata.tenant = row.tenant;
  if (row.extra !== null) metadata.extra = parseText(row.extra, session_id, 'its data');
  return metadata;
}

export function lineageValues(metadata: SessionMetadata): SqlValue[] {
  const { forked_from, imported_from } = metadata;
  const values: SqlValue[] = [];
  for (const name of LINEAGE_COLUMNS.slice(0, -2)) values.push(metadata[name] as SqlValue);
  values.push(forked_from?.session_id ?? null, imported_from?.session_id ?? null);
  values.push(metadata.trace_id, metadata.depth, metadata.parallel_group_id);
  return values;
}

export function foldValues(metadata: SessionMetadata): SqlValue[] {
  const { interrupted, error, usage } = metadata;
  const values: SqlValue[] = [];
  for (const name of PLAIN_COLUMNS) values.push(metadata[name] as SqlValue);
  const errorText = error === null ? null : JSON.stringify(error);
  values.push(interrupted ? 1 : 0, errorText, JSON.stringify(usage));
  return values;
}

export function statusValues({ status, last_outcome }: SessionMetadata): SqlValue[] {
  return [status, last_outcome === null ? null : JSON.stringify(last_outcome)];
}

/** What a write does to the row of its session: false where the right to write it was given to another. */
export function* updateFold(
  { n, epoch }: { n: number; epoch: number },
  { row, status, isLast }: FoldChange,
): Work<boolean> {
  // The status is part of an index, which is left alone where it stays as it is.
  const update = UPDATES[Number(status !== null)]?.[Number(isLast)] ?? '';
  return (yield change(update, ...(row ?? []), ...(status ?? []), n, epoch)) !== 0;
}

export interface FoldChange {
  /** `foldValues` */
  row: readonly SqlValue[] | null;
  /** `statusValues`, where they change. */
  status: readonly SqlValue[] | null;
  /** The session is given back. */
  isLast: boolean;
}

/** By whether the status changes, and whether the session is given back. */
const UPDATES = [FOLD_COLUMNS.slice(0, -STATUS_COLUMNS.length), FOLD_COLUMNS].map((columns) => {
  const set = columns.map((name) => `${name} = ?`).join(', ');
  return ['', ', owner = NULL'].map((free) => `UPDATE sessions SET ${set}${free} WHERE n = ? AND epoch = ?`);
});

export function summaryOf(row: SummaryRow): SessionSummary {
  return { ...pick(row, SUMMARY_COLUMNS), interrupted: row.interrupted === 1 };
}

/** What listings show of the sessions that `rest` of the statement chooses. */
export function* summaries(rest: string, ...values: SqlValue[]): Work<SessionSummary[]> {
  return (yield* table<SummaryRow>(SUMMARY_COLUMNS, `FROM sessions WHERE ${rest}`, ...values)).map(summaryOf);
}

const OUTLINE_COLUMNS = [
  'n',
  ...LINEAGE_COLUMNS,
  ...TRACE_COLUMNS,
  ...FOLD_COLUMNS,
  'tenant',
  'creation',
  'extra',
];
const VERSION_COLUMNS = ['n', 'session_id', 'created', 'event_count', 'message_count'];

/** Rows that are read whole with one statement. */
const READ_TOGETHER = 16;
const TOGETHER = `n IN (${Array(READ_TOGETHER).fill('?').join(', ')}) ORDER BY created DESC, session_id DESC`;

/** A listed session: its outline, a summary where its record is damaged, or what is recalled of this version of it. */
interface ListedOutline<Known> extends SessionVersion {
  /** Undefined beyond the bytes of the page. */
  outline: SessionOutline | SessionSummary | Known | undefined;
}

/**
 * Reads what listings show with all but the plans, newest first, until the bytes are used up. Sessions of which `recall` knows this
 * version are not read.
 */
export function outlinesBut<Known extends string>(
  recall: (version: SessionVersion) => Known | undefined,
  bytes = Number.MAX_SAFE_INTEGER,
) {
  return function* (rest: string, ...values: SqlValue[]): Work<ListedOutline<Known>[]> {
    const from = `FROM sessions WHERE ${rest}`;
    const rows = yield* table<SessionVersion & { n: number }>(VERSION_COLUMNS, from, ...values);
    const listed = rows.map((row): ListedOutline<Known> & { n: number } => ({
      ...row,
      outline: recall(row),
    }));
    let left = bytes;
    for (let at = 0; at < listed.length; at += READ_TOGETHER) {
      const some = listed.slice(at, at + READ_TOGETHER);
      const sizes = yield* readUnknown(some, left);
      for (const [place, each] of some.entries()) {
        left -= sizes.get(each.n) ?? (typeof each.outline === 'string' ? each.outline.length : 0);
        const isFirst = at + place === 0;
        if (each.outline !== undefined && (left >= 0 || isFirst)) continue;
        for (const beyond of listed.slice(at + place)) beyond.outline = undefined;
        return listed;
      }
    }
    return listed;
  };
}

/** Gives those that are not known their outlines, as many as fit, and returns the sizes of their texts. */
function* readUnknown<Known>(
  some: readonly (ListedOutline<Known> & { n: number })[],
  bytes: number,
): Work<Map<number, number>> {
  const unknown = some.filter(({ outline }) => outline === undefined).map(({ n }) => n);
  const padded = [...unknown, ...Array(READ_TOGETHER - unknown.length).fill(unknown[0])];
  const rows = unknown.length === 0 ? [] : yield* wholeRows(Math.max(bytes, 0), TOGETHER, ...padded);
  const found = new Map(rows.map((row) => [row.n, row]));
  for (const each of some) {
    const row = found.get(each.n);
    if (row) each.outline = outlineOf(row);
  }
  return new Map(
    rows.map((row) => [
      row.n,
      OUTLINE_TEXTS.reduce((sum, name) => sum + Buffer.byteLength(row[name] ?? ''), 0),
    ]),
  );
}

/** What the size of an outline depends on. */
const OUTLINE_TEXTS = ['creation', 'extra', 'error', 'usage', 'last_outcome'] as const;

/** Without the plans, a join that databases leave out where nothing of it is asked. */
function wholeRows(bytes: number, rest: string, ...values: SqlValue[]): Work<WholeRow[]> {
  const sql = `SELECT ${OUTLINE_COLUMNS.join(', ')} FROM (${WHOLE}) AS whole WHERE ${rest}`;
  return allWithin<WholeRow>({ bytes, columns: OUTLINE_TEXTS }, sql, ...values);
}

function outlineOf(row: WholeRow): SessionOutline | SessionSummary {
  try {
    return metadataOf(row);
  } catch {
    return summaryOf(row);
  }
}

/** The sessions of a tree, by the id of its root, which is given twice. */
export const IN_TREE = `n IN (SELECT n FROM sessions WHERE session_id = ? AND deleted IS NULL
  UNION ALL SELECT n FROM sessions WHERE root_id = ? AND root_id <> session_id)`;

/** All direct children, oldest first. */
export const CHILDREN = 'parent_id = ? AND deleted IS NULL ORDER BY created, session_id';

function pick<Row extends object, Name extends keyof Row>(row: Row, names: readonly Name[]): Pick<Row, Name> {
  const picked = {} as Pick<Row, Name>;
  for (const name of names) picked[name] = row[name];
  return picked;
}
