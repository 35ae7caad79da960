import { setTimeout as pause } from 'node:timers/promises';
import { LIVE_PAUSE_MS } from '@amplifier/core';
import { all, type Database, get } from '../database/database.js';
import type { MessagePlace, SeenMessages } from '../session-store.js';
import { newsOf } from './follow.js';
import { TOPIC_MESSAGES } from './topic-names.js';

type Counted = Omit<MessagePlace, 'seq'> & { message_count: number };

const COUNTED = 'SELECT session_id, root_id, message_count FROM sessions WHERE deleted IS NULL AND';
const OPEN = `${COUNTED} (owner IS NOT NULL OR status = 'active')`;
const ONE = `${COUNTED} session_id = ?`;

function counted(sessions: readonly Counted[]): Map<string, number> {
  return new Map(sessions.map(({ session_id, message_count }) => [session_id, message_count]));
}

/** How far the conversations of sessions at work have come, whoever writes them, looked at a few times a second at most. */
export async function* messageFeed(
  database: Database,
  { signal, seen = {} }: { signal?: AbortSignal; seen?: SeenMessages },
): AsyncGenerator<MessagePlace> {
  const look = () => database.read(() => all<Counted>(OPEN), 'all');
  seen.counts ??= counted(await look());
  for await (const _ of newsOf(database, TOPIC_MESSAGES, signal)) {
    const known = seen.counts;
    const open = await look();
    const now = counted(open);
    for (const session_id of known.keys()) {
      if (now.has(session_id)) continue;
      // It has ended since: its last words are still to be told.
      const last = await database.read(() => get<Counted>(ONE, session_id));
      if (last) open.push(last);
    }
    for (const { session_id, root_id, message_count: seq } of open)
      if (seq > (known.get(session_id) ?? 0)) yield { session_id, root_id, seq };
    seen.counts = now;
    await pause(LIVE_PAUSE_MS, undefined, { ref: false, ...(signal ? { signal } : {}) }).catch(() => {});
    if (signal?.aborted) return;
  }
}
