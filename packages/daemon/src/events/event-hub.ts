import { type Clock, errorInfo, type LoopHealth, type Report, SupervisedLoop } from '@amplifier/core';
import { hasCode, type SessionEvent, type SessionStore } from '@amplifier/sessions';
import { eventFrame, idLine } from './sse-frame.js';

/** An event that has just been stored. Its bytes are made once, however many followers there are. */
export class LiveEvent {
  readonly cursor: string;
  readonly event: SessionEvent;
  #frame: string | undefined;
  #bySeq: Buffer | undefined;
  #byCursor: Buffer | undefined;

  constructor(cursor: string, event: SessionEvent) {
    this.cursor = cursor;
    this.event = event;
  }

  /** Without an id. */
  get frame(): string {
    this.#frame ??= eventFrame(this.event);
    return this.#frame;
  }

  /** As the stream of its session has it. */
  get bySeq(): Buffer {
    this.#bySeq ??= Buffer.from(idLine(this.event.seq) + this.frame);
    return this.#bySeq;
  }

  /** As the stream of all sessions has it. */
  get byCursor(): Buffer {
    this.#byCursor ??= Buffer.from(idLine(this.cursor) + this.frame);
    return this.#byCursor;
  }
}

/** Somebody who follows. None of these calls may block. One that throws is cut off, so that it asks again from where it was. */
export interface Follower {
  /** Takes an event, in the order of the feed. */
  offer(live: LiveEvent): void;
  /** The feed could not be read for a while: what was offered before may have a hole after it. */
  lost(): void;
  beat(): void;
  /** The daemon is stopping. */
  shutDown(): void;
  /** It failed. */
  cutOff(): void;
}

/** What a follower wants to be offered: the events of one session, of one tree by its root, or all. */
export type Interest = { session_id: string } | { root_id: string } | 'all';

export interface EventHubOptions {
  store: SessionStore;
  clock: Clock;
  heartbeat_ms: number;
  report: Report;
}

function keyOf(interest: Interest): string {
  if (interest === 'all') return interest;
  return 'session_id' in interest ? `session ${interest.session_id}` : `root ${interest.root_id}`;
}

interface Reading {
  stop: AbortController;
  /** From then on events are offered. */
  started: Promise<void>;
  ended: Promise<void>;
}

/**
 * Reads the feed of all sessions once and offers each event to everybody who follows. It reads only while somebody does.
 */
export class EventHub {
  readonly #options: EventHubOptions;
  readonly #interested = new Map<string, Set<Follower>>();
  readonly #followers = new Set<Follower>();
  readonly #loop: SupervisedLoop<{ cursor: string; event: SessionEvent }>;
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
      serve: ({ cursor, event }, signal) => {
        if (signal.aborted) return;
        this.#position = cursor;
        this.#offer(new LiveEvent(cursor, event));
      },
      nameOf: ({ event }) => `event ${event.seq} of session ${event.session_id}`,
    });
  }

  get health(): LoopHealth {
    return this.#loop.health;
  }

  get followers(): number {
    return this.#followers.size;
  }

  /** Events offered to followers so far, each counted once per follower. */
  get offered(): number {
    return this.#offered;
  }

  /** The place in the feed after the last event that was offered. */
  get position(): string {
    return this.#position;
  }

  /** From when this resolves, every event stored is offered. Returns the way to stop. */
  async join(follower: Follower, interest: Interest): Promise<() => void> {
    const key = keyOf(interest);
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

  /** The feed from where we are. Where that place is gone, from its end: followers are told that there is a hole. */
  async *#feed(signal: AbortSignal): AsyncGenerator<{ cursor: string; event: SessionEvent }> {
    const { store } = this.#options;
    try {
      yield* store.feed({ after: this.#position, signal });
    } catch (error) {
      if (!hasCode(error, 'INVALID_CURSOR')) throw error;
      this.#position = await store.feedCursor();
      for (const follower of this.#followers) follower.lost();
      throw error;
    }
  }

  #offer(live: LiveEvent): void {
    const { session_id, root_id } = live.event;
    const keys = [keyOf({ session_id }), keyOf({ root_id }), keyOf('all')];
    const sets = keys.map((key) => this.#interested.get(key));
    this.#each(sets, (follower) => {
      this.#offered++;
      follower.offer(live);
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
