import { statSync } from 'node:fs';
import { RECENT_SESSIONS } from '../defaults.js';
import type { SessionMetadata } from '../records.js';
import type { SessionPaths } from './layout.js';

/** What the log files of a session looked like before they were read. */
interface Glance {
  events: FileGlance;
  transcript: FileGlance;
}

interface FileGlance {
  path: string;
  ino: number;
  size: number;
  mtimeMs: number;
}

/**
 * Metadata that was read a moment ago. The logs only grow, so as long as both are the files they were, with the length
 * they had, what was read of them is right, whoever else writes. Two plain system calls tell; asking for them through
 * the thread pool would cost many times as much.
 */
export class RecentMetadata {
  readonly #entries = new Map<string, { glance: Glance; metadata: SessionMetadata }>();

  get(session_id: string): SessionMetadata | undefined {
    const known = this.#entries.get(session_id);
    if (!known) return undefined;
    const { events, transcript } = known.glance;
    return isUnchanged(events) && isUnchanged(transcript) ? known.metadata : undefined;
  }

  /** What to give to `put` together with what is read after this. Null when there is nothing to compare. */
  glance(paths: SessionPaths): Glance | null {
    const [events, transcript] = [glanceAt(paths.events), glanceAt(paths.transcript)];
    return events && transcript && { events, transcript };
  }

  put(session_id: string, glance: Glance | null, metadata: SessionMetadata): void {
    this.#entries.delete(session_id);
    if (glance === null) return;
    this.#entries.set(session_id, { glance, metadata });
    const [oldest] = this.#entries.keys();
    if (this.#entries.size > RECENT_SESSIONS && oldest !== undefined) this.#entries.delete(oldest);
  }

  clear(): void {
    this.#entries.clear();
  }
}

function isUnchanged({ path, ino, size, mtimeMs }: FileGlance): boolean {
  const now = glanceAt(path);
  return now !== null && now.ino === ino && now.size === size && now.mtimeMs === mtimeMs;
}

function glanceAt(path: string): FileGlance | null {
  try {
    const { ino, size, mtimeMs } = statSync(path);
    return { path, ino, size, mtimeMs };
  } catch {
    return null; // Reading it the usual way says what is wrong.
  }
}
