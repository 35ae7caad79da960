import { setTimeout as pause } from 'node:timers/promises';
import { all, type Database, get } from '../database/database.js';
import { LIVE_PAUSE_MS } from '../defaults.js';
import type { MessagePlace } from '../session-store.js';
import { newsOf } from './follow.js';
import { TOPIC_MESSAGES } from './topic-names.js';

type Counted = Omit<MessagePlace, 'seq'> & { message_count: number };

const OPEN = `SELECT session_id, root_id, message_count FROM sessions
  WHERE (owner IS NOT NULL OR status = 'active') AND deleted IS NULL`;
const ONE =
  'SELECT session_id, root_id, message_count FROM sessions WHERE session_id = ? AND deleted IS NULL';

/** How far the conversations of sessions at work have come, whoever writes them, looked at a few times a second at most. */
export async function* messageFeed(database: Database, signal?: AbortSignal): AsyncGenerator<MessagePlace> {
  const look = () => database.read(() => all<Counted>(OPEN), 'all');
  let known = new Map((await look()).map((each) => [each.session_id, each.message_count]));
  for await (const _ of newsOf(database, TOPIC_MESSAGES, signal)) {
    const open = await look();
    const now = new Map(open.map((each) => [each.session_id, each.message_count]));
    for (const session_id of known.keys()) {
      if (now.has(session_id)) continue;
      // It has ended since: its last words are still to be told.
      const last = await database.read(() => get<Counted>(ONE, session_id));
      if (last) open.push(last);
    }
    for (const { session_id, root_id, message_count: seq } of open)
      if (seq > (known.get(session_id) ?? 0)) yield { session_id, root_id, seq };
    known = now;
    await pause(LIVE_PAUSE_MS, undefined, { ref: false, ...(signal ? { signal } : {}) }).catch(() => {});
    if (signal?.aborted) return;
  }
}
