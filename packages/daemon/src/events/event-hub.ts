import { type Clock, errorInfo, type LoopHealth, type Report, SupervisedLoop } from '@amplifier/core';
import {
  type FeedEntry,
  type FeedScope,
  feedDistance,
  hasCode,
  type SessionEvent,
  type SessionStore,
} from '@amplifier/sessions';
import { entryFrame } from './sse-frame.js';

/** An entry of the feed on its way to followers. Its bytes are made once, however many there are. */
export class SharedEntry {
  readonly entry: FeedEntry;
  #frame: Buffer | undefined;

  constructor(entry: FeedEntry) {
    this.entry = entry;
  }

  /** Whose it is. */
  get place(): Pick<SessionEvent, 'session_id' | 'parent_id' | 'root_id'> {
    return 'event' in this.entry ? this.entry.event : this.entry;
  }

  get frame(): Buffer {
    this.#frame ??= Buffer.from(entryFrame(this.entry));
    return this.#frame;
  }
}

/** An event subscriber. None of these calls may block. One that throws is cut off, so that its client connects again. */
export interface Follower {
  /** Takes an entry, in the order of the feed. */
  offer(shared: SharedEntry): void;
  /** The feed could not be continued: entries may be missing after those offered before. */
  lost(): void;
  beat(): void;
  /** The daemon is stopping. */
  shutDown(): void;
  /** It failed. */
  cutOff(): void;
}

export interface EventHubOptions {
  store: SessionStore;
  clock: Clock;
  heartbeat_ms: number;
  report: Report;
}

function keyOf(scope: FeedScope | undefined): string {
  if (!scope) return 'all';
  return 'session_id' in scope ? `session ${scope.session_id}` : `root ${scope.root_id}`;
}

interface Reading {
  stop: AbortController;
  /** From then on events are offered. */
  started: Promise<void>;
  ended: Promise<void>;
}

/**
 * Reads the feed of all sessions once and offers each entry to its followers. It reads only while there are any.
 */
export class EventHub {
  readonly #options: EventHubOptions;
  readonly #interested = new Map<string, Set<Follower>>();
  readonly #followers = new Set<Follower>();
  readonly #loop: SupervisedLoop<SharedEntry>;
  #reading: Reading | undefined;
  #position = '';
  #cancelBeat: (() => void) | undefined;
  #offered = 0;

  constructor(options: EventHubOptions) {
    this.#options = options;
    this.#loop = new SupervisedLoop({
      name: 'events',
      clock: options.clock,
      report: options.report,
      items: (signal) => this.#feed(signal),
      serve: (shared, signal) => {
        if (signal.aborted) return;
        this.#position = shared.entry.cursor;
        this.#offer(shared);
      },
      nameOf: ({ entry, place }) =>
        `${'event' in entry ? `event ${entry.event.seq}` : `message ${entry.seq}`} of session ${place.session_id}`,
    });
  }

  get health(): LoopHealth {
    return this.#loop.health;
  }

  get followers(): number {
    return this.#followers.size;
  }

  /** Entries offered to followers so far, each counted once per follower. */
  get offered(): number {
    return this.#offered;
  }

  /** The cursor after the last entry that was offered. */
  get position(): string {
    return this.#position;
  }

  /** How many entries are still to be offered up to this end of the feed; 0 without followers. */
  behind(end: string): number {
    return this.#position === '' ? 0 : Math.max(0, feedDistance(this.#position, end));
  }

  /** From when this resolves, every entry stored is offered. Returns the way to stop. */
  async join(follower: Follower, scope: FeedScope | undefined): Promise<() => void> {
    const key = keyOf(scope);
    const set = this.#interested.get(key) ?? new Set();
    this.#interested.set(key, set.add(follower));
    this.#followers.add(follower);
    const reading = this.#reading ?? this.#start();
    this.#reading = reading;
    const leave = () => this.#leave(follower, key);
    try {
      await reading.started;
    } catch (error) {
      leave();
      throw error;
    }
    return leave;
  }

  async close(): Promise<void> {
    for (const follower of this.#followers) follower.shutDown();
    this.#followers.clear();
    await this.#stop();
  }

  /** A sign of life for everybody; whose token no longer counts hears that instead. */
  beat(): void {
    try {
      this.#each([this.#followers], (follower) => follower.beat());
    } catch (error) {
      this.#options.report({
        level: 'error',
        code: 'EVENTS_FAILED',
        message: errorInfo(error).message,
        error,
      });
    }
  }

  #leave(follower: Follower, key: string): void {
    const set = this.#interested.get(key);
    set?.delete(follower);
    if (set?.size === 0) this.#interested.delete(key);
    this.#followers.delete(follower);
    if (this.#followers.size === 0) void this.#stop();
  }

  #start(): Reading {
    const stop = new AbortController();
    const started = this.#options.store.feedCursor().then((cursor) => {
      this.#position = cursor;
    });
    const ended = started.then(
      () => this.#loop.run(stop.signal),
      () => {
        this.#reading = undefined;
      },
    );
    this.#beatLater();
    return { stop, started, ended };
  }

  async #stop(): Promise<void> {
    const reading = this.#reading;
    this.#reading = undefined;
    this.#cancelBeat?.();
    reading?.stop.abort();
    await reading?.ended;
  }

  /** The feed from our position on. If that position is gone, from the end of the feed. */
  async *#feed(signal: AbortSignal): AsyncGenerator<SharedEntry> {
    const { store } = this.#options;
    try {
      for await (const entry of store.feed({ after: this.#position, messages: true, signal }))
        yield new SharedEntry(entry);
    } catch (error) {
      if (!hasCode(error, 'INVALID_CURSOR')) throw error;
      this.#position = await store.feedCursor();
      for (const follower of this.#followers) follower.lost();
      throw error;
    }
  }

  #offer(shared: SharedEntry): void {
    const { session_id, root_id } = shared.place;
    const keys = [keyOf({ session_id }), keyOf({ root_id }), keyOf(undefined)];
    const sets = keys.map((key) => this.#interested.get(key));
    this.#each(sets, (follower) => {
      this.#offered++;
      follower.offer(shared);
    });
  }

  /** A follower that fails does not keep the others from theirs; then the first failure is told of. */
  #each(sets: readonly (ReadonlySet<Follower> | undefined)[], act: (follower: Follower) => void): void {
    let first: { error: unknown } | null = null;
    for (const set of sets) {
      for (const follower of set ?? []) {
        try {
          act(follower);
        } catch (error) {
          first ??= { error };
          follower.cutOff();
        }
      }
    }
    if (first) throw first.error;
  }

  /** One timer for everybody. */
  #beatLater(): void {
    this.#cancelBeat?.();
    this.#cancelBeat = this.#options.clock.after(this.#options.heartbeat_ms, () => {
      this.#beatLater();
      this.beat();
    });
  }
}
