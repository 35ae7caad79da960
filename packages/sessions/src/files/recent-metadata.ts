import { statSync } from 'node:fs';
import { RECENT_SESSIONS } from '../defaults.js';
import type { SessionMetadata } from '../records.js';
import type { SessionPaths } from './layout.js';

/**
 * Metadata that was read a moment ago. The logs only grow, so as long as both are the files they were, with the length
 * they had, what was read of them is right, whoever else writes. Two plain system calls tell; asking for them through
 * the thread pool would cost many times as much.
 */
export class RecentMetadata {
  readonly #entries = new Map<string, { stamp: string; metadata: SessionMetadata }>();

  /** What to give to `put` together with what is read after this. Null when there is nothing to compare. */
  stamp({ events, transcript }: SessionPaths): string | null {
    const [first, second] = [stampOf(events), stampOf(transcript)];
    return first === null || second === null ? null : `${first} ${second}`;
  }

  get(session_id: string, stamp: string | null): SessionMetadata | undefined {
    const known = this.#entries.get(session_id);
    return known && known.stamp === stamp ? known.metadata : undefined;
  }

  put(session_id: string, stamp: string | null, metadata: SessionMetadata): void {
    this.#entries.delete(session_id);
    if (stamp === null) return;
    this.#entries.set(session_id, { stamp, metadata });
    const [oldest] = this.#entries.keys();
    if (this.#entries.size > RECENT_SESSIONS && oldest !== undefined) this.#entries.delete(oldest);
  }
}

function stampOf(path: string): string | null {
  try {
    const { ino, size, mtimeMs } = statSync(path);
    return `${ino}.${size}.${mtimeMs}`;
  } catch {
    return null; // Reading it the usual way says what is wrong.
  }
}
