import type { SessionEvent, SessionStore } from '@amplifier/sessions';
import type { Interest, LiveEvent } from './event-hub.js';
import type { StreamSource } from './event-stream.js';
import { formatLogCursor, markOf, type ParsedCursor } from './log-cursor.js';
import { readLogs, sessionTree } from './read-logs.js';
import { idLine } from './sse-frame.js';

export interface LogPlace {
  session_id: string;
  root_id: string;
  /** Also what hangs below the session. */
  children: boolean;
  after: ParsedCursor;
  /** How many events the session has; a place beyond them is not one of its own. */
  event_count: number;
}

/** The events of one session, or of a session and all below it, from their logs. */
export class LogSource implements StreamSource {
  readonly #store: SessionStore;
  readonly #place: LogPlace;
  /** The last seq that has been dealt with, sent or not wanted, by session. */
  readonly #seen = new Map<string, number>();
  /** The highest seq the hub has offered while reading. */
  readonly #offered = new Map<string, number>();

  constructor(store: SessionStore, place: LogPlace) {
    this.#store = store;
    this.#place = place;
    this.#seen.set(place.session_id, Math.min(place.after.own, place.event_count));
  }

  get interest(): Interest {
    const { children, root_id, session_id } = this.#place;
    return children ? { root_id } : { session_id };
  }

  get cursor(): string {
    return formatLogCursor(this.#place.session_id, this.#seen);
  }

  /** Something that this stream covers was stored after its log had been read. */
  get isBehind(): boolean {
    for (const [session_id, seq] of this.#offered) {
      // One that is not known yet is new below, or of another branch of the same root: the tree tells which.
      if (seq > (this.#seen.get(session_id) ?? (this.#isRoot ? 0 : seq === 1 ? 0 : seq))) return true;
    }
    return false;
  }

  get isForeign(): boolean {
    return this.#place.after.own > this.#place.event_count;
  }

  async *stored(): AsyncGenerator<SessionEvent> {
    const { session_id, children, after } = this.#place;
    this.#offered.clear();
    await this.#store.metadata(session_id);
    for (const id of children ? await sessionTree(this.#store, session_id) : [])
      if (!this.#seen.has(id)) this.#seen.set(id, after.below.get(markOf(id)) ?? 0);
    yield* readLogs(this.#store, new Map(this.#seen));
  }

  judge({ event }: LiveEvent, isLive: boolean): 'leave' | 'pass' | 'read' {
    const { session_id, seq } = event;
    if (!isLive) {
      this.#offered.set(session_id, Math.max(seq, this.#offered.get(session_id) ?? 0));
      return 'leave';
    }
    if (!this.#takesIn(event)) return 'leave';
    const seen = this.#seen.get(session_id) ?? 0;
    if (seq <= seen) return 'leave';
    // The feed may say things late; the log has all of them in order.
    return seq === seen + 1 ? 'pass' : 'read';
  }

  advance({ event: { session_id, seq } }: LiveEvent): void {
    this.#seen.set(session_id, seq);
  }

  frame(live: LiveEvent): string | Uint8Array {
    return this.#place.children ? idLine(this.cursor) + live.frame : live.bySeq;
  }

  covers(session_id: string): boolean {
    return this.#seen.has(session_id);
  }

  get #isRoot(): boolean {
    return this.#place.session_id === this.#place.root_id;
  }

  /** A session below that is new has its parent among those that are followed. */
  #takesIn({ session_id, parent_id }: SessionEvent): boolean {
    if (this.#seen.has(session_id)) return true;
    const { children } = this.#place;
    if (!children || !(this.#isRoot || (parent_id !== null && this.#seen.has(parent_id)))) return false;
    this.#seen.set(session_id, 0);
    return true;
  }
}
