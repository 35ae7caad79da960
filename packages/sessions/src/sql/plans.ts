import { createHash } from 'node:crypto';
import { type JsonObject, redactSecrets } from '@amplifier/core';
import { get, run, type Work } from '../database/database.js';
import { jsonText } from '../json-text.js';

/** A plan as it is stored: once, however many sessions and launch records have it. */
export interface PlanText {
  hash: string;
  text: string;
}

/** Of plans that cannot change any more. */
const FROZEN = new WeakMap<object, PlanText>();

export function planText(plan: JsonObject, session_id: string): PlanText {
  const known = FROZEN.get(plan);
  if (known) return known;
  const text = jsonText(plan, session_id);
  const stored = { hash: createHash('sha256').update(text).digest('base64url'), text };
  // Only what is frozen all the way down passes the search for secrets as the object it is.
  if (Object.isFrozen(plan) && redactSecrets(plan) === plan) FROZEN.set(plan, stored);
  return stored;
}

export function* storePlan({ hash, text }: PlanText): Work<void> {
  if (yield* get('SELECT 1 FROM plans WHERE hash = ?', hash)) return;
  yield* run('INSERT INTO plans (hash, body) VALUES (?, ?) ON CONFLICT DO NOTHING', hash, text);
}
