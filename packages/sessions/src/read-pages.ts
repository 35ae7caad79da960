import { READ_BYTES } from './defaults.js';
import type { Range, SessionEvent, TranscriptLine } from './records.js';
import type { FeedEntry, FeedPage, SessionStore } from './session-store.js';

type PageRange = Pick<Range, 'after' | 'bytes'>;

/** The events of a session a page at a time, to the last that is stored. A whole log may not fit into memory. */
export function eventPages(
  store: Pick<SessionStore, 'events'>,
  session_id: string,
  range?: PageRange,
): AsyncGenerator<SessionEvent[]> {
  return pagesOf((part) => store.events(session_id, part), range);
}

/** The same for its messages. */
export function messagePages(
  store: Pick<SessionStore, 'messages'>,
  session_id: string,
  range?: PageRange,
): AsyncGenerator<TranscriptLine[]> {
  return pagesOf((part) => store.messages(session_id, part), range);
}

async function* pagesOf<T extends { seq: number }>(
  read: (range: Range) => Promise<T[]>,
  { after = 0, bytes = READ_BYTES }: PageRange = {},
): AsyncGenerator<T[]> {
  for (let at = after; ; ) {
    const page = await read({ after: at, bytes });
    if (page.length === 0) return;
    yield page;
    at += page.length;
    // Other work gets its turn: a database in this process answers without waiting for anything.
    await new Promise((resolve) => setImmediate(resolve));
  }
}

/** All entries of the feed from one position to another. */
export async function* feedPages(store: SessionStore, query: FeedPage): AsyncGenerator<FeedEntry[]> {
  for (let { after } = query; ; ) {
    const page = await store.feedPage({ ...query, after });
    const last = page.at(-1);
    if (!last) return;
    yield page;
    after = last.cursor;
    await new Promise((resolve) => setImmediate(resolve));
  }
}
