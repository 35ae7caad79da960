import {
  type Clock,
  type LiveItem,
  LiveText,
  type LoopHealth,
  type Report,
  SupervisedLoop,
} from '@amplifier/core';
import type { MessagePlace, SeenMessages, SessionStore } from '@amplifier/sessions';
import { followLiveText } from '@amplifier/sessions/record';
import type { LivePeers } from './live-peers.js';

/** Somebody who reads along. None of these calls may block or throw. */
export interface LiveListener {
  said(item: LiveItem): void;
  stored(place: MessagePlace): void;
}

export interface LiveLaneOptions {
  store: SessionStore;
  /** Whose sessions alone are listened to. */
  tenant?: string;
  /** Where other processes that share the record can be listened to; null where they cannot. */
  folder: string | null;
  /** Other daemons, where the record is on a server. */
  peers: LivePeers | null;
  clock: Clock;
  report: Report;
}

/** What sessions are saying, in this process and in others, and where messages are stored. It listens only while somebody does. */
export class LiveLane {
  readonly #options: LiveLaneOptions;
  readonly #listeners = new Set<LiveListener>();
  readonly #messages: SupervisedLoop<MessagePlace>;
  #seen: SeenMessages = {};
  #ended: Promise<void> = Promise.resolve();
  #text: LiveText | undefined;
  #stop: (() => void) | undefined;

  constructor(options: LiveLaneOptions) {
    this.#options = options;
    const { store, clock, report } = options;
    this.#messages = new SupervisedLoop({
      name: 'stored messages',
      clock,
      report,
      items: (signal) => {
        // After a failure all that is open is told: what came meanwhile is among it.
        if (this.#messages.health.failures > 0) this.#seen.counts ??= new Map();
        return store.messageFeed({ signal, seen: this.#seen });
      },
      serve: (place) => {
        for (const listener of this.#listeners) listener.stored(place);
      },
      nameOf: ({ session_id, seq }) => `message ${seq} of session ${session_id}`,
    });
  }

  /** How its loop is; nothing runs while nobody listens. */
  get health(): LoopHealth[] {
    return this.#stop ? [this.#messages.health] : [];
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
        if (isMine(item)) for (const listener of this.#listeners) listener.said(item);
      }),
      store.live.subscribe((item) => {
        own.add(item.session_id);
        text.receive(item);
      }),
    ];
    const isOwn = (session_id: string) => own.has(session_id);
    if (folder !== null) stops.push(followLiveText(folder, text, isOwn));
    if (peers) stops.push(peers.follow(text, isOwn));
    const end = new AbortController();
    this.#seen = {};
    this.#ended = this.#ended.then(() => this.#messages.run(end.signal));
    this.#stop = () => {
      for (const stop of stops) stop();
      end.abort();
    };
  }
}
