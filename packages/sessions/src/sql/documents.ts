import { isPlainObject, type JsonObject } from '@amplifier/core';
import { get, run, type Work } from '../database/database.js';
import { jsonText, parseText } from '../json-text.js';
import type { DocumentName, SessionDocuments } from '../records.js';
import { type PlanText, planText, storePlan } from './plans.js';

/** A document on its way into the record. The plan in it is stored by its hash. */
export interface DocumentText {
  name: string;
  body: string | null;
  plan: PlanText | null;
}

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

export function* storeDocument(session: number, { name, body, plan }: DocumentText): Work<void> {
  if (plan) yield* storePlan(plan);
  yield* run(
    `INSERT INTO documents (session, name, body, plan) VALUES (?, ?, ?, ?)
      ON CONFLICT (session, name) DO UPDATE SET body = excluded.body, plan = excluded.plan`,
    session,
    name,
    body,
    plan?.hash ?? null,
  );
}

export interface DocumentRow {
  name: DocumentName;
  body: string | null;
  plan: string | null;
}

export function* readDocument(session: number, name: DocumentName): Work<DocumentRow | undefined> {
  return yield* get<DocumentRow>(
    `SELECT d.name, d.body, p.body AS plan FROM documents d LEFT JOIN plans p ON p.hash = d.plan
      WHERE d.session = ? AND d.name = ?`,
    session,
    name,
  );
}

export function parseDocument({ name, body, plan }: DocumentRow, session_id: string): JsonObject | string {
  const place = `the document ${name}`;
  if (name === 'bundle') return body ?? '';
  if (body === null) return parseText<JsonObject>(plan, session_id, place);
  const document = parseText<JsonObject>(body, session_id, place);
  return plan === null ? document : { ...document, plan: parseText<JsonObject>(plan, session_id, place) };
}
