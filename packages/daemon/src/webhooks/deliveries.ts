import { type Clock, errorInfo, isoTime } from '@amplifier/core';
import type { ClaimedRun, RunAgain, RunEnd, RunKind } from '@amplifier/delegation';
import { hasCode, type RunQueue, type RunRecord, type SqlRunQueue, type SqlShelf } from '@amplifier/sessions';
import {
  WEBHOOK_PARALLEL,
  WEBHOOK_PER_RECEIVER,
  WEBHOOK_PER_TENANT,
  WEBHOOK_RETRY_MS,
  WEBHOOK_TIMEOUT_MS,
} from '../defaults.js';
import { bindDatabase } from '../tenants/bind-database.js';
import { type NewDelivery, orderOf } from './new-delivery.js';
import { NoResponse, postGuarded } from './post-guarded.js';
import { signedHeaders } from './sign.js';
import { type Attempt, DELIVERY, type Delivery, WEBHOOK, type WebhookRecord } from './webhook-record.js';

/** The callers of these runs are webhooks: those with the fewest active deliveries go first. */
export const DELIVERY_LIMITS = { all: WEBHOOK_PER_TENANT, each: WEBHOOK_PER_RECEIVER, isFair: true };

export interface DeliveriesOptions {
  /** Of all tenants. */
  queue: SqlRunQueue;
  shelf: SqlShelf;
  allow_private: boolean;
  version: string;
  clock: Clock;
}

/** A delivery as earlier versions stored it, on the shelf. */
type EarlierDelivery = Delivery & { tenant?: string; payload: string };

/**
 * Deliveries are runs of the queue, in the place of a session they have their webhook. A delivery is on disk before it is sent and its
 * end after, so that a crash in between sends it again, with the same id: a receiver may get it twice, but never not at all.
 */
export class Deliveries {
  readonly #options: DeliveriesOptions;
  /** Webhooks whose last attempt had no response in time. */
  readonly silent = new Set<string>();
  readonly counts = { delivered: 0, failed: 0 };
  /** Of the last delivery of each webhook. */
  readonly #lanes = new Map<string, number>();
  readonly #queues = new Map<string, RunQueue>();

  constructor(options: DeliveriesOptions) {
    this.#options = options;
  }

  /** How the worker of this process executes them. */
  get kind(): RunKind {
    return {
      name: 'webhook deliveries',
      limit: WEBHOOK_PARALLEL,
      createsSession: true,
      hasGrace: false,
      perform: (claimed) => this.#perform(claimed),
      failed: () => null,
    };
  }

  /** How many of all daemons wait or are being sent. */
  async pending(): Promise<number> {
    const backlog = await this.#options.queue.backlog({ kinds: [DELIVERY] });
    return backlog.reduce((sum, { waiting, running }) => sum + waiting + running, 0);
  }

  /** Stores a delivery, to be sent. One that is known already is left alone. */
  async add({ id: session_id, tenant }: WebhookRecord, { id: run_id, ...order }: NewDelivery): Promise<void> {
    const lane = this.#nextLane(session_id);
    const payload = { ...order, lane };
    const run = { run_id, session_id, caller: session_id, kind: DELIVERY, payload };
    await this.#queueOf(tenant).enqueue({ ...run, line: lineOf(session_id, lane, 0) });
  }

  async list({ id: session_id }: WebhookRecord): Promise<Delivery[]> {
    return (await this.#options.queue.list({ session_id, kind: DELIVERY })).map(deliveryOf);
  }

  /** Sends a delivery once more, whatever became of it; null if the webhook has none of this id. */
  async again({ id: session_id, tenant }: WebhookRecord, run_id: string): Promise<Delivery | null> {
    const queue = this.#queueOf(tenant);
    const run = await queue.get(run_id);
    if (run?.session_id !== session_id || run.kind !== DELIVERY) return null;
    const payload = { ...orderOf(run), attempts: deliveryOf(run).attempts };
    const next = {
      run_id,
      session_id,
      caller: session_id,
      kind: DELIVERY,
      line: run_id,
      payload,
      again: true,
    };
    try {
      return deliveryOf(await queue.enqueue(next));
    } catch (error) {
      if (!hasCode(error, 'RUN_EXISTS')) throw error;
      // It is being sent at this moment.
      return deliveryOf(run);
    }
  }

  /** The webhook is gone: what waits is not sent. */
  async withdraw({ id: session_id, tenant }: WebhookRecord): Promise<void> {
    const queue = this.#queueOf(tenant);
    for (const { run_id } of await queue.list({ session_id, kind: DELIVERY, status: 'queued' }))
      await queue.cancel(run_id, 'the webhook was deleted');
  }

  /** This process needs nothing more about a webhook that is gone. */
  forget(webhook_id: string): void {
    this.#lanes.delete(webhook_id);
    this.silent.delete(webhook_id);
  }

  /** Takes in pending deliveries as earlier versions stored them. Those that have ended expire on the shelf. */
  async adopt(): Promise<void> {
    const stored = await this.#options.shelf.all<EarlierDelivery>(DELIVERY);
    const pending = stored.filter(({ status }) => status === 'pending');
    pending.sort((a, b) => (dueTime(a) < dueTime(b) ? -1 : 1));
    // Writes that wait at the same time share a commit.
    await Promise.all(pending.map((each) => this.#adoptPending(each)));
  }

  async #adoptPending(earlier: EarlierDelivery): Promise<void> {
    const { id: run_id, webhook_id: session_id, tenant, event, attempts, created_at } = earlier;
    const lane = this.#nextLane(session_id);
    const payload = { event, attempts, created_at, body: earlier.payload, lane };
    const line = lineOf(session_id, lane, attempts.length);
    const run = { run_id, session_id, caller: session_id, kind: DELIVERY, line, payload };
    try {
      await this.#queueOf(tenant).enqueue({ ...run, not_before: earlier.next_attempt_at });
    } catch (error) {
      // Another daemon has taken it in.
      if (!hasCode(error, 'RUN_EXISTS')) throw error;
    }
    await this.#options.shelf.remove(DELIVERY, run_id);
  }

  async #perform({ run, claim: { cancellation } }: ClaimedRun): Promise<RunEnd | RunAgain> {
    const { shelf, clock } = this.#options;
    const { run_id, session_id } = run;
    const order = orderOf(run);
    const webhook = await shelf.get<WebhookRecord>(WEBHOOK, session_id);
    if (!webhook) return { result: { status: 'failed', attempts: order.attempts } };
    const attempt = await this.#send(webhook, run_id, order.body, cancellation.signal);
    if (cancellation.isCancelled && attempt.status === null) return { again: {} };
    const attempts = [...order.attempts, attempt];
    const isTaken = attempt.status !== null && attempt.status >= 200 && attempt.status < 300;
    const delay = isTaken || !webhook.enabled ? undefined : WEBHOOK_RETRY_MS[attempts.length - 1];
    if (delay !== undefined) {
      const not_before = new Date(clock.now() + delay).toISOString();
      const line = lineOf(session_id, order.lane, attempts.length);
      return { again: { not_before, line, payload: { ...order, attempts } } };
    }
    const status = isTaken ? 'delivered' : 'failed';
    this.counts[status]++;
    return { result: { status, attempts } };
  }

  async #send(webhook: WebhookRecord, id: string, body: string, signal: AbortSignal): Promise<Attempt> {
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
          ...signedHeaders(webhook.secret, id, Math.floor(started / 1_000), body),
        },
        ...{ body, timeout_ms: WEBHOOK_TIMEOUT_MS, clock, allow_private, signal },
      });
      this.silent.delete(webhook.id);
      const isRedirect = status >= 300 && status < 400;
      return attempt(status, isRedirect ? 'redirects are not followed' : null);
    } catch (error) {
      if (error instanceof NoResponse) this.silent.add(webhook.id);
      else this.silent.delete(webhook.id);
      return attempt(null, errorInfo(error).message);
    }
  }

  #nextLane(webhook_id: string): number {
    const lane = ((this.#lanes.get(webhook_id) ?? -1) + 1) % WEBHOOK_PER_RECEIVER;
    this.#lanes.set(webhook_id, lane);
    return lane;
  }

  #queueOf(tenant: string | undefined): RunQueue {
    const { queue } = this.#options;
    if (tenant === undefined) return queue;
    const known = this.#queues.get(tenant) ?? queue.on((database) => bindDatabase(database, tenant));
    this.#queues.set(tenant, known);
    return known;
  }
}

function dueTime({ next_attempt_at, created_at }: EarlierDelivery): string {
  return next_attempt_at ?? created_at;
}

/** Those of a line become due in its order, since they wait equally long: only its first has to be looked at. */
function lineOf(webhook_id: string, lane: number, attempts: number): string {
  return `${webhook_id}_${lane}_${attempts}`;
}

function deliveryOf(run: RunRecord): Delivery {
  const { run_id: id, session_id: webhook_id, status, result, not_before, enqueued } = run;
  const { event, attempts, created_at } = orderOf(run);
  const ended = result as Pick<Delivery, 'status' | 'attempts'> | null;
  const isPending = status === 'queued' || status === 'running';
  return {
    ...{ id, webhook_id, event, created_at },
    status: isPending ? 'pending' : (ended?.status ?? 'failed'),
    attempts: ended?.attempts ?? attempts,
    next_attempt_at: isPending ? (not_before ?? enqueued) : null,
  };
}
