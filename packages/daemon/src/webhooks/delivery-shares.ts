import { WEBHOOK_PER_RECEIVER, WEBHOOK_PER_TENANT } from '../defaults.js';
import type { Delivery } from './webhook-record.js';

interface Share {
  active: number;
  /** Webhooks with deliveries, the one served longest ago first. */
  webhooks: Map<string, { active: number; waiting: Delivery[] }>;
}

/** Admits a bounded number of deliveries of each webhook and tenant at once, so that no receiver can hold up those of others. */
export class DeliveryShares {
  readonly #admit: (delivery: Delivery) => void;
  readonly #tenants = new Map<string, Share>();
  #waiting = 0;

  constructor(admit: (delivery: Delivery) => void) {
    this.#admit = admit;
  }

  /** Deliveries that are not admitted yet. */
  get waiting(): number {
    return this.#waiting;
  }

  /** Admits the delivery now or after others of its webhook and tenant have left. */
  add(delivery: Delivery): void {
    const { webhook_id, tenant = '' } = delivery;
    const share = this.#tenants.get(tenant) ?? { active: 0, webhooks: new Map() };
    this.#tenants.set(tenant, share);
    const webhook = share.webhooks.get(webhook_id) ?? { active: 0, waiting: [] };
    share.webhooks.set(webhook_id, webhook);
    webhook.waiting.push(delivery);
    this.#waiting++;
    this.#advance(share);
  }

  /** Must be called once for each delivery that was admitted. */
  leave({ webhook_id, tenant = '' }: Delivery): void {
    const share = this.#tenants.get(tenant);
    const webhook = share?.webhooks.get(webhook_id);
    if (!share || !webhook) return;
    share.active--;
    webhook.active--;
    this.#advance(share);
    if (webhook.active === 0 && webhook.waiting.length === 0) share.webhooks.delete(webhook_id);
    if (share.webhooks.size === 0) this.#tenants.delete(tenant);
  }

  /** Removes the deliveries that wait. Those that were admitted must still leave. */
  clear(): void {
    for (const { webhooks } of this.#tenants.values())
      for (const [id, webhook] of webhooks) {
        webhook.waiting.length = 0;
        if (webhook.active === 0) webhooks.delete(id);
      }
    this.#waiting = 0;
  }

  #advance(share: Share): void {
    while (share.active < WEBHOOK_PER_TENANT) {
      const next = [...share.webhooks].find(
        ([, { active, waiting }]) => waiting.length > 0 && active < WEBHOOK_PER_RECEIVER,
      );
      if (!next) return;
      const [id, webhook] = next;
      share.webhooks.delete(id);
      share.webhooks.set(id, webhook);
      share.active++;
      webhook.active++;
      this.#waiting--;
      this.#admit(webhook.waiting.shift() as Delivery);
    }
  }
}
