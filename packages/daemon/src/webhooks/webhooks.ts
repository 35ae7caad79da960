import { randomBytes } from 'node:crypto';
import { isoTime, type LoopHealth } from '@amplifier/core';
import type { RunKind } from '@amplifier/delegation';
import type { SessionStore, SqlShelf } from '@amplifier/sessions';
import { DaemonError } from '../daemon-error.js';
import { Deliveries, type DeliveriesOptions } from './deliveries.js';
import { newSecret } from './sign.js';
import { WebhookFeed, type WebhookFeedOptions } from './webhook-feed.js';
import { DELIVERY, type Delivery, WEBHOOK, type WebhookRecord } from './webhook-record.js';

export interface WebhooksOptions extends DeliveriesOptions, Omit<WebhookFeedOptions, 'deliveries'> {
  /** Whose webhooks these are; without one, everybody's. */
  tenant?: string;
}

type Changes = Partial<Pick<WebhookRecord, 'url' | 'events' | 'description' | 'enabled'>>;

/** Who wants to be told what happens, and what became of it: the same at every daemon of a record. */
export class Webhooks {
  readonly #options: WebhooksOptions;
  readonly #deliveries: Deliveries;
  readonly #feed: WebhookFeed;

  constructor(options: WebhooksOptions, all?: Webhooks) {
    this.#options = options;
    this.#deliveries = all ? all.#deliveries : new Deliveries(options);
    this.#feed = all ? all.#feed : new WebhookFeed({ ...options, deliveries: this.#deliveries });
  }

  /** Those of one tenant. */
  of(tenant: string, store: SessionStore, shelf: SqlShelf): Webhooks {
    return new Webhooks({ ...this.#options, tenant, store, shelf }, this);
  }

  /** How the deliveries of all daemons are executed here. */
  get kinds(): Readonly<Record<string, RunKind>> {
    return { [DELIVERY]: this.#deliveries.kind };
  }

  /** How the reader of the feed is; nothing runs while there is no webhook. */
  get health(): LoopHealth[] {
    return this.#feed.health;
  }

  /** What this daemon has sent. */
  get counts(): { delivered: number; failed: number } {
    return this.#deliveries.counts;
  }

  /** What all daemons have to send. */
  pending(): Promise<number> {
    return this.#deliveries.pending();
  }

  /** Receivers that do not respond in time. Which webhooks they belong to is only for the operator. */
  news(isOperator: boolean): string | null {
    const silent = [...this.#deliveries.silent].filter((id) => this.#feed.get(id)?.enabled);
    if (silent.length === 0) return null;
    const which = isOperator ? ` (${silent.slice(0, 20).join(', ')})` : '';
    return `Receivers of webhooks that did not respond in time: ${silent.length}${which}.`;
  }

  /** Begins to make deliveries. */
  async start(): Promise<void> {
    await this.#deliveries.adopt();
    await this.#feed.look();
  }

  /** `key` is the same when the same creation is tried again. */
  async create(
    wish: { url: string; events: string[]; description: string | null },
    key: string = randomBytes(8).toString('hex'),
  ): Promise<WebhookRecord> {
    const { store, clock, tenant } = this.#options;
    const id = `whk_${Buffer.from(key).toString('hex').slice(0, 64)}`;
    const record: WebhookRecord = {
      id,
      ...wish,
      enabled: true,
      secret: newSecret(randomBytes(24)),
      created_at: isoTime(clock),
      version: 1,
      after: await store.feedCursor(),
      ...(tenant === undefined ? {} : { tenant }),
    };
    await this.#shelf.add(WEBHOOK, id, record);
    await this.#feed.look();
    return this.get(id);
  }

  /** Oldest first. */
  async list(): Promise<WebhookRecord[]> {
    return (await this.#shelf.all<WebhookRecord>(WEBHOOK)).sort((a, b) =>
      a.created_at < b.created_at ? -1 : 1,
    );
  }

  async get(id: string): Promise<WebhookRecord> {
    const found = await this.#shelf.get<WebhookRecord>(WEBHOOK, id);
    if (found) return found;
    throw new DaemonError('WEBHOOK_NOT_FOUND', `There is no webhook ${JSON.stringify(id)}.`);
  }

  async update(id: string, changes: Changes): Promise<WebhookRecord> {
    const before = await this.get(id);
    const record: WebhookRecord = { ...before, ...changes, version: before.version + 1 };
    await this.#shelf.put(WEBHOOK, id, record);
    await this.#feed.look();
    return record;
  }

  async remove(id: string): Promise<void> {
    const record = await this.get(id);
    await this.#shelf.remove(WEBHOOK, id);
    await this.#feed.look();
    await this.#deliveries.withdraw(record);
  }

  /** Newest first. */
  async deliveries(id: string): Promise<Delivery[]> {
    const found = await this.#deliveries.list(await this.get(id));
    return found.sort((a, b) => (a.created_at < b.created_at ? 1 : -1));
  }

  async redeliver(id: string, delivery_id: string): Promise<Delivery> {
    const again = await this.#deliveries.again(await this.get(id), delivery_id);
    if (again) return again;
    throw new DaemonError(
      'DELIVERY_NOT_FOUND',
      `Webhook ${id} has no delivery ${JSON.stringify(delivery_id)}.`,
    );
  }

  close(): Promise<void> {
    return this.#feed.close();
  }

  get #shelf(): SqlShelf {
    return this.#options.shelf;
  }
}
