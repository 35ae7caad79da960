import type { SessionEvent, SessionStore } from '@amplifier/sessions';
import type { EventHub, Follower, LiveEvent } from './event-hub.js';
import { formatLogCursor, markOf, type ParsedCursor } from './log-cursor.js';
import type { NameFilter } from './name-filter.js';
import { readLogs, sessionTree } from './read-logs.js';
import { eventFrame, HEARTBEAT, idLine, signalFrame } from './sse-frame.js';
import type { SseOutlet } from './sse-outlet.js';

export interface LogStreamOptions {
  store: SessionStore;
  hub: EventHub;
  outlet: SseOutlet;
  session_id: string;
  root_id: string;
  /** Also what hangs below the session. */
  children: boolean;
  after: ParsedCursor;
  /** How many events the session has; a place beyond them is not one of its own. */
  event_count: number;
  wants: NameFilter;
  /** Asked now and then: a token that no longer counts ends the stream. */
  isAllowed(): Promise<boolean>;
  onGap(): void;
  onError(error: unknown): void;
}

/** A stream that has begun. */
export interface OpenedStream {
  leave: () => void;
  /** Everything that was stored has been sent. */
  caughtUp: Promise<void>;
  /** Does it tell of this session? */
  covers: (session_id: string, root_id: string) => boolean;
}

/**
 * The events of one session, or of a session and all below it, as a stream that neither skips nor repeats.
 *
 * It is `reading` while it takes events from the logs at the pace of its reader, and `live` while it passes on what the
 * hub offers. A reader that is too slow to be live is told so by a `gap` and goes back to reading, so that nothing is kept
 * in memory for it.
 */
export class LogStream implements Follower {
  readonly #options: LogStreamOptions;
  /** The last seq that has been dealt with, sent or not wanted, by session. */
  readonly #seen = new Map<string, number>();
  /** The highest seq the hub has offered while reading. */
  readonly #offered = new Map<string, number>();
  #isLive = false;

  private constructor(options: LogStreamOptions) {
    this.#options = options;
    this.#seen.set(options.session_id, Math.min(options.after.own, options.event_count));
  }

  /** Starts to send. Resolves when the reader has caught up for the first time. */
  static async start(options: LogStreamOptions): Promise<OpenedStream> {
    const stream = new LogStream(options);
    const { hub, session_id, root_id, children, after, event_count } = options;
    const leave = await hub.join(stream, children ? { root_id } : { session_id });
    if (after.own > event_count) stream.#signal('reset');
    const caughtUp = stream.#read().then(() => stream.#signal('synced'));
    return { leave, caughtUp, covers: (id) => stream.#seen.has(id) };
  }

  offer(live: LiveEvent): void {
    const { session_id, seq } = live.event;
    if (!this.#isLive) {
      this.#offered.set(session_id, Math.max(seq, this.#offered.get(session_id) ?? 0));
      return;
    }
    if (!this.#covers(live.event)) return;
    const seen = this.#seen.get(session_id) ?? 0;
    if (seq <= seen) return;
    // The feed may say things late; the log has all of them in order.
    if (seq !== seen + 1) return void this.#read();
    const { outlet, onGap } = this.#options;
    if (!outlet.hasRoom) {
      onGap();
      this.#signal('gap');
      return void this.#read();
    }
    this.#pass(live.event, live);
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
        if (!isGood) outlet.end(signalFrame('revoked', { after: this.#cursor() }));
        else if (outlet.hasRoom) outlet.write(HEARTBEAT);
      },
      () => {},
    );
  }

  cutOff(): void {
    this.#options.outlet.end('');
  }

  shutDown(): void {
    this.#options.outlet.end(signalFrame('shutdown', { after: this.#cursor() }, this.#cursor()));
  }

  get #isRoot(): boolean {
    return this.#options.session_id === this.#options.root_id;
  }

  /** A session below that is new has its parent among those that are followed. */
  #covers({ session_id, parent_id }: SessionEvent): boolean {
    if (this.#seen.has(session_id)) return true;
    const { children } = this.#options;
    if (!children || !(this.#isRoot || (parent_id !== null && this.#seen.has(parent_id)))) return false;
    this.#seen.set(session_id, 0);
    return true;
  }

  async #read(): Promise<void> {
    this.#isLive = false;
    const { outlet, onError } = this.#options;
    try {
      do {
        this.#offered.clear();
        await this.#readLogs();
      } while (!outlet.closed && this.#isBehind());
      this.#isLive = true;
    } catch (error) {
      onError(error);
      outlet.end(signalFrame('reset', { after: this.#cursor() }, this.#cursor()));
    }
  }

  async #readLogs(): Promise<void> {
    const { store, outlet, session_id, children, after } = this.#options;
    await outlet.drained();
    await store.metadata(session_id);
    if (children) {
      for (const id of await sessionTree(store, session_id)) {
        if (!this.#seen.has(id)) this.#seen.set(id, after.below.get(markOf(id)) ?? 0);
      }
    }
    for await (const event of readLogs(store, new Map(this.#seen))) {
      if (!outlet.hasRoom) await outlet.drained();
      if (outlet.closed) return;
      this.#pass(event);
    }
  }

  /** Something that this stream covers was stored after its log had been read. */
  #isBehind(): boolean {
    for (const [session_id, seq] of this.#offered) {
      // One that is not known yet is new below, or of another branch of the same root: the tree tells which.
      if (seq > (this.#seen.get(session_id) ?? (this.#isRoot ? 0 : seq === 1 ? 0 : seq))) return true;
    }
    return false;
  }

  #pass(event: SessionEvent, live?: LiveEvent): void {
    const { outlet, wants, children } = this.#options;
    this.#seen.set(event.session_id, event.seq);
    if (!wants(event.name)) return;
    if (live && !children) outlet.write(live.bySeq);
    else outlet.write(idLine(this.#cursor()) + (live?.frame ?? eventFrame(event)));
  }

  #signal(name: string): void {
    const after = this.#cursor();
    this.#options.outlet.write(signalFrame(name, { after }, after));
  }

  #cursor(): string {
    return formatLogCursor(this.#options.session_id, this.#seen);
  }
}
