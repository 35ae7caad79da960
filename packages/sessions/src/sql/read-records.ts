import type { JsonObject } from '@amplifier/core';
import { all, type Database, get, type Work } from '../database/database.js';
import { READ_ROWS } from '../defaults.js';
import { damaged, parseText } from '../json-text.js';
import type { DocumentName, Range, SessionDocuments, SessionEvent, TranscriptLine } from '../records.js';
import { checkRange } from '../refusals.js';
import { documentName, documentPlace, PLAN_METADATA, placeOf, type StoredName, wholePlan } from './places.js';
import type { SessionRow } from './session-row.js';

/** Where the messages up to `last` of a session are. A fork shares the beginning of its conversation with others. */
export interface Segment {
  last: number;
  log: number;
}

export function* segmentsOf(session: number): Work<Segment[]> {
  const bases = yield* all<Segment>('SELECT last, log FROM bases WHERE session = ? ORDER BY last', session);
  return [...bases, { last: Number.MAX_SAFE_INTEGER, log: session }];
}

/** So many messages of a session after `after` and before `before`, in order. */
function* readMessages(session_id: string, segments: readonly Segment[], range: Required<Range>) {
  const { after, before, limit } = range;
  const lines: TranscriptLine[] = [];
  for (const { last, log } of segments) {
    if (last <= after || lines.length >= limit) continue;
    const rows = yield* all<{ place: number; body: string }>(
      'SELECT place, body FROM messages WHERE place > ? AND place < ? ORDER BY place LIMIT ?',
      placeOf(log, after),
      placeOf(log, Math.min(last + 1, before)),
      limit - lines.length,
    );
    for (const { place, body } of rows)
      lines.push(parseText(body, session_id, `message ${place - placeOf(log, 0)}`));
  }
  return lines;
}

/** The turn that a message belongs to; 0 before the first. */
function* turnAt(segments: readonly Segment[], seq: number): Work<number> {
  const place = placeOf(segments.find(({ last }) => seq <= last)?.log ?? 0, seq);
  return (yield* get<{ turn: number }>('SELECT turn FROM messages WHERE place = ?', place))?.turn ?? 0;
}

/** Where a turn has come to. */
type Mark = Pick<TranscriptLine, 'seq' | 'turn'>;

/** The last message of a turn. It is looked for where it should be if turns are even, and now and then in the middle, lest they are not. */
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
export function* lastTurn(segments: readonly Segment[], count: number, session_id: string) {
  if (count === 0) return [];
  const turn = yield* turnAt(segments, count);
  const after = turn === 0 ? 0 : yield* endOfTurn(segments, turn - 1, { seq: count, turn });
  return yield* readMessages(session_id, segments, { after, before: count + 1, limit: count });
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

type DocumentRow = Record<'body' | 'plan' | 'rights', string | null>;

const DOCUMENT_ROWS = `SELECT d.place, d.body, p.body AS plan, r.body AS rights
  FROM documents d LEFT JOIN plans p ON p.hash = d.plan LEFT JOIN plans r ON r.hash = d.rights
  WHERE d.place >= ? AND d.place <= ?`;

/** The documents of a session, or the one that is wanted; without the app's own data. */
export function* readDocuments({ n, session_id }: SessionRow, wanted?: DocumentName): Work<SessionDocuments> {
  const places = [documentPlace(n, wanted ?? 'launch'), documentPlace(n, wanted ?? 'bundle')];
  const rows = yield* all<DocumentRow & { place: number }>(DOCUMENT_ROWS, ...places);
  const named = rows.map((row) => ({ ...row, name: documentName(row.place) }));
  return Object.fromEntries(named.map((row) => [row.name, wholeDocument(row.name, row, session_id)]));
}

/** A document of the parts it is stored in; without its plan where that is left out. */
export function wholeDocument(name: StoredName, row: DocumentRow, session_id: string): JsonObject | string {
  const { body, plan, rights } = row;
  const place = `the document ${name}`;
  if (name === 'bundle') return body ?? '';
  if (body === null) return parseText<JsonObject>(plan, session_id, place);
  const document = parseText<JsonObject>(body, session_id, place);
  if (plan !== null) document.plan = wholePlan(plan, document, session_id, place);
  if (rights !== null) document.grant = parseText(rights, session_id, place);
  delete document[PLAN_METADATA];
  return document;
}

/** Reads what was appended to a session a piece at a time, so that a long one does not hold up the process. */
type Read<T> = (after: number, before?: number) => Work<T[]>;

const END = Number.MAX_SAFE_INTEGER;

export function messageLog({ n, session_id }: SessionRow): Read<TranscriptLine> {
  let segments: Segment[] | undefined;
  return function* (after, before = END) {
    segments ??= yield* segmentsOf(n);
    return yield* readMessages(session_id, segments, { after, before, limit: READ_ROWS });
  };
}

const EVENTS = `SELECT e.seq, e.body, p.body AS plan FROM events e LEFT JOIN plans p ON p.hash = e.plan
  WHERE e.session = ? AND e.seq > ? AND e.seq < ? ORDER BY e.seq LIMIT ?`;

export function eventLog(session: SessionRow): Read<SessionEvent> {
  return function* (after, before = END) {
    const rows = yield* all<EventRow>(EVENTS, session.n, after, before, READ_ROWS);
    return rows.map((row) => parseEvent(row, session));
  };
}

export function messagesOf(database: Database, session: SessionRow, range?: Range) {
  return pages(database, session, 'message', messageLog(session), range);
}

export function eventsOf(database: Database, session: SessionRow, range?: Range) {
  return pages(database, session, 'event', eventLog(session), range);
}

/** The records of a range. One that is missing is damage, and never looks like the end. */
async function* pages<T extends { seq: number }>(
  database: Database,
  session: SessionRow,
  what: 'message' | 'event',
  read: Read<T>,
  range: Range = {},
): AsyncGenerator<T[]> {
  checkRange(range);
  const { after = 0, before = END, limit = END } = range;
  const end = Math.min(before, session[`${what}_count`] + 1, after + limit + 1);
  for (let at = after; at < end - 1; ) {
    if (at > after) await new Promise((resolve) => setImmediate(resolve));
    const records = await database.read(() => read(at, end));
    for (const { seq } of records.length === 0 ? [{ seq: 0 }] : records) {
      if (seq !== at + 1) throw damaged(session.session_id, `${what} ${at + 1}`, 'it is missing');
      at = seq;
    }
    yield records;
  }
}

export async function collect<T>(pagesOf: AsyncIterable<T[]>): Promise<T[]> {
  const found: T[] = [];
  for await (const page of pagesOf) found.push(...page);
  return found;
}
