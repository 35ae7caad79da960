import { createHash } from 'node:crypto';
import type { JsonObject } from '@amplifier/core';
import { all, allWithin, type Database, get, type Work } from '../database/database.js';
import { LONG_PARSE_MS, MAX_PAGE, READ_BYTES, READ_ROWS } from '../defaults.js';
import { damaged, parseText } from '../json-text.js';
import type { DocumentName, Range, SessionDocuments, SessionEvent, TranscriptLine } from '../records.js';
import { checkRange } from '../refusals.js';
import { type Lineage, wholeCreation, wholeLaunch } from './lineage.js';
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

/** A part of a log that is read in one go. */
type Piece = Required<Range>;

const MESSAGES = 'SELECT place, body FROM messages WHERE place > ? AND place < ? ORDER BY place LIMIT ?';
const LAST_MESSAGES = MESSAGES.replace('ORDER BY place', 'ORDER BY place DESC');

/** So many messages of a session after `after` and before `before`, in order: the first that fit, or the last. */
function* readMessages(
  session_id: string,
  segments: readonly Segment[],
  { after, before, limit, bytes }: Piece,
  end: 'first' | 'last' = 'first',
): Work<TranscriptLine[]> {
  const found: { seq: number; body: string }[] = [];
  let left = bytes;
  for (const [at, { last, log }] of end === 'first'
    ? segments.entries()
    : [...segments.entries()].reverse()) {
    // The messages of this segment that are wanted.
    const from = Math.max(after, segments[at - 1]?.last ?? 0);
    const to = Math.min(last + 1, before);
    if (to - from <= 1 || found.length >= limit) continue;
    const wanted = Math.min(to - from - 1, limit - found.length);
    const rows = yield* allWithin<{ place: number; body: string }>(
      { bytes: left, columns: ['body'] },
      end === 'first' ? MESSAGES : LAST_MESSAGES,
      placeOf(log, from),
      placeOf(log, to),
      wanted,
    );
    const size = rows.reduce((sum, { body }) => sum + Buffer.byteLength(body), 0);
    // The driver returns at least one row: here it does not fit, and starts the next page.
    if (found.length > 0 && size > left) break;
    for (const { place, body } of rows) found.push({ seq: place - placeOf(log, 0), body });
    left -= size;
    if (rows.length < wanted || left <= 0) break;
  }
  if (end === 'last') found.reverse();
  return parsePage(found, ({ seq, body }) => parseText<TranscriptLine>(body, session_id, `message ${seq}`));
}

/** A page that takes long to parse is the last of this turn of the event loop. */
let turn: Promise<void> | null = null;

function parsePage<Row, T>(rows: readonly Row[], parse: (row: Row) => T): T[] {
  const began = performance.now();
  const records = rows.map(parse);
  if (performance.now() - began > LONG_PARSE_MS)
    turn ??= new Promise((resolve) => {
      setImmediate(() => {
        turn = null;
        resolve();
      });
    });
  return records;
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
  const range = { after, before: count + 1, limit: count, bytes: Number.MAX_SAFE_INTEGER };
  return yield* readMessages(session_id, segments, range);
}

export interface EventRow {
  /** Negative for an event that its session does not number. */
  seq: number;
  body: string;
  plan: string | null;
}

/** What an event belongs to is said by the row of its session. */
export function parseEvent(
  { seq, body, plan }: EventRow,
  session: Lineage & Pick<SessionRow, 'session_id' | 'parent_id' | 'root_id'>,
): SessionEvent {
  const { session_id, parent_id, root_id } = session;
  const stored = parseText<SessionEvent>(body, session_id, `event ${seq}`);
  const { id, time, name, mailbox_cursor } = stored;
  const data = seq === 1 ? wholeCreation(stored.data, session) : stored.data;
  if (plan !== null) data.config = wholePlan(plan, data, session_id, `the plan of event ${seq}`);
  const event = { seq: Math.max(seq, 0), id, time, name, session_id, parent_id, root_id, data };
  return mailbox_cursor === undefined ? event : { ...event, mailbox_cursor };
}

type DocumentRow = Record<'body' | 'plan' | 'rights', string | null>;

const DOCUMENT_ROWS = `SELECT d.place, d.body, p.body AS plan, r.body AS rights
  FROM documents d LEFT JOIN plans p ON p.hash = d.plan LEFT JOIN plans r ON r.hash = d.rights
  WHERE d.place >= ? AND d.place <= ?`;

/** The documents of a session, or the one that is wanted; without the app's own data. */
export function* readDocuments(session: SessionRow, wanted?: DocumentName): Work<SessionDocuments> {
  const { n, session_id } = session;
  const places = [documentPlace(n, wanted ?? 'launch'), documentPlace(n, wanted ?? 'bundle')];
  const rows = yield* all<DocumentRow & { place: number }>(DOCUMENT_ROWS, ...places);
  const named = rows.map((row) => ({ ...row, name: documentName(row.place) }));
  return Object.fromEntries(
    named.map((row) => [row.name, wholeDocument(row.name, row, session_id, session)]),
  );
}

const DOCUMENT_TEXTS = 'SELECT place, body, plan, rights FROM documents WHERE place BETWEEN ? AND ?';

/** Of the texts as they are stored: nothing is parsed. */
export function* documentsDigest({ n }: SessionRow): Work<string> {
  const rows = yield* all<object>(DOCUMENT_TEXTS, documentPlace(n, 'launch'), documentPlace(n, 'bundle'));
  return createHash('sha256').update(JSON.stringify(rows)).digest('hex');
}

/** A document of the parts it is stored in; without its plan where that is left out. */
export function wholeDocument(
  name: StoredName,
  row: DocumentRow,
  session_id: string,
  session?: Lineage,
): JsonObject | string {
  const { body, plan, rights } = row;
  const place = `the document ${name}`;
  if (name === 'bundle') return body ?? '';
  if (body === null) return parseText<JsonObject>(plan, session_id, place);
  const document = parseText<JsonObject>(body, session_id, place);
  if (plan !== null) document.plan = wholePlan(plan, document, session_id, place);
  if (rights !== null) document.grant = parseText(rights, session_id, place);
  delete document[PLAN_METADATA];
  return name === 'launch' && session ? wholeLaunch(document, session) : document;
}

/** Reads a part of what was appended to a session. */
type Read<T> = (piece: Piece) => Work<T[]>;

const END = Number.MAX_SAFE_INTEGER;

/** The default piece: bounded, so that a long log blocks neither the event loop nor memory. */
export function pieceAfter(after: number): Piece {
  return { after, before: END, limit: READ_ROWS, bytes: READ_BYTES };
}

export function messageLog({ n, session_id }: SessionRow): Read<TranscriptLine> {
  let segments: Segment[] | undefined;
  return function* (piece) {
    segments ??= yield* segmentsOf(n);
    return yield* readMessages(session_id, segments, piece);
  };
}

const EVENTS = `SELECT e.seq, e.body, p.body AS plan FROM events e LEFT JOIN plans p ON p.hash = e.plan
  WHERE e.session = ? AND e.seq > ? AND e.seq < ? ORDER BY e.seq LIMIT ?`;

export function eventLog(session: SessionRow): Read<SessionEvent> {
  return function* ({ after, before, limit, bytes }) {
    const within = { bytes, columns: ['body', 'plan'] };
    const rows = yield* allWithin<EventRow>(within, EVENTS, session.n, after, before, limit);
    return parsePage(rows, (row) => parseEvent(row, session));
  };
}

export function messagesOf(database: Database, session: SessionRow, range?: Range) {
  return pages(database, session, 'message', messageLog(session), range);
}

export function eventsOf(database: Database, session: SessionRow, range?: Range) {
  return pages(database, session, 'event', eventLog(session), range);
}

/** The last messages of a range, in order. */
export async function* lastMessagesOf(database: Database, session: SessionRow, range: Range) {
  checkRange(range);
  const { before = END, limit = END, bytes } = range;
  const { n, session_id, message_count } = session;
  const end = Math.min(before, message_count + 1);
  const after = Math.max(0, end - 1 - limit);
  if (bytes === undefined) return yield* messagesOf(database, session, { after, before: end });
  if (end <= 1) return;
  const piece = { after, before: end, limit: Math.min(limit, MAX_PAGE), bytes };
  await untilTurn();
  const lines = await database.read(function* () {
    return yield* readMessages(session_id, yield* segmentsOf(n), piece, 'last');
  });
  if (lines.length === 0) throw missing(session, 'message', end - 1);
  checkSeqs(session, 'message', lines, end - 1 - lines.length);
  yield lines;
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
  const { after = 0, before = END, limit = END, bytes } = range;
  const end = Math.min(before, session[`${what}_count`] + 1, after + limit + 1);
  for (let at = after; at < end - 1; ) {
    if (at > after) await new Promise((resolve) => setImmediate(resolve));
    await untilTurn();
    const piece =
      bytes === undefined
        ? { ...pieceAfter(at), before: end }
        : { after: at, before: end, limit: Math.min(end - 1 - at, MAX_PAGE), bytes };
    const records = await database.read(() => read(piece));
    if (records.length === 0) throw missing(session, what, at + 1);
    checkSeqs(session, what, records, at);
    at += records.length;
    yield records;
    if (bytes !== undefined) return;
  }
}

async function untilTurn(): Promise<void> {
  while (turn) await turn;
}

/** Throws unless the seqs follow `after` without a gap. */
function checkSeqs(
  session: SessionRow,
  what: 'message' | 'event',
  records: readonly { seq: number }[],
  after: number,
): void {
  for (const [at, { seq }] of records.entries())
    if (seq !== after + at + 1) throw missing(session, what, after + at + 1);
}

function missing({ session_id }: SessionRow, what: string, seq: number) {
  return damaged(session_id, `${what} ${seq}`, 'it is missing');
}

export async function collect<T>(pagesOf: AsyncIterable<T[]>): Promise<T[]> {
  const found: T[] = [];
  for await (const page of pagesOf) for (const each of page) found.push(each);
  return found;
}
