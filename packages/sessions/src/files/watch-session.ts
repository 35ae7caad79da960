import { Bell } from '../bell.js';
import type { SessionEvent, TranscriptLine } from '../records.js';
import { hasCode, SessionError } from '../session-error.js';
import type { FeedItem, SessionChange } from '../session-store.js';
import { formatCursor, parseCursor, parsePointer } from './feed.js';
import { type SessionPaths, sessionPaths } from './layout.js';
import { LineFile } from './line-file.js';
import { readMessages } from './read-log.js';
import { isMissing, onDisk } from './storage-error.js';
import type { StoreContext } from './store-context.js';
import { loadSession } from './stored-session.js';

export interface WatchOptions {
  after_message?: number;
  after_event?: number;
  signal?: AbortSignal;
}

/** What is appended to one session. A bell that any process can ring says when to look. */
export async function* watchSession(
  store: StoreContext,
  session_id: string,
  paths: SessionPaths,
  { after_message, after_event, signal }: WatchOptions,
): AsyncGenerator<SessionChange> {
  const bell = new Bell();
  const stop = await store.feed.listen(session_id, () => bell.ring());
  try {
    const stored = await loadSession(session_id, paths);
    const { message_count, event_count } = stored.metadata;
    let transcript = { seq: after_message ?? message_count, offset: 0 };
    let events = { seq: after_event ?? event_count, offset: 0 };
    if (stored.bases.length > 0) {
      for (const message of await readMessages(paths, stored, { after: transcript.seq })) {
        yield { kind: 'message', message };
        transcript = { ...transcript, seq: message.seq };
      }
    }
    bell.ring();
    while (await bell.wait(signal)) {
      for await (const [event, place] of newLines<SessionEvent>(paths.events, events)) {
        events = place;
        if (event) yield { kind: 'event', event };
      }
      for await (const [message, place] of newLines<TranscriptLine>(paths.transcript, transcript)) {
        transcript = place;
        if (message) yield { kind: 'message', message };
      }
    }
  } finally {
    stop();
  }
}

/** Events of all sessions in the order of the feed. */
export async function* followFeed(
  store: StoreContext,
  { after, signal }: { after?: string; signal?: AbortSignal },
): AsyncGenerator<FeedItem> {
  const bell = new Bell();
  const stop = await store.feed.listen('*', () => bell.ring());
  const { position, seen } =
    after === undefined ? { position: await store.feed.end(), seen: 0 } : parseCursor(after);
  const reader = store.feed.reader(position);
  let skip = seen;
  let start = position;
  try {
    bell.ring();
    while (await bell.wait(signal)) {
      const lines = await onDisk('read the feed in', store.folder, () => reader.read());
      if (lines === null) throw expired(after);
      for (const { text, end } of lines) {
        const pointer = parsePointer(text);
        let count = 0;
        const events = pointer?.e ? await readPointed(store, pointer.s, pointer.e) : [];
        for (const event of events) {
          count++;
          if (count <= skip) continue;
          const isLast = count === events.length;
          yield { cursor: isLast ? formatCursor(end, 0) : formatCursor(start, count), event };
          if (signal?.aborted) return;
        }
        skip = 0;
        start = end;
      }
    }
  } finally {
    stop();
    await reader.close();
  }
}

/** Lines after a place, each with the place after it. The first time the place is a seq, afterwards a byte. */
async function* newLines<T extends { seq: number }>(
  path: string,
  { seq, offset }: { seq: number; offset: number },
): AsyncGenerator<[T | null, { seq: number; offset: number }]> {
  const file = await LineFile.open<T>(path);
  try {
    const start = offset > 0 ? offset : await file.seek((line) => line.seq > seq);
    yield [null, { seq, offset: start }];
    for await (const { value, end } of file.forward(start)) yield [value, { seq: value.seq, offset: end }];
  } finally {
    file.close();
  }
}

/** A session that has been deleted since has nothing to say any more, also when another has got its id. */
async function readPointed(
  store: StoreContext,
  session_id: string,
  [from, to]: [number, number],
): Promise<SessionEvent[]> {
  const { events: path } = sessionPaths(store.folder, store.layout, session_id);
  let file: LineFile<SessionEvent>;
  try {
    file = await LineFile.open<SessionEvent>(path);
  } catch (error) {
    if (isMissing(error)) return [];
    throw error;
  }
  try {
    const events: SessionEvent[] = [];
    for await (const { value } of file.forward(from, Math.min(to, file.end))) events.push(value);
    return events;
  } catch (error) {
    // Not damage: the news were of a deleted session, and another has its id now.
    if (hasCode(error, 'SESSION_CORRUPT') && !(await file.isLineStart(from))) return [];
    throw error;
  } finally {
    file.close();
  }
}

function expired(cursor: string | undefined): SessionError {
  return new SessionError(
    `What the cursor ${cursor ?? '(now)'} points to is no longer kept. Read the sessions you follow, then start from feedCursor().`,
    { code: 'INVALID_CURSOR' },
  );
}
