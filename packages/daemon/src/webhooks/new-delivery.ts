import { createHash } from 'node:crypto';
import type { JsonObject } from '@amplifier/core';
import type { RunRecord, SessionEvent } from '@amplifier/sessions';
import { publicEvent } from '../events/sse-frame.js';
import type { Delivery, WebhookRecord } from './webhook-record.js';

/** What a run of the queue keeps of a delivery. */
export type DeliveryOrder = Pick<Delivery, 'event' | 'attempts' | 'created_at'> & {
  /** The body, exactly as it is sent and signed each time. */
  body: string;
  /** One of as many as are sent to a webhook at once. */
  lane: number;
};

export type NewDelivery = Omit<DeliveryOrder, 'lane'> & Pick<Delivery, 'id'>;

export function orderOf({ payload }: Pick<RunRecord, 'payload'>): DeliveryOrder {
  return payload as DeliveryOrder;
}

/**
 * The body names the event and where to read it, without prompts and answers. The id is made of webhook and event, so that the same
 * event never becomes two deliveries.
 */
export function newDelivery(webhook: WebhookRecord, event: SessionEvent, created_at: string): NewDelivery {
  const { id, name, session_id, parent_id, root_id, seq, time } = publicEvent(event);
  const data = { ...shortMembers(event.data), event_id: id, session_id, parent_id, root_id, seq };
  return {
    id: `dlv_${createHash('sha256').update(`${webhook.id} ${id}`).digest('hex').slice(0, 32)}`,
    event: { id, name, session_id, seq, time },
    body: JSON.stringify({ type: name, timestamp: time, data }),
    attempts: [],
    created_at,
  };
}

const SHORT = 128;

/** Ids, statuses and counts; no prompts, answers or tool arguments. */
function shortMembers(data: JsonObject): JsonObject {
  const kept: JsonObject = {};
  for (const [key, value] of Object.entries(data)) {
    const isPlain = value === null || typeof value === 'number' || typeof value === 'boolean';
    if (
      isPlain ||
      (typeof value === 'string' &&
        /(^|_)(id|ids|status|state|kind|code|by)$/.test(key) &&
        value.length <= SHORT)
    )
      kept[key] = value;
  }
  return kept;
}
