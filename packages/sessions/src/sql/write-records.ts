import { createHash } from 'node:crypto';
import { isPlainObject, type JsonObject } from '@amplifier/core';
import { change, get, run, type Work } from '../database/database.js';
import { RECORD_EVENTS } from '../fold-metadata.js';
import { jsonText } from '../json-text.js';
import type { DocumentName, SessionEvent, TranscriptLine } from '../records.js';
import { fenced } from '../refusals.js';
import type { ExportedSession } from '../session-store.js';
import { checkRoom, documentPlace, PLAN_METADATA, placeOf, type StoredName } from './places.js';

/** A plan as it is stored: once, however many sessions and launch records have it. */
export interface PlanText {
  hash: string;
  text: string;
}

/** A session by the number of its row. */
interface StoredSession {
  n: number;
  session_id: string;
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
  /** What a launch record allows. */
  rights?: PlanText | null;
}

export function messageTexts(lines: readonly TranscriptLine[], session_id: string): MessageText[] {
  checkRoom(session_id, lines.at(-1)?.seq ?? 0);
  return lines.map((line) => ({ seq: line.seq, turn: line.turn, body: jsonText(line, session_id) }));
}

/** What the rows of the event and of its session say is not said again. The plan that a session was created with is stored by its hash. */
export function eventTexts(events: readonly SessionEvent[], session_id: string): EventText[] {
  return events.map(({ seq, id, time, name, data, mailbox_cursor }) => {
    const { config } = data;
    const isPlan = name === RECORD_EVENTS.CREATED && isPlainObject(config);
    const split = isPlan ? splitPlan(config) : null;
    const said = split ? { ...data, config: undefined, [PLAN_METADATA]: split.own } : data;
    const body = jsonText({ id, time, name, data: said, mailbox_cursor }, session_id);
    return { seq, body, plan: split ? planText(split.shared, session_id) : null };
  });
}

/** The same for the plan in a document, and for what it allows. */
export function documentText(
  name: DocumentName,
  document: JsonObject | string,
  session_id: string,
): DocumentText {
  if (typeof document === 'string') return { name, body: document, plan: null };
  if (name === 'mount_plan') return { name, body: null, plan: planText(document, session_id) };
  const { plan, grant, ...rest } = document;
  if (!isPlainObject(plan)) return { name, body: jsonText(document, session_id), plan: null };
  const { shared, own } = splitPlan(plan);
  const rights = isPlainObject(grant) ? planText(grant, session_id) : null;
  return {
    name,
    body: jsonText({ ...rest, ...(rights ? {} : { grant }), [PLAN_METADATA]: own }, session_id),
    plan: planText(shared, session_id),
    rights,
  };
}

/** Everything that a session begins with, and the plans that it refers to. */
export function recordTexts(session: Omit<ExportedSession, 'mail'>) {
  const { session_id } = session;
  const events = eventTexts(session.events, session_id);
  const messages = messageTexts(session.messages, session_id);
  const documents = Object.entries(session.documents).flatMap(([name, document]) =>
    document === undefined ? [] : [documentText(name as DocumentName, document, session_id)],
  );
  return { events, messages, documents, plans: plansOf([...events, ...documents]) };
}

/** What a child was asked with is its own; the rest of its plan it shares with all that were launched so, and is stored once. */
function splitPlan(plan: JsonObject): { shared: JsonObject; own?: unknown } {
  if (!isPlainObject(plan.session) || plan.session.metadata === undefined) return { shared: plan };
  const { metadata: own, ...session } = plan.session;
  return { shared: { ...plan, session }, own };
}

/** What was stored last and cannot change any more. */
const RECENT: { plan: JsonObject; stored: PlanText }[] = [];
const MOST_RECENT = 16;

function planText(plan: JsonObject, session_id: string): PlanText {
  const known = RECENT.find((each) => hasSameMembers(each.plan, plan));
  if (known) return known.stored;
  const text = jsonText(plan, session_id);
  const stored = { hash: createHash('sha256').update(text).digest('base64url'), text };
  const { session = {}, ...rest } = plan;
  if (![...Object.values(rest), ...Object.values(session as JsonObject)].every(isLasting)) return stored;
  RECENT.unshift({
    plan: { ...rest, ...('session' in plan ? { session: { ...(session as JsonObject) } } : {}) },
    stored,
  });
  RECENT.length = Math.min(RECENT.length, MOST_RECENT);
  return stored;
}

/** Is it frozen all the way down? */
function isLasting(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return true;
  return Object.isFrozen(value) && Object.values(value).every(isLasting);
}

/** Are they made of the very same parts? */
function hasSameMembers(one: JsonObject, other: JsonObject): boolean {
  const names = Object.keys(one);
  if (names.length !== Object.keys(other).length) return false;
  return names.every((name) => {
    const [a, b] = [one[name], other[name]];
    return a === b || (name === 'session' && isPlainObject(a) && isPlainObject(b) && hasSameMembers(a, b));
  });
}

/** A place that is taken means that somebody else has come to write the session. */
export function* storeMessages(
  { n, session_id }: StoredSession,
  messages: readonly MessageText[],
): Work<void> {
  const insert = 'INSERT INTO messages (place, turn, body) VALUES (?, ?, ?) ON CONFLICT DO NOTHING';
  for (const { seq, turn, body } of messages)
    if ((yield change(insert, placeOf(n, seq), turn, body)) === 0) throw fenced(`Session ${session_id}`);
}

/** The plans of these must be stored already, and those of documents, too. */
export function* storeEvents({ n, session_id }: StoredSession, events: readonly EventText[]): Work<void> {
  const insert = 'INSERT INTO events (session, seq, body, plan) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING';
  for (const { seq, body, plan } of events)
    if ((yield change(insert, n, seq, body, plan?.hash ?? null)) === 0) throw fenced(`Session ${session_id}`);
}

export function* storeDocument(session: number, { name, body, plan, rights }: DocumentText): Work<void> {
  const insert = `INSERT INTO documents (place, body, plan, rights) VALUES (?, ?, ?, ?)
    ON CONFLICT (place) DO UPDATE SET body = excluded.body, plan = excluded.plan, rights = excluded.rights`;
  yield change(insert, documentPlace(session, name), body, plan?.hash ?? null, rights?.hash ?? null);
}

/** What these refer to, but for what is known to be there: it is never removed. */
export function* storePlans(plans: Iterable<PlanText>, stored?: WeakSet<PlanText>): Work<void> {
  for (const plan of plans) {
    if (stored?.has(plan) || (yield* get('SELECT 1 FROM plans WHERE hash = ?', plan.hash))) continue;
    yield* run('INSERT INTO plans (hash, body) VALUES (?, ?) ON CONFLICT DO NOTHING', plan.hash, plan.text);
  }
}

export function plansOf(records: readonly Pick<DocumentText, 'plan' | 'rights'>[]): Set<PlanText> {
  const plans = new Set<PlanText>();
  for (const { plan, rights = null } of records) {
    if (plan) plans.add(plan);
    if (rights) plans.add(rights);
  }
  return plans;
}
