import type { JsonObject } from '@amplifier/core';
import { all, type Database, get, type Work } from '../database/database.js';
import { READ_ROWS } from '../defaults.js';
import { damaged, parseText } from '../json-text.js';
import type { DocumentName, Range, SessionEvent, TranscriptLine } from '../records.js';
import { checkRange } from '../refusals.js';
import { documentName, documentPlace, placeOf, type StoredName } from './places.js';
import type { SessionRow } from './session-row.js';
import { wholePlan } from './whole-plan.js';

/** Where the messages up to `last` of a session are. A fork shares the beginning of its conversation with others. */
export interface Segment {
  last: number;
  log: number;
}

export function* segmentsOf(session: number): Work<Segment[]> {
  const bases = yield* all<Segment>('SELECT last, log FROM bases WHERE session = ? ORDER BY last', session);
  return [...bases, { last: Number.MAX_SAFE_INTEGER, log: session }];
}

interface MessageRow {
  seq: number;
  body: string;
}

/** So many messages of a session after `after` and before `before`, in order. */
function* messageRows(
  segments: readonly Segment[],
  after: number,
  before: number,
  limit: number,
): Work<MessageRow[]> {
  const rows: MessageRow[] = [];
  for (const { last, log } of segments) {
    if (last <= after || rows.length >= limit) continue;
    const from = Math.max(after, rows.at(-1)?.seq ?? 0);
    const found = yield* all<{ place: number; body: string }>(
      'SELECT place, body FROM messages WHERE place > ? AND place < ? ORDER BY place LIMIT ?',
      placeOf(log, from),
      placeOf(log, Math.min(last + 1, before)),
      limit - rows.length,
    );
    rows.push(...found.map(({ place, body }) => ({ seq: place - placeOf(log, 0), body })));
  }
  return rows;
}

/** The turn that a message belongs to; 0 before the first. */
function* turnAt(segments: readonly Segment[], seq: number): Work<number> {
  const log = segments.find(({ last }) => seq <= last)?.log ?? 0;
  const sql = 'SELECT turn FROM messages WHERE place = ?';
  return (yield* get<{ turn: number }>(sql, placeOf(log, seq)))?.turn ?? 0;
}

/** A message, and the turn it belongs to. */
interface Mark {
  seq: number;
  turn: number;
}

/**
 * The last message of a turn. Turns rise from message to message, and mostly evenly: where it should be is looked at first, and by
 * turns the middle of what is left, so that neither a long conversation nor an uneven one takes many steps.
 */
export function* endOfTurn(segments: readonly Segment[], turn: number, end: Mark): Work<number> {
  let low: Mark = { seq: 0, turn: 0 };
  let high: Mark = { seq: end.seq + 1, turn: end.turn + 1 };
  for (let step = 0; high.seq - low.seq > 1; step++) {
    const share = step % 3 === 2 ? 0.5 : (turn + 0.5 - low.turn) / (high.turn - low.turn);
    const guess = low.seq + Math.round(share * (high.seq - low.seq));
    const seq = Math.min(Math.max(guess, low.seq + 1), high.seq - 1);
    const mark = { seq, turn: yield* turnAt(segments, seq) };
    if (mark.turn <= turn) low = mark;
    else high = mark;
  }
  return low.seq;
}

/** The messages of the turn in which a conversation of so many messages ends. */
export function* lastTurn(
  segments: readonly Segment[],
  count: number,
  session_id: string,
): Work<TranscriptLine[]> {
  if (count === 0) return [];
  const turn = yield* turnAt(segments, count);
  const before = turn === 0 ? 0 : yield* endOfTurn(segments, turn - 1, { seq: count, turn });
  const rows = yield* messageRows(segments, before, count + 1, count);
  return rows.map((row) => parseMessage(row, session_id));
}

function parseMessage({ seq, body }: MessageRow, session_id: string): TranscriptLine {
  return parseText<TranscriptLine>(body, session_id, `message ${seq}`);
}

export interface EventRow {
  seq: number;
  body: string;
  plan: string | null;
}

/** What an event belongs to is said by the row of its session. */
export function parseEvent(
  { seq, body, plan }: EventRow,
  { session_id, parent_id, root_id }: Pick<SessionRow, 'session_id' | 'parent_id' | 'root_id'>,
): SessionEvent {
  const stored = parseText<SessionEvent>(body, session_id, `event ${seq}`);
  const { id, time, name, data, mailbox_cursor } = stored;
  if (plan !== null) data.config = wholePlan(plan, data, session_id, `the plan of event ${seq}`);
  const event = { seq, id, time, name, session_id, parent_id, root_id, data };
  return mailbox_cursor === undefined ? event : { ...event, mailbox_cursor };
}

export interface DocumentRow {
  name: StoredName;
  body: string | null;
  plan: string | null;
  rights: string | null;
}

const DOCUMENT_ROWS = `SELECT d.place, d.body, p.body AS plan, r.body AS rights
  FROM documents d LEFT JOIN plans p ON p.hash = d.plan LEFT JOIN plans r ON r.hash = d.rights`;

/** The documents of a session, or the one that is wanted; without the app's own data. */
export function* readDocuments(session: number, name?: DocumentName): Work<DocumentRow[]> {
  const [first, last] = [name ?? 'launch', name ?? 'bundle'].map((each) => documentPlace(session, each));
  const sql = `${DOCUMENT_ROWS} WHERE d.place >= ? AND d.place <= ?`;
  const rows = yield* all<Omit<DocumentRow, 'name'> & { place: number }>(sql, first ?? 0, last ?? 0);
  return rows.map(({ place, ...row }) => ({ name: documentName(place), ...row }));
}

export function parseDocument(row: DocumentRow, session_id: string): JsonObject | string {
  const { name, body, plan, rights } = row;
  const place = `the document ${name}`;
  if (name === 'bundle') return body ?? '';
  if (body === null) return parseText<JsonObject>(plan, session_id, place);
  const document = parseText<JsonObject>(body, session_id, place);
  if (plan !== null) document.plan = wholePlan(plan, document, session_id, place);
  if (rights !== null) document.grant = parseText(rights, session_id, place);
  return document;
}

/** What is appended to a session, to be read from any place; a piece at a time, so that a long one does not hold up the process. */
interface Log<T> {
  what: string;
  count: number;
  read(after: number, before?: number): Work<T[]>;
}

const END = Number.MAX_SAFE_INTEGER;

export function* messageLog({ n, session_id, message_count }: SessionRow): Work<Log<TranscriptLine>> {
  const segments = yield* segmentsOf(n);
  return {
    what: 'message',
    count: message_count,
    *read(after, before = END) {
      const rows = yield* messageRows(segments, after, before, READ_ROWS);
      return rows.map((row) => parseMessage(row, session_id));
    },
  };
}

export function* eventLog(session: SessionRow): Work<Log<SessionEvent>> {
  const sql = `SELECT e.seq, e.body, p.body AS plan FROM events e LEFT JOIN plans p ON p.hash = e.plan
    WHERE e.session = ? AND e.seq > ? AND e.seq < ? ORDER BY e.seq LIMIT ?`;
  return {
    what: 'event',
    count: session.event_count,
    *read(after, before = END) {
      const rows = yield* all<EventRow>(sql, session.n, after, before, READ_ROWS);
      return rows.map((row) => parseEvent(row, session));
    },
  };
}

export function messagesOf(database: Database, session: SessionRow, range?: Range) {
  return pages(database, session, messageLog, range);
}

export function eventsOf(database: Database, session: SessionRow, range?: Range) {
  return pages(database, session, eventLog, range);
}

/** The records of a range. One that is missing is damage, and never looks like the end. */
async function* pages<T extends { seq: number }>(
  database: Database,
  session: SessionRow,
  logOf: (session: SessionRow) => Work<Log<T>>,
  range: Range = {},
): AsyncGenerator<T[]> {
  checkRange(range);
  const log = await database.read(() => logOf(session));
  const { after = 0, before = END, limit = END } = range;
  const end = Math.min(before, log.count + 1, after + limit + 1);
  for (let at = after; at < end - 1; ) {
    if (at > after) await new Promise((resolve) => setImmediate(resolve));
    const records = await database.read(() => log.read(at, end));
    for (const { seq } of records.length === 0 ? [{ seq: 0 }] : records) {
      if (seq !== at + 1) throw damaged(session.session_id, `${log.what} ${at + 1}`, 'it is missing');
      at = seq;
    }
    yield records;
  }
}

export async function collect<T>(pagesOf: AsyncIterable<T[]>): Promise<T[]> {
  const found: T[][] = [];
  for await (const page of pagesOf) found.push(page);
  return found.length === 1 ? (found[0] as T[]) : found.flat();
}
