import { createHash } from 'node:crypto';
import type { JsonObject } from '@amplifier/core';
import type { SessionEvent } from '@amplifier/sessions';
import { publicEvent } from '../events/sse-frame.js';
import type { Delivery, WebhookRecord } from './webhook-record.js';

/** What a receiver is told: that something happened and where to read it, not what was said. */
export function newDelivery(webhook: WebhookRecord, event: SessionEvent, created_at: string): Delivery {
  const { id, name, session_id, parent_id, root_id, seq, time } = publicEvent(event);
  const data = { ...shortMembers(event.data), event_id: id, session_id, parent_id, root_id, seq };
  return {
    id: `dlv_${createHash('sha256').update(`${webhook.id} ${id}`).digest('hex').slice(0, 32)}`,
    webhook_id: webhook.id,
    ...(webhook.tenant === undefined ? {} : { tenant: webhook.tenant }),
    event: { id, name, session_id, seq, time },
    payload: JSON.stringify({ type: name, timestamp: time, data }),
    status: 'pending',
    attempts: [],
    next_attempt_at: created_at,
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
