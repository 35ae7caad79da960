import type { JsonObject } from '@amplifier/core';
import { parseText } from '../json-text.js';
import { PLAN_METADATA } from './places.js';

/** A plan as it was: what is shared, and what the record that refers to it has of its own. */
export function wholePlan(text: string, holder: JsonObject, session_id: string, place: string): JsonObject {
  const plan = parseText<JsonObject>(text, session_id, place);
  const { [PLAN_METADATA]: metadata } = holder;
  if (metadata === undefined) return plan;
  delete holder[PLAN_METADATA];
  return { ...plan, session: { ...(plan.session as JsonObject), metadata } };
}
