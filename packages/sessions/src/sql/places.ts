import type { JsonObject } from '@amplifier/core';
import { parseText } from '../json-text.js';
import { MOST_MESSAGES } from '../number-records.js';
import type { DocumentName } from '../records.js';

/** A message by one number, of its log and its seq: a table that has it for a key needs no index beside that. */
export function placeOf(log: number, seq: number): number {
  return log * MOST_MESSAGES + Math.min(seq, MOST_MESSAGES - 1);
}

export type StoredName = DocumentName | 'extra';

/** In the order of their places. `extra` is the app's own data. */
const DOCUMENTS: readonly StoredName[] = ['launch', 'mount_plan', 'bundle', 'extra'];

export function documentPlace(session: number, name: StoredName): number {
  return session * DOCUMENTS.length + DOCUMENTS.indexOf(name);
}

export function documentName(place: number): StoredName {
  return DOCUMENTS[place % DOCUMENTS.length] as StoredName;
}

/** Where a record keeps the metadata of its plan, which is stored without them. */
export const PLAN_METADATA = 'plan_metadata';

/** A plan as it was: what is shared, and what the record that refers to it has of its own. */
export function wholePlan(text: string, holder: JsonObject, session_id: string, place: string): JsonObject {
  const plan = parseText<JsonObject>(text, session_id, place);
  const { [PLAN_METADATA]: metadata } = holder;
  if (metadata === undefined) return plan;
  delete holder[PLAN_METADATA];
  return { ...plan, session: { ...(plan.session as JsonObject), metadata } };
}
