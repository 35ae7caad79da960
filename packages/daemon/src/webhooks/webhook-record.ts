import { z } from '../http/endpoint.js';

/** Somebody who wants to be told. The secret never leaves the daemon but in the answer to its creation. */
export interface WebhookRecord {
  id: string;
  url: string;
  /** Names of events, or their beginnings with `*`. */
  events: string[];
  description: string | null;
  enabled: boolean;
  secret: string;
  created_at: string;
  /** Rises with every change. */
  version: number;
  /** The place in the feed when it was made: earlier events are not for it. */
  after: string;
  /** Whose it is: it is told of that tenant's sessions alone. Without one, of all. */
  tenant?: string;
}

export interface Attempt {
  at: string;
  /** What the receiver answered; null when it did not. */
  status: number | null;
  error: string | null;
  ms: number;
}

/** One event for one webhook. The id is made of both, so that the same event never becomes two deliveries. */
export interface Delivery {
  id: string;
  webhook_id: string;
  tenant?: string;
  event: { id: string; name: string; session_id: string; seq: number; time: string };
  /** The body, exactly as it is sent and signed each time. */
  payload: string;
  status: 'pending' | 'delivered' | 'failed';
  attempts: Attempt[];
  /** Null when there will be none. */
  next_attempt_at: string | null;
  created_at: string;
}

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
  secret: z.string().openapi({ description: 'Signs what is sent. It is not shown again.' }),
}).openapi('NewWebhook');

export const DeliveryView = z
  .object({
    id: z.string().openapi({ description: 'The header `webhook-id`: the same in every attempt.' }),
    webhook_id: z.string(),
    event: z.object({
      id: z.string(),
      name: z.string(),
      session_id: z.string(),
      seq: z.int(),
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

export function webhookView({
  secret: _,
  after: __,
  tenant: ___,
  ...view
}: WebhookRecord): z.infer<typeof WebhookView> {
  return view;
}

export function deliveryView({ payload: _, tenant: __, ...view }: Delivery): z.infer<typeof DeliveryView> {
  return view;
}
