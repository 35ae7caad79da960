import { feedDistance, feedPages, type SessionStore } from '@amplifier/sessions';
import type { Outlet } from '../http/outlet.js';
import { type EventHub, type Follower, SharedEntry } from './event-hub.js';
import { formatPosition } from './feed-position.js';
import type { NameFilter } from './name-filter.js';
import { frame, HEARTBEAT, signalFrame } from './sse-frame.js';
import type { StreamScope } from './stream-scope.js';

/** What a stream sends. */
export interface StreamContents {
  scope: StreamScope;
  wants: NameFilter;
  /** `stored`: every message with its position. `news`: only where messages are stored once the stream has caught up. */
  messages: 'stored' | 'news' | 'none';
}

export interface EventStreamOptions extends StreamContents {
  store: SessionStore;
  hub: EventHub;
  outlet: Outlet;
  /** Where in the feed it starts. */
  after: string;
  /** The client asked for a position that the feed does not have. */
  isReset: boolean;
  /** Asked now and then: a token that no longer counts ends the stream. */
  isAllowed(): Promise<boolean>;
  onGap(): void;
  onError(error: unknown): void;
}

/**
 * A part of the feed as a stream that neither skips nor repeats.
 *
 * It is `reading` while it takes stored entries from the record at the pace of its reader, and `live` while it passes on what the hub
 * offers. A reader that is too slow to be live gets a `gap` and the stream goes back to reading, so that nothing is kept in memory for it.
 */
export class EventStream implements Follower {
  readonly #options: EventStreamOptions;
  #cursor: string;
  #isLive = false;
  #isSynced = false;

  private constructor(options: EventStreamOptions) {
    this.#options = options;
    this.#cursor = options.after;
  }

  /** Starts to send. `caughtUp` resolves when everything that was stored has been sent. */
  static async start(options: EventStreamOptions): Promise<{ leave: () => void; caughtUp: Promise<void> }> {
    const stream = new EventStream(options);
    const leave = await options.hub.join(stream, options.scope.of);
    if (options.isReset) stream.#signal('reset');
    return { leave, caughtUp: stream.#catchUp() };
  }

  offer(shared: SharedEntry): void {
    const { scope, outlet, onGap } = this.#options;
    const isNext = this.#isLive && feedDistance(this.#cursor, shared.entry.cursor) > 0;
    if (!isNext || !scope.covers(shared.place)) return;
    if (outlet.hasRoom) return void this.#pass(shared);
    onGap();
    this.#signal('gap');
    void this.#read();
  }

  lost(): void {
    const { position } = this.#options.hub;
    if (feedDistance(position, this.#cursor) > 0) {
      // The record has been replaced by an earlier state of it.
      this.#cursor = position;
      this.#signal('reset');
    }
    if (this.#isLive) void this.#read();
  }

  beat(): void {
    const { outlet, isAllowed } = this.#options;
    // What cannot be looked up now is looked up with the next beat.
    isAllowed().then(
      (isGood) => {
        if (outlet.closed) return;
        if (!isGood) outlet.end(frame('revoked', { after: formatPosition(this.#cursor) }));
        else if (outlet.hasRoom) outlet.write(HEARTBEAT);
      },
      () => {},
    );
  }

  cutOff(): void {
    this.#options.outlet.end('');
  }

  shutDown(): void {
    this.#options.outlet.end(signalFrame('shutdown', this.#cursor));
  }

  async #catchUp(): Promise<void> {
    await this.#read();
    this.#signal('synced');
    this.#isSynced = true;
  }

  /** Sends what is stored, up to where the hub is. */
  async #read(): Promise<void> {
    this.#isLive = false;
    const { outlet, hub, onError } = this.#options;
    try {
      await outlet.drained();
      while (!outlet.closed && feedDistance(this.#cursor, hub.position) > 0) await this.#readTo(hub.position);
      this.#isLive = true;
    } catch (error) {
      onError(error);
      outlet.end(signalFrame('reset', this.#cursor));
    }
  }

  async #readTo(until: string): Promise<void> {
    const { outlet, store, scope } = this.#options;
    const query = { of: scope.of, messages: this.#sendsMessages, after: this.#cursor, until };
    for await (const page of feedPages(store, query)) {
      for (const entry of page) {
        if (!outlet.hasRoom) await outlet.drained();
        if (outlet.closed) return;
        const shared = new SharedEntry(entry);
        if (scope.covers(shared.place)) this.#pass(shared);
      }
    }
    this.#cursor = until;
  }

  get #sendsMessages(): boolean {
    const { messages } = this.#options;
    return messages === 'stored' || (messages === 'news' && this.#isSynced);
  }

  #pass(shared: SharedEntry): void {
    const { outlet, wants, messages } = this.#options;
    const { entry } = shared;
    this.#cursor = entry.cursor;
    if ('event' in entry) {
      if (wants(entry.event.name)) outlet.write(shared.frame);
    } else if (messages === 'stored') outlet.write(shared.frame);
    else if (this.#sendsMessages) {
      const { session_id, root_id, seq } = entry;
      outlet.write(frame('message', { session_id, root_id, seq }));
    }
  }

  #signal(name: string): void {
    this.#options.outlet.write(signalFrame(name, this.#cursor));
  }
}
