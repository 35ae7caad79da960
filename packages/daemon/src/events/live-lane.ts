import { type LiveItem, LiveText } from '@amplifier/core';
import type { SessionStore } from '@amplifier/sessions';
import { followLiveText } from '@amplifier/sessions/record';
import type { LivePeers } from './live-peers.js';

/** Must neither block nor throw. */
type LiveListener = (item: LiveItem) => void;

export interface LiveLaneOptions {
  store: SessionStore;
  /** Whose sessions alone are listened to. */
  tenant?: string;
  /** Where other processes that share the record can be listened to; null where they cannot. */
  folder: string | null;
  /** Other daemons, where the record is on a server. */
  peers: LivePeers | null;
}

/** What sessions are saying, in this process and in others. It listens only while it has listeners. */
export class LiveLane {
  readonly #options: LiveLaneOptions;
  readonly #listeners = new Set<LiveListener>();
  #text: LiveText | undefined;
  #stop: (() => void) | undefined;

  constructor(options: LiveLaneOptions) {
    this.#options = options;
  }

  /** What is open now. */
  snapshots(): LiveItem[] {
    const { tenant } = this.#options;
    const open = this.#text?.snapshots() ?? [];
    return tenant === undefined ? open : open.filter((item) => item.tenant === tenant);
  }

  join(listener: LiveListener): () => void {
    this.#listeners.add(listener);
    this.#start();
    return () => {
      this.#listeners.delete(listener);
      if (this.#listeners.size === 0) this.close();
    };
  }

  close(): void {
    this.#stop?.();
    this.#stop = undefined;
    this.#text = undefined;
  }

  #start(): void {
    if (this.#stop) return;
    const { store, folder, peers, tenant } = this.#options;
    const text = new LiveText(() => '');
    this.#text = text;
    const own = new Set<string>();
    const isMine = (item: LiveItem) => tenant === undefined || item.tenant === tenant;
    for (const item of store.live.snapshots()) text.receive(item);
    const stops = [
      text.subscribe((item) => {
        if (isMine(item)) for (const listener of this.#listeners) listener(item);
      }),
      store.live.subscribe((item) => {
        own.add(item.session_id);
        text.receive(item);
      }),
    ];
    const isOwn = (session_id: string) => own.has(session_id);
    if (folder !== null) stops.push(followLiveText(folder, text, isOwn));
    if (peers) stops.push(peers.follow(text, isOwn));
    this.#stop = () => {
      for (const stop of stops) stop();
    };
  }
}
