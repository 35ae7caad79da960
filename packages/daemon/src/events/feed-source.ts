import { type FeedItem, hasCode, type SessionStore } from '@amplifier/sessions';
import type { EventHub, LiveEvent } from './event-hub.js';
import type { StreamSource } from './event-stream.js';
import { reaches } from './feed-cursor.js';

export interface FeedPlace {
  /** Null: from `end`. */
  after: string | null;
  /** The end of the feed before the response headers were sent: whatever happens once a client has them is sent to it. */
  end: string;
  /** Only those of one tree; null: of all. */
  root_id: string | null;
}

/** The events of all sessions, from the feed. */
export class FeedSource implements StreamSource {
  readonly interest = 'all';
  readonly #store: SessionStore;
  readonly #hub: EventHub;
  readonly #place: FeedPlace;
  readonly #signal: AbortSignal;
  readonly isForeign: boolean;
  #cursor: string;

  constructor(store: SessionStore, hub: EventHub, place: FeedPlace, signal: AbortSignal) {
    this.#store = store;
    this.#hub = hub;
    this.#place = place;
    this.#signal = signal;
    const { after, end } = place;
    // A position after the end is one of another feed: no event would ever reach it.
    this.isForeign = after !== null && !reaches(end, after);
    this.#cursor = after === null || this.isForeign ? end : after;
  }

  get cursor(): string {
    return this.#cursor;
  }

  get isBehind(): boolean {
    return !reaches(this.#cursor, this.#hub.position);
  }

  async *stored(): AsyncGenerator<FeedItem | 'reset'> {
    if (!this.isBehind) return;
    try {
      for await (const item of this.#store.feed({ after: this.#cursor, signal: this.#signal })) {
        yield item;
        if (!this.isBehind) return;
      }
    } catch (error) {
      if (!hasCode(error, 'INVALID_CURSOR')) throw error;
      // What was missed is not in the feed any more; the sessions themselves still have it.
      this.#cursor = this.#hub.position;
      yield 'reset';
    }
  }

  judge({ cursor }: LiveEvent, isLive: boolean): 'leave' | 'pass' {
    return isLive && !reaches(this.#cursor, cursor) ? 'pass' : 'leave';
  }

  advance({ cursor }: LiveEvent): void {
    this.#cursor = cursor;
  }

  frame(live: LiveEvent): Uint8Array | null {
    return this.covers('', live.event.root_id) ? live.byCursor : null;
  }

  covers(_: string, root_id: string): boolean {
    return this.#place.root_id === null || root_id === this.#place.root_id;
  }
}
