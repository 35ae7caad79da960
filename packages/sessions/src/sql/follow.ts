import { Bell } from '@amplifier/core';
import { all, type Database, get, type Work } from '../database/database.js';
import { READ_ROWS } from '../defaults.js';
import { refusal } from '../refusals.js';
import type { FeedItem, SessionChange } from '../session-store.js';
import { type EventRow, eventLog, messageLog, parseEvent } from './read-records.js';
import type { SessionRow } from './session-row.js';
import { TOPIC_FEED } from './topic-names.js';

/** Yields at once, each time there is news about the topic, and when `bell` rings, until `signal` aborts. */
export async function* newsOf(database: Database, topic: string, signal?: AbortSignal, bell = new Bell()) {
  const stop = database.subscribe(topic, () => bell.ring());
  try {
    bell.ring();
    while (await bell.wait(signal)) yield;
  } finally {
    stop();
  }
}

/** What is appended to a session, events before messages where both are new. */
export async function* followSession(
  database: Database,
  session: SessionRow,
  options: { after_message?: number; after_event?: number; signal?: AbortSignal },
): AsyncGenerator<SessionChange> {
  const { signal, after_message, after_event } = options;
  const log = await database.read(function* () {
    return { messages: yield* messageLog(session), events: yield* eventLog(session) };
  });
  let [message_seq, event_seq] = [after_message ?? log.messages.count, after_event ?? log.events.count];
  for await (const _ of newsOf(database, session.session_id, signal)) {
    for (let isMore = true; isMore; ) {
      const events = await database.read(() => log.events.read(event_seq));
      const messages = await database.read(() => log.messages.read(message_seq));
      isMore = events.length === READ_ROWS || messages.length === READ_ROWS;
      for (const event of events) {
        event_seq = event.seq;
        yield { kind: 'event', event };
      }
      for (const message of messages) {
        message_seq = message.seq;
        yield { kind: 'message', message };
      }
      if (signal?.aborted) return;
    }
  }
}

/** Every event of every session in the order of commits. Sessions that have been deleted since have nothing to say. */
export async function* followAll(
  database: Database,
  { after, signal }: { after?: string; signal?: AbortSignal },
): AsyncGenerator<FeedItem> {
  const end = await database.read(() => lastEvent(database));
  let at = after === undefined ? end : parseCursor(after, end);
  const next = () =>
    all<EventRow & Pick<SessionRow, 'n' | 'session_id' | 'parent_id' | 'root_id' | 'tenant'>>(
      `SELECT e.n, e.seq, e.body, p.body AS plan, s.session_id, s.parent_id, s.root_id, s.tenant FROM events e
        JOIN sessions s ON s.n = e.session AND s.deleted IS NULL LEFT JOIN plans p ON p.hash = e.plan
        WHERE e.n > ? AND e.seq > 0 ORDER BY e.n LIMIT ?`,
      at,
      READ_ROWS,
    );
  for await (const _ of newsOf(database, TOPIC_FEED, signal)) {
    for (let rows = await database.read(next); rows.length > 0; rows = await database.read(next)) {
      for (const row of rows) {
        at = row.n;
        yield { cursor: String(at), event: parseEvent(row, row), tenant: row.tenant };
        if (signal?.aborted) return;
      }
    }
  }
}

const LAST = 'SELECT max(n) AS n FROM events';
/** By the sessions: those of others may have had all of the last events. */
const LAST_OWN = `SELECT max(e.n) AS n FROM sessions s JOIN events e ON e.session = s.n AND e.seq = s.event_count
  WHERE s.is_purged = 0`;

export function* lastEvent({ tenant }: Pick<Database, 'tenant'>): Work<number> {
  const row = yield* get<{ n: number | null }>(tenant === undefined ? LAST : LAST_OWN);
  return row?.n ?? 0;
}

function parseCursor(cursor: string, end: number): number {
  const at = /^\d+$/.test(cursor) ? Number(cursor) : Number.NaN;
  if (at <= end) return at;
  throw refusal('INVALID_CURSOR', cursor, `${JSON.stringify(cursor)} is not a cursor of the feed.`);
}
