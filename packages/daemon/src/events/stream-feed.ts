import { hasCode, type SessionStore } from '@amplifier/sessions';
import { type EventHub, type Follower, LiveEvent } from './event-hub.js';
import { reaches } from './feed-cursor.js';
import type { NameFilter } from './name-filter.js';
import { HEARTBEAT, signalFrame } from './sse-frame.js';
import type { SseOutlet } from './sse-outlet.js';
import type { OpenedStream } from './stream-log.js';

export interface FeedStreamOptions {
  store: SessionStore;
  hub: EventHub;
  outlet: SseOutlet;
  /** Null: from now on. */
  after: string | null;
  /** Only those of one tree; null: of all. */
  root_id: string | null;
  wants: NameFilter;
  /** Asked now and then: a token that no longer counts ends the stream. */
  isAllowed(): Promise<boolean>;
  signal: AbortSignal;
  onGap(): void;
  onError(error: unknown): void;
}

/** The events of all sessions as a stream. It is `reading` and `live` as `LogStream` is, on the feed instead of the logs. */
export class FeedStream implements Follower {
  readonly #options: FeedStreamOptions;
  #cursor: string;
  #isLive = false;
  /** What the hub offers next may be older than what was read already. */
  #mayRepeat = true;

  private constructor(options: FeedStreamOptions, cursor: string) {
    this.#options = options;
    this.#cursor = cursor;
  }

  static async start(options: FeedStreamOptions): Promise<OpenedStream> {
    const { store, hub, after } = options;
    const stream = new FeedStream(options, after ?? '');
    const leave = await hub.join(stream, 'all');
    // A place after the end is one of another feed: waiting for it would be silence without end.
    const isForeign = after !== null && !reaches(await store.feedCursor(), after);
    if (after === null || isForeign) stream.#cursor = hub.position;
    if (isForeign) stream.#signal('reset');
    const caughtUp = stream.#read().then(() => stream.#signal('synced'));
    const { root_id } = options;
    return { leave, caughtUp, covers: (_, root) => root_id === null || root === root_id };
  }

  offer(live: LiveEvent): void {
    if (!this.#isLive) return;
    if (this.#mayRepeat) {
      if (reaches(this.#cursor, live.cursor)) return;
      this.#mayRepeat = false;
    }
    if (this.#options.outlet.hasRoom) this.#pass(live);
    else this.#fallBehind();
  }

  lost(): void {
    if (this.#isLive) void this.#read();
  }

  beat(): void {
    const { outlet, isAllowed } = this.#options;
    // What cannot be looked up now is looked up with the next beat.
    isAllowed().then(
      (isGood) => {
        if (outlet.closed) return;
        if (!isGood) outlet.end(signalFrame('revoked', { after: this.#cursor }));
        else if (outlet.hasRoom) outlet.write(HEARTBEAT);
      },
      () => {},
    );
  }

  cutOff(): void {
    this.#options.outlet.end('');
  }

  shutDown(): void {
    this.#options.outlet.end(signalFrame('shutdown', { after: this.#cursor }, this.#cursor));
  }

  #fallBehind(): void {
    this.#options.onGap();
    this.#signal('gap');
    void this.#read();
  }

  async #read(): Promise<void> {
    this.#isLive = false;
    const { hub, outlet, onError } = this.#options;
    try {
      await outlet.drained();
      if (!reaches(this.#cursor, hub.position)) await this.#readFeed();
    } catch (error) {
      if (!hasCode(error, 'INVALID_CURSOR')) {
        onError(error);
        return outlet.end(signalFrame('reset', { after: this.#cursor }, this.#cursor));
      }
      // What was missed is not in the feed any more; the sessions themselves still have it.
      this.#cursor = hub.position;
      this.#signal('reset');
    }
    this.#mayRepeat = true;
    this.#isLive = true;
  }

  /** Until the hub has nothing that this stream has not sent. */
  async #readFeed(): Promise<void> {
    const { store, hub, outlet, signal } = this.#options;
    for await (const { cursor, event } of store.feed({ after: this.#cursor, signal })) {
      if (!outlet.hasRoom) await outlet.drained();
      if (outlet.closed) return;
      this.#pass(new LiveEvent(cursor, event));
      if (reaches(cursor, hub.position)) return;
    }
  }

  #pass(live: LiveEvent): void {
    this.#cursor = live.cursor;
    const { wants, root_id } = this.#options;
    if (root_id !== null && live.event.root_id !== root_id) return;
    if (wants(live.event.name)) this.#options.outlet.write(live.byCursor);
  }

  #signal(name: string): void {
    this.#options.outlet.write(signalFrame(name, { after: this.#cursor }, this.#cursor));
  }
}
