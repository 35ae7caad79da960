import type { SessionEvent } from '@amplifier/sessions';
import type { Outlet } from '../http/outlet.js';
import { type EventHub, type Follower, type Interest, LiveEvent } from './event-hub.js';
import type { NameFilter } from './name-filter.js';
import { HEARTBEAT, signalFrame } from './sse-frame.js';

/** Where the events of a stream come from, and how far it has come there. */
export interface StreamSource {
  readonly interest: Interest;
  /** As text: what a client gives back to go on from there. */
  readonly cursor: string;
  /** The hub has something that this stream has not had. */
  readonly isBehind: boolean;
  /** The position that the client gave is not one of this source. The source starts at another one. */
  readonly isForeign: boolean;
  /** What is stored after the place, in order. `reset`: what follows it is lost, and the place is another one now. */
  stored(): AsyncGenerator<SessionEvent | { cursor: string; event: SessionEvent } | 'reset'>;
  /** What to do with an event that the hub offers: it is old or not of this stream, it is next, or others are missing before it. */
  judge(live: LiveEvent, isLive: boolean): 'leave' | 'pass' | 'read';
  /** Moves the place behind the event. */
  advance(live: LiveEvent): void;
  /** The event with the id of the present place; null where it is not of this stream. */
  frame(live: LiveEvent): string | Uint8Array | null;
  /** Does it tell of this session? */
  covers(session_id: string, root_id: string): boolean;
}

export interface EventStreamOptions {
  hub: EventHub;
  outlet: Outlet;
  source: StreamSource;
  wants: NameFilter;
  /** Asked now and then: a token that no longer counts ends the stream. */
  isAllowed(): Promise<boolean>;
  onGap(): void;
  onError(error: unknown): void;
}

/**
 * Events as a stream that neither skips nor repeats.
 *
 * It is `reading` while it takes stored events from its source at the pace of its reader, and `live` while it passes on what the hub
 * offers. A reader that is too slow to be live is told so by a `gap` and goes back to reading, so that nothing is kept in memory for it.
 */
export class EventStream implements Follower {
  readonly #options: EventStreamOptions;
  #isLive = false;

  private constructor(options: EventStreamOptions) {
    this.#options = options;
  }

  /** Starts to send. `caughtUp` resolves when everything that was stored has been sent. */
  static async start(options: EventStreamOptions): Promise<{ leave: () => void; caughtUp: Promise<void> }> {
    const stream = new EventStream(options);
    const { hub, source } = options;
    const leave = await hub.join(stream, source.interest);
    if (source.isForeign) stream.#signal('reset');
    return { leave, caughtUp: stream.#read().then(() => stream.#signal('synced')) };
  }

  offer(live: LiveEvent): void {
    const { source, outlet, onGap } = this.#options;
    const what = source.judge(live, this.#isLive);
    if (what === 'leave') return;
    if (what === 'pass' && outlet.hasRoom) return void this.#pass(live);
    if (what === 'pass') {
      onGap();
      this.#signal('gap');
    }
    void this.#read();
  }

  lost(): void {
    if (this.#isLive) void this.#read();
  }

  beat(): void {
    const { outlet, isAllowed, source } = this.#options;
    // What cannot be looked up now is looked up with the next beat.
    isAllowed().then(
      (isGood) => {
        if (outlet.closed) return;
        if (!isGood) outlet.end(signalFrame('revoked', { after: source.cursor }));
        else if (outlet.hasRoom) outlet.write(HEARTBEAT);
      },
      () => {},
    );
  }

  cutOff(): void {
    this.#options.outlet.end('');
  }

  shutDown(): void {
    this.#options.outlet.end(this.#place('shutdown'));
  }

  /** Until the hub has nothing that this stream has not sent. */
  async #read(): Promise<void> {
    this.#isLive = false;
    const { outlet, source, onError } = this.#options;
    try {
      do {
        await outlet.drained();
        for await (const item of source.stored()) {
          if (!outlet.hasRoom) await outlet.drained();
          if (outlet.closed) return;
          if (item === 'reset') this.#signal('reset');
          else this.#pass('event' in item ? new LiveEvent(item.cursor, item.event) : new LiveEvent('', item));
        }
      } while (!outlet.closed && source.isBehind);
      this.#isLive = true;
    } catch (error) {
      onError(error);
      outlet.end(this.#place('reset'));
    }
  }

  #pass(live: LiveEvent): void {
    const { outlet, wants, source } = this.#options;
    source.advance(live);
    const frame = wants(live.event.name) ? source.frame(live) : null;
    if (frame !== null) outlet.write(frame);
  }

  #signal(name: string): void {
    this.#options.outlet.write(this.#place(name));
  }

  #place(name: string): string {
    const { cursor } = this.#options.source;
    return signalFrame(name, { after: cursor }, cursor);
  }
}
