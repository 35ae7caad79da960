import type { LiveItem } from '@amplifier/core';
import type { MessagePlace } from '@amplifier/sessions';
import type { Outlet } from '../http/outlet.js';
import type { LiveLane, LiveListener } from './live-lane.js';
import { signalFrame } from './sse-frame.js';

const NAMES = { delta: 'delta', snapshot: 'snapshot', end: 'message_end' } as const;

/**
 * The lane of a stream that is not durable: text while it is written, and where it was stored. Its frames have no id. A reader that
 * does not keep up misses pieces, and gets the whole of what is open as soon as it does.
 */
export class LiveStream implements LiveListener {
  readonly #outlet: Outlet;
  readonly #lane: LiveLane;
  readonly #covers: (session_id: string, root_id: string) => boolean;
  /** The last message of each session that is still to be told. */
  readonly #untold = new Map<string, MessagePlace>();
  #isBehind = false;

  private constructor(
    outlet: Outlet,
    lane: LiveLane,
    covers: (session_id: string, root_id: string) => boolean,
  ) {
    this.#outlet = outlet;
    this.#lane = lane;
    this.#covers = covers;
  }

  static start(
    outlet: Outlet,
    lane: LiveLane,
    covers: (session_id: string, root_id: string) => boolean,
  ): () => void {
    const stream = new LiveStream(outlet, lane, covers);
    const leave = lane.join(stream);
    stream.#tellOpen();
    return leave;
  }

  said(item: LiveItem): void {
    if (!this.#covers(item.session_id, item.root_id) || this.#isBehind) return;
    if (this.#outlet.hasRoom) this.#write(item);
    else this.#fallBehind();
  }

  stored(place: MessagePlace): void {
    if (!this.#covers(place.session_id, place.root_id)) return;
    if (!this.#isBehind && this.#outlet.hasRoom) this.#outlet.write(signalFrame('message', place));
    else {
      this.#untold.set(place.session_id, place);
      this.#fallBehind();
    }
  }

  #fallBehind(): void {
    if (this.#isBehind) return;
    this.#isBehind = true;
    void this.#outlet.drained().then(() => {
      this.#isBehind = false;
      for (const place of this.#untold.values()) this.#outlet.write(signalFrame('message', place));
      this.#untold.clear();
      this.#tellOpen();
    });
  }

  #tellOpen(): void {
    for (const item of this.#lane.snapshots())
      if (this.#covers(item.session_id, item.root_id)) this.#write(item);
  }

  #write({ kind, tenant: _, ...data }: LiveItem): void {
    this.#outlet.write(signalFrame(NAMES[kind], data));
  }
}
