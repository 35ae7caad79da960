import type { ServerResponse } from 'node:http';
import type { Clock, LoopHealth, Report } from '@amplifier/core';
import type { SessionStore } from '@amplifier/sessions';
import { DaemonError } from '../daemon-error.js';
import { FOLLOWER_BUFFER_BYTES, SSE_RETRY_MS } from '../defaults.js';
import { EventHub } from './event-hub.js';
import type { ParsedCursor } from './log-cursor.js';
import type { NameFilter } from './name-filter.js';
import { retryLine } from './sse-frame.js';
import { SseOutlet } from './sse-outlet.js';
import { FeedStream } from './stream-feed.js';
import { LogStream } from './stream-log.js';

export interface EventStreamsOptions {
  store: SessionStore;
  clock: Clock;
  max_followers: number;
  heartbeat_ms: number;
  follower_stall_ms: number;
  report: Report;
  onError(error: unknown): void;
}

export interface FollowSession {
  session_id: string;
  root_id: string;
  children: boolean;
  after: ParsedCursor;
  event_count: number;
  wants: NameFilter;
  isAllowed(): boolean;
}

export type FollowAll = Pick<FollowSession, 'wants' | 'isAllowed'> & {
  /** Null: from now on. */
  after: string | null;
};

/** The open streams of events. */
export class EventStreams {
  readonly #options: EventStreamsOptions;
  readonly #hub: EventHub;
  #open = 0;
  #gaps = 0;
  #closed = false;

  constructor(options: EventStreamsOptions) {
    this.#options = options;
    this.#hub = new EventHub(options);
  }

  get health(): LoopHealth {
    return this.#hub.health;
  }

  /** What is going on, for the metrics. */
  get figures(): { followers: number; offered: number; gaps: number } {
    return { followers: this.#open, offered: this.#hub.offered, gaps: this.#gaps };
  }

  /** Must be called before the headers go out: afterwards a refusal can no longer be said. */
  checkRoom(): void {
    const { max_followers } = this.#options;
    if (this.#closed) throw new DaemonError('NOT_READY', 'The daemon is stopping.');
    if (this.#open < max_followers) return;
    throw new DaemonError(
      'OVERLOADED',
      `${this.#open} streams of events are open, as many as max_followers allows. Close one, or connect again later.`,
    );
  }

  followSession(response: ServerResponse, wish: FollowSession): void {
    this.#follow(response, (outlet) => LogStream.start({ ...this.#parts(outlet), ...wish }));
  }

  followAll(response: ServerResponse, wish: FollowAll): void {
    this.#follow(response, (outlet, signal) => FeedStream.start({ ...this.#parts(outlet), ...wish, signal }));
  }

  /** Says goodbye to everybody. */
  close(): Promise<void> {
    this.#closed = true;
    return this.#hub.close();
  }

  #parts(outlet: SseOutlet) {
    const { store, onError } = this.#options;
    return { store, hub: this.#hub, outlet, onError, onGap: () => this.#gaps++ };
  }

  #follow(
    response: ServerResponse,
    start: (outlet: SseOutlet, signal: AbortSignal) => Promise<{ leave: () => void }>,
  ): void {
    const { clock, follower_stall_ms, onError } = this.#options;
    const gone = new AbortController();
    this.#open++;
    const outlet = new SseOutlet(
      response,
      { clock, limit: FOLLOWER_BUFFER_BYTES, stall_ms: follower_stall_ms },
      () => {
        this.#open--;
        gone.abort();
      },
    );
    outlet.write(retryLine(SSE_RETRY_MS));
    start(outlet, gone.signal).then(
      ({ leave }) => {
        if (outlet.closed) leave();
        else gone.signal.addEventListener('abort', leave, { once: true });
      },
      (error) => {
        onError(error);
        response.destroy();
      },
    );
  }
}
