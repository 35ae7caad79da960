import {
  type Clock,
  isoTime,
  isPassingFailure,
  type LoopHealth,
  type Random,
  type Report,
  SupervisedLoop,
} from '@amplifier/core';
import {
  type FeedItem,
  feedDistance,
  hasCode,
  type SessionEvent,
  type SessionStore,
  type SqlShelf,
} from '@amplifier/sessions';
import { type NamedLease, takeLease } from '@amplifier/sessions/record';
import { WEBHOOK_CURSOR_EVERY, WEBHOOK_LEAD_MS } from '../defaults.js';
import { nameFilter } from '../events/name-filter.js';
import { DeliveryQueue } from './delivery-queue.js';
import { newDelivery } from './new-delivery.js';
import { DELIVERY, type Delivery, WEBHOOK, type WebhookRecord } from './webhook-record.js';

export interface WebhookTellerOptions {
  /** The record, as the place where one of its daemons becomes the one that tells. */
  record: string;
  shelf: SqlShelf;
  store: SessionStore;
  allow_private: boolean;
  version: string;
  clock: Clock;
  random: Random;
  report: Report;
}

/** An event, and how many deliveries it has become, or why it could not become any. */
interface Told {
  tenant: string;
  cursor: string;
  event: SessionEvent;
  made: number;
  error: unknown;
}

/** Up to where these were told. */
interface Kept {
  cursor: string;
  hooks: string[];
}

const CURSOR = 'webhook cursor';
const AGAIN = 'redelivery';

/**
 * Tells others what happens; one daemon of a record does so at a time. It follows the feed of all sessions from a place that is kept:
 * first the deliveries of an event are stored, then the place after it, so that no event is missed over a crash and none becomes two
 * deliveries.
 */
export class WebhookTeller {
  readonly #options: WebhookTellerOptions;
  readonly #queue: DeliveryQueue;
  readonly #loop: SupervisedLoop<Told>;
  readonly #stop = new AbortController();
  readonly #unwatch: (() => void)[];
  #known = new Map<string, WebhookRecord>();
  #lease: NamedLease | null = null;
  /** Ends the present following of the feed, or the waiting for a turn, so that it begins anew. */
  #round = new AbortController();
  #running: Promise<void> | undefined;
  /** The place after the last event that was told, and that of the one that is being told. */
  #cursor = '';
  #reading = '';
  /** The webhooks that all events up to there were told of. */
  #covered = new Set<string>();
  #unsaved = 0;

  constructor(options: WebhookTellerOptions) {
    this.#options = options;
    const { clock, report, shelf } = options;
    this.#queue = new DeliveryQueue({
      ...options,
      findWebhook: (id) => this.#known.get(id),
      mayServe: async () => (await this.#lease?.isHeld()) ?? false,
    });
    this.#loop = new SupervisedLoop<Told>({
      name: 'webhooks',
      clock,
      report,
      items: (signal) => this.#lead(signal),
      serve: (told) => this.#settle(told),
      nameOf: ({ event }) => `event ${event.seq} of session ${event.session_id}`,
    });
    // A look that fails is made again by the loop.
    const looks = () => void this.look().catch(() => this.#round.abort());
    const sends = () => void this.#sendAgain().catch(() => this.#round.abort());
    this.#unwatch = [shelf.watch(WEBHOOK, looks), shelf.watch(AGAIN, sends)];
  }

  get health(): LoopHealth[] {
    return this.#running ? [this.#loop.health, this.#queue.health] : [];
  }

  get figures(): { pending: number; delivered: number; failed: number } {
    return { pending: this.#queue.pending, ...this.#queue.counts };
  }

  /** Webhooks whose receivers do not respond in time, by id. */
  get silent(): string[] {
    return this.#queue.silent;
  }

  /** Something has changed: who is to be told now? */
  async look(): Promise<void> {
    const isLate = await this.#read();
    if (this.#stop.signal.aborted) return;
    const isAny = this.#known.size > 0;
    // Whoever waits for somebody to tell, or tells nobody any more, or has to go back, begins anew.
    if (isLate || isAny !== (this.#lease !== null)) this.#round.abort();
    if (isAny) this.#running ??= this.#loop.run(this.#stop.signal);
  }

  /** True when there is one whose first event has gone by meanwhile: the feed is read again from there. */
  async #read(): Promise<boolean> {
    const hooks = await this.#options.shelf.all<WebhookRecord>(WEBHOOK);
    this.#known = new Map(hooks.map((record) => [record.id, record]));
    const added = hooks.filter(({ id }) => !this.#covered.has(id));
    const isLate = added.some(({ after }) => this.#reading !== '' && feedDistance(after, this.#reading) > 0);
    if (!isLate) for (const { id } of added) this.#covered.add(id);
    return isLate;
  }

  /** Sends a delivery once more, whatever became of it: at the daemon that tells. */
  async again(delivery: Delivery): Promise<Delivery> {
    const { shelf, clock } = this.#options;
    const next: Delivery = { ...delivery, status: 'pending', next_attempt_at: isoTime(clock) };
    await shelf.put(DELIVERY, next.id, next);
    await shelf.put(AGAIN, delivery.id, {});
    await this.#sendAgain();
    return next;
  }

  async close(): Promise<void> {
    for (const stop of this.#unwatch) stop();
    this.#stop.abort();
    this.#round.abort();
    await this.#running;
    await Promise.all(this.#loop.working);
    await this.#rest();
    await this.#queue.close();
  }

  /** Each event that is told, while it is this daemon's turn. */
  async *#lead(signal: AbortSignal): AsyncGenerator<Told> {
    while (!signal.aborted) {
      this.#round = new AbortController();
      const round = AbortSignal.any([signal, this.#round.signal]);
      await this.#read();
      if (await this.#isMyTurn()) yield* this.#told(round);
      else await this.#wait(round);
    }
  }

  /** Is there anybody to be told, and no other daemon that does so? */
  async #isMyTurn(): Promise<boolean> {
    if (this.#known.size > 0 && (await this.#lease?.isHeld())) return true;
    await this.#rest();
    if (this.#known.size === 0) return false;
    this.#lease = await this.#tryLease();
    if (!this.#lease) return false;
    await this.#queue.resume();
    await this.#sendAgain();
    return true;
  }

  /** Gives the turn to another. */
  async #rest(): Promise<void> {
    const lease = this.#lease;
    if (!lease) return;
    this.#queue.rest();
    if (this.#unsaved > 0) await this.#save();
    this.#lease = null;
    await lease.release();
  }

  /** Null while another daemon tells. */
  async #tryLease(): Promise<NamedLease | null> {
    try {
      return await takeLease(this.#options.record, 'teller');
    } catch (error) {
      if (hasCode(error, 'SESSION_LOCKED')) return null;
      throw error;
    }
  }

  /** Until something has changed, or the daemon that tells may have died. */
  #wait(round: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const cancel = this.#options.clock.after(WEBHOOK_LEAD_MS, resolve);
      const stop = () => {
        cancel();
        resolve();
      };
      if (round.aborted) stop();
      else round.addEventListener('abort', stop, { once: true });
    });
  }

  /**
   * Each event when its deliveries are stored. A failure that passes opens the feed again at the same event; what can never become
   * a delivery is passed on with its error, and the next event follows.
   */
  async *#told(signal: AbortSignal): AsyncGenerator<Told> {
    const { store, shelf } = this.#options;
    const kept = await shelf.get<Kept>(CURSOR, CURSOR);
    const added = [...this.#known.values()].filter(({ id }) => !kept?.hooks.includes(id));
    const starts = [...(kept ? [kept.cursor] : []), ...added.map(({ after }) => after)];
    const [first] = starts.sort((a, b) => feedDistance(b, a));
    this.#reading = this.#cursor = first ?? (await store.feedCursor());
    this.#covered = new Set(this.#known.keys());
    try {
      for await (const item of store.feed({ after: this.#cursor, signal })) {
        this.#reading = item.cursor;
        let told: Told = { ...item, made: 0, error: null };
        try {
          told = { ...told, made: await this.#take(item) };
        } catch (error) {
          if (isPassingFailure(error)) throw error;
          told = { ...told, error };
        }
        this.#cursor = item.cursor;
        yield told;
      }
    } catch (error) {
      // What lies between is no longer in the feed: it is said in the log rather than passed over in silence.
      if (hasCode(error, 'INVALID_CURSOR')) await this.#keep(await store.feedCursor());
      throw error;
    }
  }

  /** Keeps the place after the event, at the latest every so many events. */
  async #settle({ made, error }: Told): Promise<void> {
    if (made > 0 || error !== null || ++this.#unsaved >= WEBHOOK_CURSOR_EVERY) await this.#save();
    if (error !== null) throw error;
  }

  /** One whose turn was taken by another writes nothing. */
  async #save(): Promise<void> {
    if (await this.#lease?.isHeld()) await this.#keep(this.#cursor);
    else this.#round.abort();
    this.#unsaved = 0;
  }

  async #keep(cursor: string): Promise<void> {
    const kept: Kept = { cursor, hooks: [...this.#covered] };
    await this.#options.shelf.put(CURSOR, CURSOR, kept);
  }

  /** Makes the deliveries of one event; returns how many. */
  async #take({ cursor, event, tenant }: FeedItem): Promise<number> {
    let made = 0;
    for (const webhook of this.#known.values()) {
      if (tenant !== (webhook.tenant ?? tenant)) continue;
      if (
        !webhook.enabled ||
        feedDistance(webhook.after, cursor) <= 0 ||
        !nameFilter(webhook.events)(event.name)
      )
        continue;
      await this.#queue.add(newDelivery(webhook, event, isoTime(this.#options.clock)));
      made++;
    }
    return made;
  }

  async #sendAgain(): Promise<void> {
    const { shelf } = this.#options;
    if (!this.#lease) return;
    for (const id of await shelf.names(AGAIN)) {
      if (!(await shelf.remove(AGAIN, id))) continue;
      const delivery = await shelf.get<Delivery>(DELIVERY, id);
      if (delivery) this.#queue.soon(delivery);
    }
  }
}
