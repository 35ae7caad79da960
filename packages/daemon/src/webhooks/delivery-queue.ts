import {
  type Clock,
  errorInfo,
  isoTime,
  type LoopHealth,
  type Random,
  type Report,
  SupervisedLoop,
  WaitingLine,
} from '@amplifier/core';
import type { SqlShelf } from '@amplifier/sessions';
import { WEBHOOK_KEEP_MS, WEBHOOK_PARALLEL, WEBHOOK_RETRY_MS, WEBHOOK_TIMEOUT_MS } from '../defaults.js';
import { bindDatabase } from '../tenants/bind-database.js';
import { DeliveryShares } from './delivery-shares.js';
import { NoResponse, postGuarded } from './post-guarded.js';
import { signedHeaders } from './sign.js';
import { type Attempt, DELIVERY, type Delivery, type WebhookRecord } from './webhook-record.js';

export interface DeliveryQueueOptions {
  shelf: SqlShelf;
  findWebhook(id: string): WebhookRecord | undefined;
  /** Is it still this daemon that sends? */
  mayServe(): Promise<boolean>;
  allow_private: boolean;
  version: string;
  clock: Clock;
  random: Random;
  report: Report;
}

/**
 * Sends deliveries until each is taken or given up. A delivery is on disk before it is sent and its end after, so that a
 * crash in between sends it again, with the same id: a receiver may get it twice, but never not at all.
 */
export class DeliveryQueue {
  readonly #options: DeliveryQueueOptions;
  readonly #waiting = new Map<string, () => void>();
  readonly #ready = new WaitingLine<Delivery>();
  readonly #shares = new DeliveryShares((delivery) => this.#ready.push(delivery));
  /** Webhooks whose last attempt had no response in time. */
  readonly #silent = new Set<string>();
  readonly #stop = new AbortController();
  readonly #loop: SupervisedLoop<Delivery>;
  readonly #sending: Promise<void>;
  readonly counts = { delivered: 0, failed: 0 };

  constructor(options: DeliveryQueueOptions) {
    this.#options = options;
    const { clock, report } = options;
    this.#loop = new SupervisedLoop<Delivery>({
      name: 'webhook deliveries',
      clock,
      report,
      limit: WEBHOOK_PARALLEL,
      items: (signal) => this.#ready.items(signal),
      serve: (delivery) => this.#attempt(delivery).finally(() => this.#shares.leave(delivery)),
      nameOf: ({ id }) => `delivery ${id}`,
      // Sent or not, it could not be written down: it is sent again, under the same id.
      setAside: async (delivery) =>
        this.#schedule({ ...delivery, next_attempt_at: this.#later(clock, WEBHOOK_RETRY_MS[0] ?? 0) }),
    });
    this.#sending = this.#loop.run(this.#stop.signal);
  }

  get health(): LoopHealth {
    return this.#loop.health;
  }

  get pending(): number {
    return this.#waiting.size + this.#shares.waiting + this.#ready.length + this.#loop.working.size;
  }

  /** Webhooks whose receivers did not respond to the last attempt in time. */
  get silent(): string[] {
    return [...this.#silent].filter((id) => this.#options.findWebhook(id)?.enabled);
  }

  /** Continues with what is pending. */
  async resume(): Promise<void> {
    for (const delivery of await this.#options.shelf.all<Delivery>(DELIVERY))
      if (delivery.status === 'pending') this.#schedule(delivery);
  }

  /** Another daemon goes on. */
  rest(): void {
    for (const cancel of this.#waiting.values()) cancel();
    this.#waiting.clear();
    this.#shares.clear();
    for (const delivery of this.#ready.clear()) this.#shares.leave(delivery);
    this.#silent.clear();
  }

  /** Stores a delivery and sends it. One that is known already is left alone. */
  async add(delivery: Delivery): Promise<void> {
    const { id, tenant } = delivery;
    const { shelf } = this.#options;
    const own = tenant === undefined ? shelf : shelf.on((database) => bindDatabase(database, tenant));
    if (await own.add(DELIVERY, id, delivery)) this.#schedule(delivery);
  }

  /** Sends a stored delivery when its time has come, and not at the time that was known before. */
  soon(delivery: Delivery): void {
    this.#waiting.get(delivery.id)?.();
    this.#waiting.delete(delivery.id);
    this.#schedule(delivery);
  }

  async close(): Promise<void> {
    this.rest();
    this.#stop.abort();
    await this.#sending;
    await Promise.all(this.#loop.working);
  }

  #schedule(delivery: Delivery): void {
    const { clock } = this.#options;
    if (this.#stop.signal.aborted) return;
    const wait = Date.parse(delivery.next_attempt_at ?? delivery.created_at) - clock.now();
    const go = () => {
      this.#waiting.delete(delivery.id);
      this.#shares.add(delivery);
    };
    if (wait <= 0) go();
    else this.#waiting.set(delivery.id, clock.after(wait, go));
  }

  async #attempt(delivery: Delivery): Promise<void> {
    const { shelf, findWebhook, mayServe, clock } = this.#options;
    if (!(await mayServe())) return;
    const webhook = findWebhook(delivery.webhook_id);
    if (!webhook) return void (await shelf.remove(DELIVERY, delivery.id));
    const attempt = await this.#send(webhook, delivery);
    if (this.#stop.signal.aborted && attempt.status === null) return;
    const attempts = [...delivery.attempts, attempt];
    const isTaken = attempt.status !== null && attempt.status >= 200 && attempt.status < 300;
    const delay = isTaken ? undefined : WEBHOOK_RETRY_MS[attempts.length - 1];
    const status = isTaken ? 'delivered' : delay === undefined || !webhook.enabled ? 'failed' : 'pending';
    const next_attempt_at = status === 'pending' && delay !== undefined ? this.#later(clock, delay) : null;
    const next: Delivery = { ...delivery, attempts, status, next_attempt_at };
    await shelf.put(DELIVERY, next.id, next, status === 'pending' ? null : clock.now() + WEBHOOK_KEEP_MS);
    if (status === 'pending') this.#schedule(next);
    else this.counts[status]++;
  }

  async #send(webhook: WebhookRecord, { id, payload }: Delivery): Promise<Attempt> {
    const { clock, allow_private, version } = this.#options;
    const at = isoTime(clock);
    const started = clock.now();
    const attempt = (status: number | null, error: string | null): Attempt => ({
      at,
      status,
      error,
      ms: clock.now() - started,
    });
    try {
      const status = await postGuarded({
        url: webhook.url,
        headers: {
          'content-type': 'application/json',
          'user-agent': `amplifierd/${version}`,
          ...signedHeaders(webhook.secret, id, Math.floor(started / 1_000), payload),
        },
        body: payload,
        timeout_ms: WEBHOOK_TIMEOUT_MS,
        clock,
        allow_private,
        signal: this.#stop.signal,
      });
      this.#silent.delete(webhook.id);
      const isRedirect = status >= 300 && status < 400;
      return attempt(status, isRedirect ? 'redirects are not followed' : null);
    } catch (error) {
      if (error instanceof NoResponse) this.#silent.add(webhook.id);
      else this.#silent.delete(webhook.id);
      return attempt(null, errorInfo(error).message);
    }
  }

  /** Spread by a fifth, so that what failed together does not come back together. */
  #later(clock: Clock, delay: number): string {
    return new Date(clock.now() + delay * (0.9 + 0.2 * this.#options.random())).toISOString();
  }
}
