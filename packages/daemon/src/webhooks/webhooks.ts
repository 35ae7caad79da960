import { randomBytes } from 'node:crypto';
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import {
  type Clock,
  isoTime,
  isPassingFailure,
  type LoopHealth,
  type Random,
  type Report,
  SupervisedLoop,
} from '@amplifier/core';
import { hasCode, type SessionEvent, type SessionStore } from '@amplifier/sessions';
import { writeFileAtomic } from '../atomic-file.js';
import { DaemonError } from '../daemon-error.js';
import { WEBHOOK_CURSOR_EVERY } from '../defaults.js';
import { reaches } from '../events/feed-cursor.js';
import { nameFilter } from '../events/name-filter.js';
import { DeliveryQueue } from './delivery-queue.js';
import { newDelivery } from './new-delivery.js';
import { RecordFolder } from './record-folder.js';
import { newSecret } from './sign.js';
import type { Delivery, WebhookRecord } from './webhook-record.js';

export interface WebhooksOptions {
  folder: string;
  store: SessionStore;
  allow_private: boolean;
  version: string;
  clock: Clock;
  random: Random;
  report: Report;
}

/** An event, and how many deliveries it has become, or why it could not become any. */
interface Told {
  cursor: string;
  event: SessionEvent;
  made: number;
  error: unknown;
}

type Changes = Partial<Pick<WebhookRecord, 'url' | 'events' | 'description' | 'enabled'>>;

/**
 * Tells others what happens. It follows the feed of all sessions from a place that is kept on disk: first the deliveries
 * of an event are stored, then the place after it, so that no event is missed over a crash and none becomes two deliveries.
 */
export class Webhooks {
  readonly #options: WebhooksOptions;
  readonly #hooks: RecordFolder<WebhookRecord>;
  readonly #deliveries: RecordFolder<Delivery>;
  readonly #known = new Map<string, WebhookRecord>();
  readonly #queue: DeliveryQueue;
  readonly #loop: SupervisedLoop<Told>;
  #following: { stop: AbortController; ended: Promise<void> } | undefined;
  /** The place after the last event that was told. */
  #cursor = '';
  #unsaved = 0;

  private constructor(
    options: WebhooksOptions,
    hooks: RecordFolder<WebhookRecord>,
    deliveries: RecordFolder<Delivery>,
  ) {
    this.#options = options;
    this.#hooks = hooks;
    this.#deliveries = deliveries;
    this.#queue = new DeliveryQueue({
      ...options,
      deliveries,
      findWebhook: (id) => this.#known.get(id),
    });
    this.#loop = new SupervisedLoop<Told>({
      name: 'webhooks',
      clock: options.clock,
      report: options.report,
      items: (signal) => this.#told(signal),
      serve: (told) => this.#settle(told),
      nameOf: ({ event }) => `event ${event.seq} of session ${event.session_id}`,
    });
  }

  /** How its loops are; nothing runs while there is no webhook. */
  get health(): LoopHealth[] {
    return this.#following ? [this.#loop.health, this.#queue.health] : [];
  }

  static async open(options: WebhooksOptions): Promise<Webhooks> {
    const hooks = await RecordFolder.open<WebhookRecord>(join(options.folder, 'hooks'));
    const deliveries = await RecordFolder.open<Delivery>(join(options.folder, 'deliveries'));
    const webhooks = new Webhooks(options, hooks, deliveries);
    for (const record of await hooks.all()) webhooks.#known.set(record.id, record);
    await webhooks.#queue.resume();
    await webhooks.#follow();
    return webhooks;
  }

  get figures(): { pending: number; delivered: number; failed: number } {
    return { pending: this.#queue.pending, ...this.#queue.counts };
  }

  /** `key` is the same when the same creation is tried again. */
  async create(
    wish: { url: string; events: string[]; description: string | null },
    key: string = randomBytes(8).toString('hex'),
  ): Promise<WebhookRecord> {
    const { store, clock } = this.#options;
    const id = `whk_${Buffer.from(key).toString('hex').slice(0, 64)}`;
    const before = this.#known.get(id);
    if (before) return before;
    const record: WebhookRecord = {
      id,
      ...wish,
      enabled: true,
      secret: newSecret(randomBytes(24)),
      created_at: isoTime(clock),
      version: 1,
      after: await store.feedCursor(),
    };
    await this.#hooks.put(record);
    this.#known.set(id, record);
    await this.#follow();
    return record;
  }

  /** Oldest first. */
  list(): WebhookRecord[] {
    return [...this.#known.values()].sort((a, b) => (a.created_at < b.created_at ? -1 : 1));
  }

  get(id: string): WebhookRecord {
    const found = this.#known.get(id);
    if (found) return found;
    throw new DaemonError('WEBHOOK_NOT_FOUND', `There is no webhook ${JSON.stringify(id)}.`);
  }

  async update(id: string, changes: Changes): Promise<WebhookRecord> {
    const before = this.get(id);
    const record: WebhookRecord = { ...before, ...changes, version: before.version + 1 };
    this.#known.set(id, record);
    await this.#hooks.put(record);
    return record;
  }

  async remove(id: string): Promise<void> {
    this.get(id);
    this.#known.delete(id);
    await this.#hooks.remove(id);
    for (const delivery of await this.#deliveries.all())
      if (delivery.webhook_id === id) await this.#deliveries.remove(delivery.id);
    if (this.#known.size > 0) return;
    await this.#unfollow();
    await rm(this.#cursorPath, { force: true });
  }

  /** Newest first. */
  async deliveries(id: string): Promise<Delivery[]> {
    this.get(id);
    const found = (await this.#deliveries.all()).filter(({ webhook_id }) => webhook_id === id);
    return found.sort((a, b) => (a.created_at < b.created_at ? 1 : -1));
  }

  async redeliver(id: string, delivery_id: string): Promise<Delivery> {
    this.get(id);
    const delivery = await this.#deliveries.get(delivery_id);
    if (delivery?.webhook_id === id) return this.#queue.again(delivery);
    throw new DaemonError(
      'DELIVERY_NOT_FOUND',
      `Webhook ${id} has no delivery ${JSON.stringify(delivery_id)}.`,
    );
  }

  async close(): Promise<void> {
    await this.#unfollow();
    await this.#queue.close();
  }

  async #follow(): Promise<void> {
    if (this.#known.size === 0 || this.#following) return;
    const stop = new AbortController();
    const start = (await this.#readCursor()) ?? this.list()[0]?.after ?? '';
    if (this.#following) return;
    this.#cursor = start;
    const ended = this.#loop.run(stop.signal).then(async () => {
      await Promise.all(this.#loop.working);
      if (this.#unsaved > 0) await this.#save();
    });
    this.#following = { stop, ended };
  }

  async #unfollow(): Promise<void> {
    const following = this.#following;
    this.#following = undefined;
    following?.stop.abort();
    await following?.ended;
  }

  /**
   * Each event when its deliveries are stored. A failure that passes opens the feed again at the same event; what can never become
   * a delivery is passed on with its error, and the next event follows.
   */
  async *#told(signal: AbortSignal): AsyncGenerator<Told> {
    const { store } = this.#options;
    try {
      for await (const item of store.feed({ after: this.#cursor, signal })) {
        let told: Told = { ...item, made: 0, error: null };
        try {
          told = { ...told, made: await this.#take(item.cursor, item.event) };
        } catch (error) {
          if (isPassingFailure(error)) throw error;
          told = { ...told, error };
        }
        this.#cursor = item.cursor;
        yield told;
      }
    } catch (error) {
      // What lies between is no longer in the feed: it is said in the log rather than passed over in silence.
      if (hasCode(error, 'INVALID_CURSOR')) this.#cursor = await store.feedCursor();
      throw error;
    }
  }

  /** Keeps the place after the event, at the latest every so many events. */
  async #settle({ made, error }: Told): Promise<void> {
    if (made > 0 || error !== null || ++this.#unsaved >= WEBHOOK_CURSOR_EVERY) await this.#save();
    if (error !== null) throw error;
  }

  async #save(): Promise<void> {
    await writeFileAtomic(this.#cursorPath, JSON.stringify({ cursor: this.#cursor }));
    this.#unsaved = 0;
  }

  /** Makes the deliveries of one event; returns how many. */
  async #take(cursor: string, event: SessionEvent): Promise<number> {
    let made = 0;
    for (const webhook of this.#known.values()) {
      if (!webhook.enabled || reaches(webhook.after, cursor) || !nameFilter(webhook.events)(event.name))
        continue;
      await this.#queue.add(newDelivery(webhook, event, isoTime(this.#options.clock)));
      made++;
    }
    return made;
  }

  get #cursorPath(): string {
    return join(this.#options.folder, 'cursor.json');
  }

  async #readCursor(): Promise<string | null> {
    try {
      return JSON.parse(await readFile(this.#cursorPath, 'utf8')).cursor;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
      throw error;
    }
  }
}
