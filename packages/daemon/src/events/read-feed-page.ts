import type { Clock } from '@amplifier/core';
import type { FeedItem, SessionStore } from '@amplifier/sessions';
import { FEED_PAGE_WAIT_MS } from '../defaults.js';
import { reaches } from './feed-cursor.js';

/** Up to `limit` events of all sessions after a position. Does not wait for events after `end`. */
export async function* readFeedPage(
  store: SessionStore,
  clock: Clock,
  { after, end, limit }: { after: string; end: string; limit: number },
): AsyncGenerator<FeedItem> {
  if (reaches(after, end)) return;
  const stop = new AbortController();
  // The last rows before `end` may belong to deleted sessions: then no item reaches it.
  const cancel = clock.after(FEED_PAGE_WAIT_MS, () => stop.abort());
  let count = 0;
  try {
    for await (const item of store.feed({ after, signal: stop.signal })) {
      yield item;
      if (++count >= limit || reaches(item.cursor, end)) return;
    }
  } finally {
    cancel();
  }
}
