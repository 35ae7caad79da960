import { randomBytes } from 'node:crypto';
import { isoTime, type LoopHealth } from '@amplifier/core';
import type { SessionStore, SqlShelf } from '@amplifier/sessions';
import { DaemonError } from '../daemon-error.js';
import { newSecret } from './sign.js';
import { DELIVERY, type Delivery, WEBHOOK, type WebhookRecord } from './webhook-record.js';
import { WebhookTeller, type WebhookTellerOptions } from './webhook-teller.js';

export interface WebhooksOptions extends WebhookTellerOptions {
  /** Whose webhooks these are; without one, everybody's. */
  tenant?: string;
}

type Changes = Partial<Pick<WebhookRecord, 'url' | 'events' | 'description' | 'enabled'>>;

/** Who wants to be told what happens, and what became of it: the same at every daemon of a record. */
export class Webhooks {
  readonly #options: WebhooksOptions;
  readonly #teller: WebhookTeller;

  constructor(options: WebhooksOptions, teller?: WebhookTeller) {
    this.#options = options;
    this.#teller = teller ?? new WebhookTeller(options);
  }

  /** Those of one tenant. They are told by the same teller. */
  of(tenant: string, store: SessionStore, shelf: SqlShelf): Webhooks {
    return new Webhooks({ ...this.#options, tenant, store, shelf }, this.#teller);
  }

  /** How its loops are; nothing runs while there is no webhook. */
  get health(): LoopHealth[] {
    return this.#teller.health;
  }

  /** What this daemon has sent and has to send. */
  get figures(): { pending: number; delivered: number; failed: number } {
    return this.#teller.figures;
  }

  /** Receivers that do not respond in time. Which webhooks they belong to is only for the operator. */
  news(isOperator: boolean): string | null {
    const { silent } = this.#teller;
    if (silent.length === 0) return null;
    const which = isOperator ? ` (${silent.slice(0, 20).join(', ')})` : '';
    return `Receivers of webhooks that did not respond in time: ${silent.length}${which}.`;
  }

  /** Begins to tell, where there is anybody to be told. */
  start(): Promise<void> {
    return this.#teller.look();
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
    await this.#teller.look();
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
    await this.#teller.look();
    return record;
  }

  async remove(id: string): Promise<void> {
    await this.get(id);
    await this.#shelf.remove(WEBHOOK, id);
    await this.#teller.look();
    for (const delivery of await this.#deliveriesOf(id)) await this.#shelf.remove(DELIVERY, delivery.id);
  }

  /** Newest first. */
  async deliveries(id: string): Promise<Delivery[]> {
    await this.get(id);
    return (await this.#deliveriesOf(id)).sort((a, b) => (a.created_at < b.created_at ? 1 : -1));
  }

  async redeliver(id: string, delivery_id: string): Promise<Delivery> {
    await this.get(id);
    const delivery = await this.#shelf.get<Delivery>(DELIVERY, delivery_id);
    if (delivery?.webhook_id === id) return this.#teller.again(delivery);
    throw new DaemonError(
      'DELIVERY_NOT_FOUND',
      `Webhook ${id} has no delivery ${JSON.stringify(delivery_id)}.`,
    );
  }

  close(): Promise<void> {
    return this.#teller.close();
  }

  get #shelf(): SqlShelf {
    return this.#options.shelf;
  }

  async #deliveriesOf(id: string): Promise<Delivery[]> {
    return (await this.#shelf.all<Delivery>(DELIVERY)).filter(({ webhook_id }) => webhook_id === id);
  }
}
