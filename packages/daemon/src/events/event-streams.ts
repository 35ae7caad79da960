import type { ServerResponse } from 'node:http';
import type { Clock, LoopHealth, Report } from '@amplifier/core';
import type { SessionStore } from '@amplifier/sessions';
import { tellLiveText } from '@amplifier/sessions/record';
import type { Caller } from '../auth/scope.js';
import { DaemonError } from '../daemon-error.js';
import { FOLLOWER_BUFFER_BYTES, SSE_RETRY_MS } from '../defaults.js';
import { Outlet } from '../http/outlet.js';
import { EventHub } from './event-hub.js';
import { EventStream, type StreamContents } from './event-stream.js';
import { LiveLane } from './live-lane.js';
import type { LivePeers } from './live-peers.js';
import { openingFrame } from './sse-frame.js';
import { LiveStream } from './stream-live.js';
import type { StreamScope } from './stream-scope.js';
import { StreamShares } from './stream-shares.js';

export interface EventStreamsOptions {
  store: SessionStore;
  /** Whose sessions these are; null: everybody's. */
  tenant?: string;
  /** Where other processes that share the record can be listened to; null where they cannot. */
  live_folder: string | null;
  peers: LivePeers | null;
  clock: Clock;
  max_followers: number;
  heartbeat_ms: number;
  follower_stall_ms: number;
  report: Report;
  onError(error: unknown): void;
}

/** A request for a stream. */
export interface Follow extends StreamContents {
  after: string;
  isReset: boolean;
  /** Also text while it is written. */
  deltas: boolean;
  isAllowed(): Promise<boolean>;
  caller: Caller;
}

/** The open streams of events. */
export class EventStreams {
  readonly #options: EventStreamsOptions;
  readonly #hub: EventHub;
  readonly #lane: LiveLane;
  readonly #told = new Set<ServerResponse>();
  readonly #tenants = new Map<string, EventStreams>();
  /** Of all tenants together. */
  readonly #shares: StreamShares;
  #gaps = 0;
  #closed = false;

  constructor(options: EventStreamsOptions, shares = new StreamShares(options.max_followers)) {
    this.#options = options;
    this.#shares = shares;
    this.#hub = new EventHub(options);
    this.#lane = new LiveLane({ ...options, folder: options.live_folder });
  }

  get health(): LoopHealth[] {
    const tenants = [...this.#tenants.values()].filter((each) => each.#hub.followers > 0);
    return [this.#hub.health, ...tenants.flatMap((each) => each.health)];
  }

  /** Those of one tenant, who hears of nothing else. */
  of(tenant: string, store: SessionStore): EventStreams {
    const known =
      this.#tenants.get(tenant) ?? new EventStreams({ ...this.#options, store, tenant }, this.#shares);
    this.#tenants.set(tenant, known);
    return known;
  }

  /** What is going on, for the metrics. */
  get figures(): { followers: number; offered: number; gaps: number } {
    const tenants = [...this.#tenants.values()].map((each) => each.figures);
    const sum = (own: number, of: 'offered' | 'gaps') => tenants.reduce((all, each) => all + each[of], own);
    return {
      followers: this.#shares.open,
      offered: sum(this.#hub.offered, 'offered'),
      gaps: sum(this.#gaps, 'gaps'),
    };
  }

  /** Must be called before the headers go out: afterwards a refusal can no longer be said. */
  checkRoom(caller: Caller): void {
    if (this.#closed) throw new DaemonError('NOT_READY', 'The daemon is stopping.');
    this.#shares.check(caller);
  }

  follow(response: ServerResponse, { deltas, caller, ...stream }: Follow): void {
    const { clock, follower_stall_ms, onError, store } = this.#options;
    const gone = new AbortController();
    const hub = this.#hub;
    const leaveShare = this.#shares.enter(caller);
    const outlet = new Outlet(
      response,
      { clock, limit: FOLLOWER_BUFFER_BYTES, stall_ms: follower_stall_ms },
      () => {
        leaveShare();
        gone.abort();
      },
    );
    // With an id, so that a client whose connection breaks before the first event continues from there.
    outlet.write(openingFrame(stream.after, SSE_RETRY_MS));
    EventStream.start({ ...stream, store, hub, outlet, onError, onGap: () => this.#gaps++ }).then(
      ({ leave, caughtUp }) => {
        if (outlet.closed) return leave();
        gone.signal.addEventListener('abort', leave, { once: true });
        if (deltas) void caughtUp.then(() => this.#readAlong(outlet, stream.scope, gone.signal));
      },
      (error) => {
        onError(error);
        response.destroy();
      },
    );
  }

  /** Another daemon of the record reads along. */
  tellPeer(response: ServerResponse): void {
    response.flushHeaders();
    this.#told.add(response);
    response.on('close', () => this.#told.delete(response));
    tellLiveText(this.#options.store.live, response);
  }

  /** How many entries followers here have yet to get, when this is the end of the feed; 0 without followers. */
  behind(end: string): number {
    return this.#hub.behind(end);
  }

  /** Tokens may have been revoked: streams that were opened with one end now. */
  checkTokens(): void {
    this.#hub.beat();
    for (const tenant of this.#tenants.values()) tenant.checkTokens();
  }

  /** Says goodbye to everybody. */
  async close(): Promise<void> {
    this.#closed = true;
    await Promise.all([...this.#tenants.values()].map((tenant) => tenant.close()));
    for (const response of this.#told) response.end();
    this.#lane.close();
    return this.#hub.close();
  }

  #readAlong(outlet: Outlet, scope: StreamScope, gone: AbortSignal): void {
    if (outlet.closed || this.#closed) return;
    const leave = LiveStream.start(outlet, this.#lane, scope);
    gone.addEventListener('abort', leave, { once: true });
  }
}
