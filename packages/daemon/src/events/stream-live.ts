import type { LiveItem } from '@amplifier/core';
import type { Outlet } from '../http/outlet.js';
import type { LiveLane } from './live-lane.js';
import { frame } from './sse-frame.js';
import type { StreamScope } from './stream-scope.js';

const NAMES = { delta: 'delta', snapshot: 'snapshot', end: 'message_end' } as const;

/**
 * The part of a stream that is not stored: text while it is written. Its frames have no id. A reader that does not keep up misses
 * pieces, and then gets all of the open text at once.
 */
export class LiveStream {
  readonly #outlet: Outlet;
  readonly #lane: LiveLane;
  readonly #scope: StreamScope;
  #isBehind = false;

  private constructor(outlet: Outlet, lane: LiveLane, scope: StreamScope) {
    this.#outlet = outlet;
    this.#lane = lane;
    this.#scope = scope;
  }

  static start(outlet: Outlet, lane: LiveLane, scope: StreamScope): () => void {
    const stream = new LiveStream(outlet, lane, scope);
    const leave = lane.join((item) => stream.#said(item));
    stream.#tellOpen();
    return leave;
  }

  #said(item: LiveItem): void {
    if (!this.#scope.covers(item) || this.#isBehind) return;
    if (this.#outlet.hasRoom) return void this.#write(item);
    this.#isBehind = true;
    void this.#outlet.drained().then(() => {
      this.#isBehind = false;
      this.#tellOpen();
    });
  }

  #tellOpen(): void {
    for (const item of this.#lane.snapshots()) if (this.#scope.covers(item)) this.#write(item);
  }

  #write({ kind, tenant: _, ...data }: LiveItem): void {
    this.#outlet.write(frame(NAMES[kind], data));
  }
}
