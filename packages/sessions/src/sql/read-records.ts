import type { JsonObject } from '@amplifier/core';
import { all, type Database, get, type Work } from '../database/database.js';
import { READ_ROWS } from '../defaults.js';
import { damaged, parseText } from '../json-text.js';
import type { SessionEvent, TranscriptLine } from '../records.js';
import { checkRange } from '../refusals.js';
import type { Range } from '../session-store.js';
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

interface MessageRow {
  seq: number;
  body: string;
}

/** So many messages of a session after `after` and before `before`, in order. */
export function* messageRows(
  segments: readonly Segment[],
  after: number,
  before: number,
  limit: number,
): Work<MessageRow[]> {
  const rows: MessageRow[] = [];
  for (const { last, log } of segments) {
    if (last <= after || rows.length >= limit) continue;
    const from = Math.max(after, rows.at(-1)?.seq ?? 0);
    rows.push(
      ...(yield* all<MessageRow>(
        'SELECT seq, body FROM messages WHERE log = ? AND seq > ? AND seq <= ? AND seq < ? ORDER BY seq LIMIT ?',
        log,
        from,
        last,
        before,
        limit - rows.length,
      )),
    );
  }
  return rows;
}

/** The turn that a message belongs to; 0 before the first. */
function* turnAt(segments: readonly Segment[], seq: number): Work<number> {
  const segment = segments.find(({ last }) => seq <= last);
  const row = yield* get<{ turn: number }>(
    'SELECT turn FROM messages WHERE log = ? AND seq = ?',
    segment?.log ?? 0,
    seq,
  );
  return row?.turn ?? 0;
}

/** The last message of a turn, found by halving: turns rise from message to message. */
export function* endOfTurn(segments: readonly Segment[], turn: number, count: number): Work<number> {
  let [low, high] = [0, count];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if ((yield* turnAt(segments, middle)) <= turn) low = middle;
    else high = middle - 1;
  }
  return low;
}

/** The messages of the turn in which a conversation of so many messages ends. */
export function* lastTurn(
  segments: readonly Segment[],
  count: number,
  session_id: string,
): Work<TranscriptLine[]> {
  if (count === 0) return [];
  const turn = yield* turnAt(segments, count);
  const before = turn === 0 ? 0 : yield* endOfTurn(segments, turn - 1, count);
  const rows = yield* messageRows(segments, before, count + 1, count);
  return rows.map((row) => parseMessage(row, session_id));
}

export function parseMessage({ seq, body }: MessageRow, session_id: string): TranscriptLine {
  return parseText<TranscriptLine>(body, session_id, `message ${seq}`);
}

export interface EventRow {
  n: number;
  seq: number;
  body: string;
  plan: string | null;
}

export const EVENT_ROWS =
  'SELECT e.n, e.seq, e.body, p.body AS plan FROM events e LEFT JOIN plans p ON p.hash = e.plan';

export function parseEvent({ seq, body, plan }: EventRow, session_id: string): SessionEvent {
  const event = parseText<SessionEvent>(body, session_id, `event ${seq}`);
  if (plan !== null) event.data.config = parseText<JsonObject>(plan, session_id, `the plan of event ${seq}`);
  return event;
}

/** Messages page by page, so that a long conversation does not hold up the process. */
export async function* messagesOf(
  database: Database,
  { n, session_id, message_count }: SessionRow,
  range: Range = {},
): AsyncGenerator<TranscriptLine[]> {
  checkRange(range);
  const segments = await database.read(() => segmentsOf(n));
  const { after = 0, before = message_count + 1, limit = Number.POSITIVE_INFINITY } = range;
  const end = Math.min(before, message_count + 1, after + limit + 1);
  yield* pages(after, end, session_id, 'message', (from) =>
    database
      .read(() => messageRows(segments, from, end, READ_ROWS))
      .then((rows) => rows.map((row) => parseMessage(row, session_id))),
  );
}

export async function* eventsOf(
  database: Database,
  { n, session_id, event_count }: SessionRow,
  range: Range = {},
): AsyncGenerator<SessionEvent[]> {
  checkRange(range);
  const { after = 0, before = event_count + 1, limit = Number.POSITIVE_INFINITY } = range;
  const end = Math.min(before, event_count + 1, after + limit + 1);
  const sql = `${EVENT_ROWS} WHERE e.session = ? AND e.seq > ? AND e.seq < ? ORDER BY e.seq LIMIT ?`;
  yield* pages(after, end, session_id, 'event', (from) =>
    database
      .read(() => all<EventRow>(sql, n, from, end, READ_ROWS))
      .then((rows) => rows.map((row) => parseEvent(row, session_id))),
  );
}

/** Records from `after` to before `end`. One that is missing is damage, and never looks like the end. */
async function* pages<T extends { seq: number }>(
  after: number,
  end: number,
  session_id: string,
  what: string,
  read: (after: number) => Promise<T[]>,
): AsyncGenerator<T[]> {
  let at = after;
  while (at < end - 1) {
    if (at > after) await new Promise((resolve) => setImmediate(resolve));
    const records = await read(at);
    for (const { seq } of records) {
      if (seq !== at + 1) throw damaged(session_id, `${what} ${at + 1}`, 'it is missing');
      at = seq;
    }
    if (records.length === 0) throw damaged(session_id, `${what} ${at + 1}`, 'it is missing');
    yield records;
  }
}

export async function collect<T>(pagesOf: AsyncIterable<T[]>): Promise<T[]> {
  const found: T[][] = [];
  for await (const page of pagesOf) found.push(page);
  return found.length === 1 ? (found[0] as T[]) : found.flat();
}
