import { once } from 'node:events';
import { type Clock, isoTime, isPassingFailure, type Report, SupervisedLoop } from '@amplifier/core';
import {
  type FeedItem,
  feedDistance,
  hasCode,
  type SessionEvent,
  type SessionStore,
  type SqlShelf,
} from '@amplifier/sessions';
import { WEBHOOK_CURSOR_EVERY } from '../defaults.js';
import { nameFilter } from '../events/name-filter.js';
import type { Deliveries } from './deliveries.js';
import { newDelivery } from './new-delivery.js';
import { WEBHOOK, type WebhookRecord } from './webhook-record.js';

export interface WebhookFeedOptions {
  shelf: SqlShelf;
  store: SessionStore;
  deliveries: Deliveries;
  clock: Clock;
  report: Report;
}

/** An event that was read, with the number of its deliveries, or why there are none. */
interface ReadEvent {
  cursor: string;
  event: SessionEvent;
  made: number;
  error: unknown;
}

/** All deliveries of these webhooks are stored up to the cursor. */
interface Kept {
  cursor: string;
  hooks: string[];
}

const CURSOR = 'webhook cursor';

/**
 * Makes deliveries of the events that webhooks want. It follows the feed of all sessions from a position that is kept: first the
 * deliveries of an event are stored, then the position, so that no event is missed over a crash. All daemons of a record read it; a
 * delivery that another has stored is left alone.
 */
export class WebhookFeed {
  readonly #options: WebhookFeedOptions;
  readonly #loop: SupervisedLoop<ReadEvent>;
  readonly #stop = new AbortController();
  readonly #unwatch: () => void;
  #known = new Map<string, WebhookRecord>();
  /** Ends the reading, so that it begins again from the position of a new webhook. */
  #round = new AbortController();
  #running: Promise<void> | undefined;
  #kept: Kept = { cursor: '', hooks: [] };
  #unsaved = 0;

  constructor(options: WebhookFeedOptions) {
    this.#options = options;
    const { clock, report, shelf } = options;
    this.#loop = new SupervisedLoop<ReadEvent>({
      name: 'webhooks',
      clock,
      report,
      items: (signal) => this.#items(signal),
      serve: (read) => this.#settle(read),
      nameOf: ({ event }) => `event ${event.seq} of session ${event.session_id}`,
    });
    // If it fails, the loop reads the webhooks.
    this.#unwatch = shelf.watch(WEBHOOK, () => void this.look().catch(() => this.#round.abort()));
  }

  /** Nothing runs while there is no webhook. */
  get health() {
    return this.#running ? [this.#loop.health] : [];
  }

  get(id: string): WebhookRecord | undefined {
    return this.#known.get(id);
  }

  /** Webhooks were added, changed or removed. */
  async look(): Promise<void> {
    const before = this.#known;
    await this.#readWebhooks();
    if (this.#stop.signal.aborted) return;
    const isAdded = [...this.#known.keys()].some((id) => !before.has(id));
    if (isAdded || this.#known.size === 0) this.#round.abort();
    if (this.#known.size > 0) this.#running ??= this.#loop.run(this.#stop.signal);
  }

  async close(): Promise<void> {
    this.#unwatch();
    this.#stop.abort();
    await this.#running;
    await Promise.all(this.#loop.working);
    if (this.#unsaved > 0) await this.#save();
  }

  async #readWebhooks(): Promise<void> {
    const { shelf, deliveries } = this.#options;
    const before = this.#known;
    const hooks = await shelf.all<WebhookRecord>(WEBHOOK);
    this.#known = new Map(hooks.map((record) => [record.id, record]));
    for (const id of before.keys()) if (!this.#known.has(id)) deliveries.forget(id);
  }

  async *#items(signal: AbortSignal): AsyncGenerator<ReadEvent> {
    while (!signal.aborted) {
      this.#round = new AbortController();
      const round = AbortSignal.any([signal, this.#round.signal]);
      await this.#readWebhooks();
      if (this.#known.size > 0) yield* this.#events(round);
      else if (!round.aborted) await once(round, 'abort');
    }
  }

  /**
   * Each event when its deliveries are stored. A failure that passes opens the feed again at the same event; what can never become
   * a delivery is passed on with its error, and the next event follows.
   */
  async *#events(signal: AbortSignal): AsyncGenerator<ReadEvent> {
    const { store, shelf } = this.#options;
    const kept = await shelf.get<Kept>(CURSOR, CURSOR);
    const starts = [...this.#known.values()].map(({ id, after }) =>
      kept?.hooks.includes(id) ? kept.cursor : after,
    );
    const [first = ''] = starts.sort((a, b) => feedDistance(b, a));
    this.#kept = { cursor: first, hooks: [...this.#known.keys()] };
    try {
      for await (const item of store.feed({ after: first, signal })) {
        let read: ReadEvent = { ...item, made: 0, error: null };
        try {
          read = { ...read, made: await this.#make(item) };
        } catch (error) {
          if (isPassingFailure(error)) throw error;
          read = { ...read, error };
        }
        this.#kept.cursor = item.cursor;
        yield read;
      }
    } catch (error) {
      // The events up to the end are no longer in the feed: the error is reported, and reading continues behind them.
      if (hasCode(error, 'INVALID_CURSOR')) {
        this.#kept.cursor = await store.feedCursor();
        await this.#save();
      }
      throw error;
    }
  }

  /** Keeps the position after the event, at the latest every so many events. */
  async #settle({ made, error }: ReadEvent): Promise<void> {
    if (made > 0 || error !== null || ++this.#unsaved >= WEBHOOK_CURSOR_EVERY) await this.#save();
    if (error !== null) throw error;
  }

  /** After a power cut, events are read again: their deliveries are known by their ids. */
  async #save(): Promise<void> {
    const body = this.#kept;
    await this.#options.shelf.change(CURSOR, CURSOR, () => ({ body, result: null }), 'process');
    this.#unsaved = 0;
  }

  /** Makes the deliveries of one event; returns how many. */
  async #make({ cursor, event, tenant }: FeedItem): Promise<number> {
    let made = 0;
    for (const webhook of this.#known.values()) {
      if (tenant !== (webhook.tenant ?? tenant)) continue;
      if (
        !webhook.enabled ||
        feedDistance(webhook.after, cursor) <= 0 ||
        !nameFilter(webhook.events)(event.name)
      )
        continue;
      const delivery = newDelivery(webhook, event, isoTime(this.#options.clock));
      await this.#options.deliveries.add(webhook, delivery);
      made++;
    }
    return made;
  }
}
