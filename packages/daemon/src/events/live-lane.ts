import { type Clock, type Report, SupervisedLoop } from '@amplifier/core';
import {
  followLiveText,
  type LiveItem,
  LiveText,
  type MessagePlace,
  type SessionStore,
} from '@amplifier/sessions';

/** Somebody who reads along. None of these calls may block or throw. */
export interface LiveListener {
  said(item: LiveItem): void;
  stored(place: MessagePlace): void;
}

export interface LiveLaneOptions {
  store: SessionStore;
  /** Where other processes that share the record can be listened to; null where they cannot. */
  folder: string | null;
  clock: Clock;
  report: Report;
}

/** What sessions are saying, in this process and in others, and where messages are stored. It listens only while somebody does. */
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
    return this.#text?.snapshots() ?? [];
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

  #messages(): SupervisedLoop<MessagePlace> {
    const { store, clock, report } = this.#options;
    return new SupervisedLoop({
      name: 'stored messages',
      clock,
      report,
      items: (signal) => store.messageFeed({ signal }),
      serve: (place) => {
        for (const listener of this.#listeners) listener.stored(place);
      },
      nameOf: ({ session_id, seq }) => `message ${seq} of session ${session_id}`,
    });
  }

  #start(): void {
    if (this.#stop) return;
    const { store, folder } = this.#options;
    const text = new LiveText(() => '');
    this.#text = text;
    const own = new Set<string>();
    for (const item of store.live.snapshots()) text.receive(item);
    const stops = [
      text.subscribe((item) => {
        for (const listener of this.#listeners) listener.said(item);
      }),
      store.live.subscribe((item) => {
        own.add(item.session_id);
        text.receive(item);
      }),
    ];
    if (folder !== null) stops.push(followLiveText(folder, text, (session_id) => own.has(session_id)));
    const end = new AbortController();
    void this.#messages().run(end.signal);
    this.#stop = () => {
      for (const stop of stops) stop();
      end.abort();
    };
  }
}
