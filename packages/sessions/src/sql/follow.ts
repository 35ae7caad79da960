import { setTimeout as pause } from 'node:timers/promises';
import { Bell, LIVE_PAUSE_MS } from '@amplifier/core';
import { all, allWithin, type Database, get, type Work } from '../database/database.js';
import { refusal } from '../refusals.js';
import type { FeedItem, MessagePlace, SeenMessages, SessionChange } from '../session-store.js';
import { type EventRow, eventLog, messageLog, parseEvent, pieceAfter } from './read-records.js';
import type { SessionRow } from './session-row.js';
import { TOPIC_FEED, TOPIC_MESSAGES } from './topic-names.js';

/** Yields at once, each time there is news about the topic, and when `bell` rings, until `signal` aborts. */
export async function* newsOf(
  database: Pick<Database, 'subscribe'>,
  topic: string,
  signal?: AbortSignal,
  bell = new Bell(),
) {
  const stop = database.subscribe(topic, () => bell.ring());
  try {
    bell.ring();
    while (await bell.wait(signal)) yield;
  } finally {
    stop();
  }
}

/** The same for whoever waits at something that is closed one day: then it ends. */
export class News {
  readonly #database: Pick<Database, 'subscribe'>;
  readonly #bells = new Set<Bell>();
  isClosed = false;

  constructor(database: Pick<Database, 'subscribe'>) {
    this.#database = database;
  }

  async *of(topic: string, signal?: AbortSignal, bell = new Bell()): AsyncGenerator<void> {
    this.#bells.add(bell);
    try {
      for await (const _ of newsOf(this.#database, topic, signal, bell)) {
        if (this.isClosed) return;
        yield;
      }
    } finally {
      this.#bells.delete(bell);
    }
  }

  close(): void {
    this.isClosed = true;
    for (const bell of this.#bells) bell.ring();
  }
}

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

const EVENTS = `SELECT e.n, e.seq, e.body, p.body AS plan, s.session_id, s.parent_id, s.root_id, s.tenant FROM events e
  JOIN sessions s ON s.n = e.session AND s.deleted IS NULL LEFT JOIN plans p ON p.hash = e.plan
  WHERE e.n > ? AND e.seq > 0 ORDER BY e.n LIMIT ?`;

/** Every event of every session in the order of commits. Sessions that have been deleted since have nothing to say. */
export async function* followAll(
  database: Database,
  { after, signal }: { after?: string; signal?: AbortSignal },
): AsyncGenerator<FeedItem> {
  const end = await database.read(() => lastEvent(database));
  let at = after === undefined ? end : parseCursor(after, end);
  const { limit, bytes } = pieceAfter(0);
  const within = { bytes, columns: ['body', 'plan'] };
  const next = () => database.read(() => allWithin<EventRow & SessionRow>(within, EVENTS, at, limit));
  for await (const _ of newsOf(database, TOPIC_FEED, signal)) {
    for (let rows = await next(); rows.length > 0; rows = await next()) {
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
  return (yield* get<{ n: number | null }>(tenant === undefined ? LAST : LAST_OWN))?.n ?? 0;
}

export function parseCursor(cursor: string, end: number): number {
  const at = /^\d+$/.test(cursor) ? Number(cursor) : Number.NaN;
  if (at <= end) return at;
  throw refusal('INVALID_CURSOR', cursor, `${JSON.stringify(cursor)} is not a cursor of the feed.`);
}

const PLACES = 'SELECT session_id, root_id, message_count AS seq FROM sessions WHERE deleted IS NULL AND';
const OPEN = `${PLACES} (owner IS NOT NULL OR status = 'active')`;
const ONE = `${PLACES} session_id = ?`;

function countsOf(places: readonly MessagePlace[]): Map<string, number> {
  return new Map(places.map(({ session_id, seq }) => [session_id, seq]));
}

/** How far the conversations of sessions at work have come, whoever writes them, looked at a few times a second at most. */
export async function* messageFeed(
  database: Database,
  { signal, seen = {} }: { signal?: AbortSignal; seen?: SeenMessages },
): AsyncGenerator<MessagePlace> {
  const look = () => database.read(() => all<MessagePlace>(OPEN), 'all');
  seen.counts ??= countsOf(await look());
  for await (const _ of newsOf(database, TOPIC_MESSAGES, signal)) {
    const known = seen.counts;
    const open = await look();
    const now = countsOf(open);
    for (const session_id of known.keys()) {
      if (now.has(session_id)) continue;
      // It has ended since: its last words are still to be told.
      const last = await database.read(() => get<MessagePlace>(ONE, session_id));
      if (last) open.push(last);
    }
    for (const place of open) if (place.seq > (known.get(place.session_id) ?? 0)) yield { ...place };
    seen.counts = now;
    await pause(LIVE_PAUSE_MS, undefined, { ref: false, ...(signal ? { signal } : {}) }).catch(() => {});
    if (signal?.aborted) return;
  }
}
