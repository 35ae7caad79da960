import { RUN_EVENTS } from '@amplifier/host/runs';
import { APPROVAL_EVENTS } from '../approvals/approval-events.js';
import { type Endpoint, endpoints, z } from '../http/endpoint.js';
import { checkIfMatch, etag, isNotModified } from '../http/etag.js';
import { DeliveryView, NewWebhookView, WebhookView, webhookView } from '../webhooks/webhook-record.js';

const api = endpoints({ tag: 'webhooks', scope: 'admin', operator: false });
const param = (name: string, example: string) =>
  z
    .string()
    .max(100)
    .openapi({ param: { name, in: 'path' }, example });
const webhookParams = z.object({ webhook_id: param('webhook_id', 'whk_0123456789abcdef') });
const deliveryParams = webhookParams.extend({ delivery_id: param('delivery_id', 'dlv_0123456789abcdef') });

const url = z
  .string()
  .max(2_000)
  .refine(isHttpUrl, 'must be an http or https address without user and password')
  .openapi({ example: 'https://example.com/amplifier' });
const events = z
  .array(z.string().min(1).max(200))
  .min(1)
  .max(50)
  .openapi({ description: 'Event names; `run:*` matches all that start with `run:`.' });
const description = z.string().max(500).nullish();

const CreateWebhook = z
  .object({ url, events: events.optional(), description })
  .openapi('CreateWebhookRequest', {
    example: { url: 'https://example.com/amplifier', events: ['run:ended', 'question:*'] },
  });

const DEFAULT_EVENTS = [...RUN_EVENTS, ...APPROVAL_EVENTS];

const WHAT_IS_SENT =
  'Each event is a POST with `{type, timestamp, data}` and the headers of Standard Webhooks: `webhook-id` (the same in every attempt: receivers must ignore one they have handled), `webhook-timestamp` and `webhook-signature`. Any response other than 2xx is retried, for about a day and a half. Private addresses and redirects are refused unless the operator allows private ones.';

/** Who is told of what happens, and what became of it. */
export function webhookEndpoints(): Endpoint[] {
  return [
    api.post('/api/v1/webhooks', {
      idempotent: true,
      summary: 'Create a webhook',
      description: `Default \`events\`: those of runs and approvals. ${WHAT_IS_SENT}`,
      body: CreateWebhook,
      success: { status: 201, description: 'With the secret.', schema: NewWebhookView },
      errors: ['STORAGE_FULL', 'STORAGE_UNAVAILABLE'],
      async handle({ body, once, services: { webhooks } }) {
        const wish = {
          url: body.url,
          events: body.events ?? DEFAULT_EVENTS,
          description: body.description ?? null,
        };
        const record = await webhooks.create(wish, once?.id);
        const headers = { location: `/api/v1/webhooks/${record.id}`, etag: etag(record.version) };
        return { body: { ...webhookView(record), secret: record.secret }, headers };
      },
    }),
    api.get('/api/v1/webhooks', {
      summary: 'List webhooks',
      success: { status: 200, description: 'Oldest first.', schema: z.array(WebhookView) },
      handle: async ({ services: { webhooks } }) => ({ body: (await webhooks.list()).map(webhookView) }),
    }),
    api.get('/api/v1/webhooks/{webhook_id}', {
      summary: 'Get a webhook',
      params: webhookParams,
      success: { status: 200, description: 'Without its secret.', schema: WebhookView },
      errors: ['WEBHOOK_NOT_FOUND'],
      async handle({ params, context, services: { webhooks } }) {
        const record = await webhooks.get(params.webhook_id);
        const current = etag(record.version);
        if (isNotModified(context, current)) return { status: 304, headers: { etag: current } };
        return { body: webhookView(record), headers: { etag: current } };
      },
    }),
    api.patch('/api/v1/webhooks/{webhook_id}', {
      summary: 'Change a webhook, or disable it',
      params: webhookParams,
      body: z.object({
        url: url.optional(),
        events: events.optional(),
        description,
        enabled: z.boolean().optional(),
      }),
      success: { status: 200, description: 'The updated resource.', schema: WebhookView },
      errors: ['WEBHOOK_NOT_FOUND', 'VERSION_MISMATCH'],
      async handle({ params, body, context, services: { webhooks } }) {
        checkIfMatch(context, (await webhooks.get(params.webhook_id)).version);
        const given = Object.entries(body).filter(([, value]) => value !== undefined);
        const record = await webhooks.update(params.webhook_id, Object.fromEntries(given));
        return { body: webhookView(record), headers: { etag: etag(record.version) } };
      },
    }),
    api.delete('/api/v1/webhooks/{webhook_id}', {
      summary: 'Delete a webhook and its deliveries',
      params: webhookParams,
      success: { status: 204, description: 'Gone.' },
      errors: ['WEBHOOK_NOT_FOUND', 'VERSION_MISMATCH'],
      async handle({ params, context, services: { webhooks } }) {
        checkIfMatch(context, (await webhooks.get(params.webhook_id)).version);
        await webhooks.remove(params.webhook_id);
        return {};
      },
    }),
    api.get('/api/v1/webhooks/{webhook_id}/deliveries', {
      summary: 'List the deliveries of a webhook',
      params: webhookParams,
      query: z.object({
        status: z.enum(['pending', 'delivered', 'failed']).optional(),
        limit: z.coerce.number().int().min(1).max(1_000).default(50),
      }),
      success: { status: 200, description: 'Newest first.', schema: z.array(DeliveryView) },
      errors: ['WEBHOOK_NOT_FOUND'],
      async handle({ params, query: { status, limit }, services: { webhooks } }) {
        const all = await webhooks.deliveries(params.webhook_id);
        const wanted = all.filter((delivery) => status === undefined || delivery.status === status);
        return { body: wanted.slice(0, limit) };
      },
    }),
    api.post('/api/v1/webhooks/{webhook_id}/deliveries/{delivery_id}/redeliver', {
      summary: 'Send a delivery again',
      params: deliveryParams,
      success: { status: 202, description: 'Queued again, with the same id.', schema: DeliveryView },
      errors: ['WEBHOOK_NOT_FOUND', 'DELIVERY_NOT_FOUND'],
      handle: async ({ params: { webhook_id, delivery_id }, services: { webhooks } }) => ({
        body: await webhooks.redeliver(webhook_id, delivery_id),
      }),
    }),
  ];
}

function isHttpUrl(text: string): boolean {
  try {
    const { protocol, username, password } = new URL(text);
    return (protocol === 'https:' || protocol === 'http:') && username === '' && password === '';
  } catch {
    return false;
  }
}
