import { allWithin, type Database, get, type SqlValue, type Work } from '../database/database.js';
import { parseFeedCursor } from '../feed-cursor.js';
import { parseText } from '../json-text.js';
import { newsOf } from '../news.js';
import { MOST_MESSAGES } from '../number-records.js';
import type { TranscriptLine } from '../records.js';
import type {
  FeedEntry,
  FeedMessage,
  FeedOptions,
  FeedScope,
  FollowFeed,
  SessionChange,
} from '../session-store.js';
import { TOPIC_FEED } from '../topic-names.js';
import { LINEAGE_OF_SESSION, type Lineage } from './lineage.js';
import { type EventRow, eventLog, messageLog, parseEvent, pieceAfter } from './read-records.js';
import { mustFindRow, type SessionRow } from './session-row.js';

/** What is appended to a session, events before messages where both are new. */
export async function* followSession(
  database: Database,
  session: SessionRow,
  options: { after_message?: number; after_event?: number; signal?: AbortSignal },
): AsyncGenerator<SessionChange> {
  const { signal, after_message = session.message_count, after_event = session.event_count } = options;
  const [readEvents, readMessages] = [eventLog(session), messageLog(session)];
  let [event_seq, message_seq] = [after_event, after_message];
  for await (const _ of newsOf(database, session.session_id, signal)) {
    for (let isMore = true; isMore; ) {
      const events = await database.read(() => readEvents(pieceAfter(event_seq)));
      const messages = await database.read(() => readMessages(pieceAfter(message_seq)));
      isMore = events.length > 0 || messages.length > 0;
      for (const event of events) yield { kind: 'event', event };
      for (const message of messages) yield { kind: 'message', message };
      event_seq = events.at(-1)?.seq ?? event_seq;
      message_seq = messages.at(-1)?.seq ?? message_seq;
      if (signal?.aborted) return;
    }
  }
}

type EntryRow = EventRow & Pick<SessionRow, 'n' | 'tenant' | keyof Lineage> & { message: string | null };

function entriesSql(scope: string, messages: boolean): string {
  const join = `LEFT JOIN messages m ON e.seq < 0 AND m.place = e.session * ${MOST_MESSAGES} - e.seq`;
  return `SELECT e.n, e.seq, e.body, p.body AS plan, ${messages ? 'm.body' : 'NULL'} AS message,
    s.tenant, ${LINEAGE_OF_SESSION}
    FROM events e JOIN sessions s ON s.n = e.session AND s.deleted IS NULL
    LEFT JOIN plans p ON p.hash = e.plan ${messages ? join : ''}
    WHERE ${scope} AND e.n > ? AND e.n <= ? AND ${messages ? 'e.seq <> 0' : `(e.seq > 0 OR e.seq <= -${MOST_MESSAGES})`}
    ORDER BY e.n LIMIT ?`;
}

function* scopeOf(of: FeedScope | undefined): Work<{ scope: string; values: SqlValue[] }> {
  if (!of) return { scope: '1 = 1', values: [] };
  if ('root_id' in of) return { scope: 'e.root_id = ?', values: [of.root_id] };
  return { scope: 'e.session = ?', values: [(yield* mustFindRow(of.session_id)).n] };
}

/** The first entries after a position and up to another. Sessions that have been deleted since have none. */
export function* feedEntries(
  { of, messages = false, limit = Number.POSITIVE_INFINITY }: FeedOptions & { limit?: number },
  after: number,
  until: number,
): Work<FeedEntry[]> {
  const { scope, values } = yield* scopeOf(of);
  const piece = pieceAfter(after);
  const within = { bytes: piece.bytes, columns: ['body', 'plan', ...(messages ? ['message'] : [])] };
  const range = [after, until, Math.min(limit, piece.limit)];
  const sql = entriesSql(scope, messages);
  return (yield* allWithin<EntryRow>(within, sql, ...values, ...range)).map(entryOf);
}

function entryOf(row: EntryRow): FeedEntry {
  const { n, seq, session_id, parent_id, root_id, tenant, message } = row;
  if (seq > 0 || seq <= -MOST_MESSAGES) return { cursor: String(n), event: parseEvent(row, row), tenant };
  return feedMessage({ cursor: String(n), tenant, session_id, parent_id, root_id, seq: -seq }, message);
}

/** A message is parsed when it is used: one that is damaged must not stop the feed for others. */
function feedMessage(entry: Omit<FeedMessage, 'message'>, text: string | null): FeedMessage {
  return {
    ...entry,
    get message() {
      return parseText<TranscriptLine>(text, entry.session_id, `message ${entry.seq}`);
    },
  };
}

/** The feed in the order of commits, from a position on. */
export async function* followFeed(
  database: Database,
  { after, signal, ...options }: FollowFeed,
): AsyncGenerator<FeedEntry> {
  const end = await database.read(() => lastEntry(database));
  let at = after === undefined ? end : parseFeedCursor(after, end);
  const next = () => database.read(() => feedEntries(options, at, Number.MAX_SAFE_INTEGER));
  for await (const _ of newsOf(database, TOPIC_FEED, signal)) {
    for (let entries = await next(); entries.length > 0; entries = await next()) {
      for (const entry of entries) {
        at = Number(entry.cursor);
        yield entry;
        if (signal?.aborted) return;
      }
    }
  }
}

const LAST = 'SELECT max(n) AS n FROM events';
/** By the sessions: those of others may have all of the last entries. */
const LAST_OWN = `SELECT max((SELECT max(e.n) FROM events e WHERE e.session = s.n)) AS n FROM sessions s
  WHERE s.is_purged = 0`;

export function* lastEntry({ tenant }: Pick<Database, 'tenant'>, of?: FeedScope): Work<number> {
  const { scope, values } = yield* scopeOf(of);
  const all = tenant === undefined ? LAST : LAST_OWN;
  // By the sessions, too: those of another tenant have no entries here.
  const last = `SELECT e.n FROM events e JOIN sessions s ON s.n = e.session WHERE ${scope} ORDER BY e.n DESC LIMIT 1`;
  const sql = of ? last : all;
  return (yield* get<{ n: number | null }>(sql, ...values))?.n ?? 0;
}

/** Where in the feed an event of a session is; null if there is no such event. */
export function* eventEntry(session: number, seq: number): Work<string | null> {
  const sql = 'SELECT n FROM events WHERE session = ? AND seq = ?';
  const row = yield* get<{ n: number }>(sql, session, seq);
  return row ? String(row.n) : null;
}
