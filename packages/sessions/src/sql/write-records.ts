import { createHash } from 'node:crypto';
import { isPlainObject, type JsonObject, redactSecrets } from '@amplifier/core';
import { get, run, type Work } from '../database/database.js';
import { RECORD_EVENTS } from '../fold-metadata.js';
import { jsonText } from '../json-text.js';
import type { DocumentName, SessionDocuments, SessionEvent, TranscriptLine } from '../records.js';
import { checkRoom, documentPlace, placeOf, type StoredName } from './places.js';

/** A plan as it is stored: once, however many sessions and launch records have it. */
interface PlanText {
  hash: string;
  text: string;
}

export interface MessageText {
  seq: number;
  turn: number;
  body: string;
}

export interface EventText {
  seq: number;
  body: string;
  plan: PlanText | null;
}

export interface DocumentText {
  name: StoredName;
  body: string | null;
  plan: PlanText | null;
}

export function messageTexts(lines: readonly TranscriptLine[], session_id: string): MessageText[] {
  checkRoom(session_id, lines.at(-1)?.seq ?? 0);
  return lines.map((line) => ({ seq: line.seq, turn: line.turn, body: jsonText(line, session_id) }));
}

/** The plan that a session was created with is stored by its hash. */
export function eventTexts(events: readonly SessionEvent[], session_id: string): EventText[] {
  return events.map((event) => {
    const { config } = event.data;
    if (event.name !== RECORD_EVENTS.CREATED || !isPlainObject(config))
      return { seq: event.seq, body: jsonText(event, session_id), plan: null };
    const body = jsonText({ ...event, data: { ...event.data, config: undefined } }, session_id);
    return { seq: event.seq, body, plan: planText(config, session_id) };
  });
}

/** The same for the plan in a document. */
export function documentText(
  name: DocumentName,
  document: JsonObject | string,
  session_id: string,
): DocumentText {
  if (typeof document === 'string') return { name, body: document, plan: null };
  if (name === 'mount_plan') return { name, body: null, plan: planText(document, session_id) };
  const { plan, ...rest } = document;
  if (!isPlainObject(plan)) return { name, body: jsonText(document, session_id), plan: null };
  return { name, body: jsonText(rest, session_id), plan: planText(plan, session_id) };
}

export function documentTexts(documents: SessionDocuments, session_id: string): DocumentText[] {
  return Object.entries(documents).flatMap(([name, document]) =>
    document === undefined ? [] : [documentText(name as DocumentName, document, session_id)],
  );
}

/** Of plans that cannot change any more. */
const FROZEN = new WeakMap<object, PlanText>();

function planText(plan: JsonObject, session_id: string): PlanText {
  const known = FROZEN.get(plan);
  if (known) return known;
  const text = jsonText(plan, session_id);
  const stored = { hash: createHash('sha256').update(text).digest('base64url'), text };
  // Only what is frozen all the way down passes the search for secrets as the object it is.
  if (Object.isFrozen(plan) && redactSecrets(plan) === plan) FROZEN.set(plan, stored);
  return stored;
}

export function* storeMessages(log: number, messages: readonly MessageText[]): Work<void> {
  for (const { seq, turn, body } of messages)
    yield* run('INSERT INTO messages (place, turn, body) VALUES (?, ?, ?)', placeOf(log, seq), turn, body);
}

export function* storeEvents(session: number, events: readonly EventText[]): Work<void> {
  const insert = 'INSERT INTO events (session, seq, body, plan) VALUES (?, ?, ?, ?)';
  for (const { seq, body, plan } of events) {
    yield* storePlan(plan);
    yield* run(insert, session, seq, body, plan?.hash ?? null);
  }
}

export function* storeDocument(session: number, { name, body, plan }: DocumentText): Work<void> {
  yield* storePlan(plan);
  const insert = `INSERT INTO documents (place, body, plan) VALUES (?, ?, ?)
    ON CONFLICT (place) DO UPDATE SET body = excluded.body, plan = excluded.plan`;
  yield* run(insert, documentPlace(session, name), body, plan?.hash ?? null);
}

function* storePlan(plan: PlanText | null): Work<void> {
  if (!plan || (yield* get('SELECT 1 FROM plans WHERE hash = ?', plan.hash))) return;
  yield* run('INSERT INTO plans (hash, body) VALUES (?, ?) ON CONFLICT DO NOTHING', plan.hash, plan.text);
}
