import { z } from '@hono/zod-openapi';

/** The kind of the records that all daemons share. */
export const WEBHOOK = 'webhook';
/** The kind of the runs of the queue. */
export const DELIVERY = 'delivery';

const time = z.string().openapi({ format: 'date-time' });

export const WebhookView = z
  .object({
    id: z.string(),
    url: z.string(),
    events: z.array(z.string()),
    description: z.string().nullable(),
    enabled: z.boolean(),
    created_at: time,
    version: z.int().openapi({ description: 'Rises with every change; also the ETag.' }),
  })
  .openapi('Webhook');

export const NewWebhookView = WebhookView.extend({
  secret: z.string().openapi({ description: 'Signs the deliveries. It is not shown again.' }),
}).openapi('NewWebhook');

export const DeliveryView = z
  .object({
    id: z.string().openapi({ description: 'The header `webhook-id`: the same in every attempt.' }),
    webhook_id: z.string(),
    event: z.object({
      id: z.string(),
      name: z.string(),
      session_id: z.string(),
      seq: z.int().nullable(),
      time,
    }),
    status: z.enum(['pending', 'delivered', 'failed']),
    attempts: z.array(
      z.object({ at: time, status: z.int().nullable(), error: z.string().nullable(), ms: z.number() }),
    ),
    next_attempt_at: time.nullable(),
    created_at: time,
  })
  .openapi('WebhookDelivery');

/** Somebody who wants to be told. The secret never leaves the daemon but in the answer to its creation. */
export interface WebhookRecord extends z.infer<typeof NewWebhookView> {
  /** The place in the feed when it was made: earlier events are not for it. */
  after: string;
  /** Whose it is: it is told of that tenant's sessions alone. Without one, of all. */
  tenant?: string;
}

/** One event for one webhook. */
export type Delivery = z.infer<typeof DeliveryView>;

export type Attempt = Delivery['attempts'][number];

export function webhookView({
  secret: _,
  after: __,
  tenant: ___,
  ...view
}: WebhookRecord): z.infer<typeof WebhookView> {
  return view;
}
