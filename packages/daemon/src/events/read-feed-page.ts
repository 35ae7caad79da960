import type { Clock } from '@amplifier/core';
import type { FeedItem, SessionStore } from '@amplifier/sessions';
import { FEED_PAGE_WAIT_MS } from '../defaults.js';
import { reaches } from './feed-cursor.js';

/** Up to `limit` events of all sessions after a place, without waiting for any that is still to happen. */
export async function* readFeedPage(
  store: SessionStore,
  clock: Clock,
  { after, limit }: { after: string; limit: number },
): AsyncGenerator<FeedItem> {
  const end = await store.feedCursor();
  if (reaches(after, end)) return;
  const stop = new AbortController();
  // Between the last event and the end there may be news that are not events; nothing tells that none will come.
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
