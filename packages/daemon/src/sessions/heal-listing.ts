import type { SessionPage, SessionStore } from '@amplifier/sessions';
import { MAX_PAGE } from '../defaults.js';
import type { LogPool } from './log-pool.js';

/**
 * A process that died between writing how a session ended and telling the index leaves the listing behind the log. Of all that
 * are listed as active, the index is told again about those that are not.
 */
export async function healListing(store: SessionStore, logs: LogPool): Promise<void> {
  let cursor: string | null = null;
  do {
    const page: SessionPage = await store.list({
      status: 'active',
      limit: MAX_PAGE,
      ...(cursor === null ? {} : { cursor }),
    });
    for (const { session_id } of page.sessions) {
      const { status } = await store.metadata(session_id);
      if (status !== 'active' && status !== 'created') await logs.share(session_id, (log) => log.update({}));
    }
    cursor = page.next_cursor;
  } while (cursor !== null);
}
