import { isPlainObject, type JsonObject, type JsonText, type MountPlan, Plan } from '@amplifier/core';
import { change, get, run, type SqlValue, type Work } from '../database/database.js';
import { RECORD_EVENTS } from '../fold-metadata.js';
import { jsonText, storedText } from '../json-text.js';
import type { AppendedRecords } from '../record-log.js';
import type { DocumentName, SessionDocuments, SessionEvent, TranscriptLine } from '../records.js';
import { fenced } from '../refusals.js';
import { storedCreation, storedLaunch } from './lineage.js';
import { documentPlace, PLAN_METADATA, placeOf, type StoredName } from './places.js';

/** A plan as it is stored: once, however many sessions and launch records have it. */
export type PlanText = Pick<JsonText, 'hash' | 'text'>;

/** A session by the number of its row. */
interface StoredSession {
  n: number;
  session_id: string;
  root_id: string;
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

function messageTexts(lines: readonly TranscriptLine[], session_id: string): MessageText[] {
  return lines.map((line) => ({ seq: line.seq, turn: line.turn, body: jsonText(line, session_id) }));
}

/** What the rows of the event and of its session say is not said again. The plan that a session was created with is stored by its hash. */
function eventTexts(events: readonly SessionEvent[], session_id: string): EventText[] {
  return events.map(({ seq, id, time, name, data, mailbox_cursor }) => {
    const { config } = data;
    const isFirst = name === RECORD_EVENTS.CREATED && seq === 1;
    const split = isFirst && isPlainObject(config) ? splitPlan(config) : null;
    const own = isFirst ? storedCreation(data) : data;
    const said = split ? { ...own, config: undefined, [PLAN_METADATA]: split.own } : own;
    const body = jsonText({ id, time, name, data: said, mailbox_cursor }, session_id);
    return { seq, body, plan: split ? storedText(split.shared, session_id) : null };
  });
}

/** The same for the plan in a document, and for what it allows. `creation` is the data of the first event, where both are stored together. */
function documentText(
  name: DocumentName,
  document: JsonObject | string,
  session_id: string,
  creation?: JsonObject,
): DocumentText {
  if (typeof document === 'string') return { name, body: document, plan: null };
  const whole = name === 'launch' ? storedLaunch(document, creation) : document;
  const { plan, grant } = whole;
  if (!isPlainObject(plan)) {
    if (name === 'mount_plan') return { name, body: null, plan: storedText(document, session_id) };
    return { name, body: jsonText(document, session_id), plan: null };
  }
  const { shared, own } = splitPlan(plan);
  const rights = isPlainObject(grant) ? storedText(grant, session_id) : null;
  const said = { ...whole, plan: undefined, grant: rights ? undefined : grant, [PLAN_METADATA]: own };
  return { name, body: jsonText(said, session_id), plan: storedText(shared, session_id), rights };
}

/** Everything that a session begins with, and the plans that it refers to. */
export function recordTexts({ session_id, ...records }: AppendedRecords & { session_id: string }) {
  const texts = textsOf(records, session_id);
  return { ...texts, plans: plansOf([...texts.events, ...texts.documents]) };
}

export function textsOf({ events = [], messages = [], documents }: AppendedRecords, session_id: string) {
  return {
    events: eventTexts(events, session_id),
    messages: messageTexts(messages, session_id),
    documents: documentTexts(documents, session_id, events[0]?.data),
  };
}

function documentTexts(
  documents: SessionDocuments = {},
  session_id: string,
  creation: JsonObject | undefined,
): DocumentText[] {
  return Object.entries(documents).flatMap(([name, document]) =>
    document === undefined ? [] : [documentText(name as DocumentName, document, session_id, creation)],
  );
}

/** What a child was asked with is its own; the rest of its plan it shares with all that were launched so, and is stored once. */
function splitPlan(plan: JsonObject): { shared: JsonObject; own?: unknown } {
  const known = Plan.known(plan);
  if (known) return { shared: known.json, own: (plan as MountPlan).session.metadata };
  if (!isPlainObject(plan.session) || plan.session.metadata === undefined) return { shared: plan };
  const { metadata: own, ...session } = plan.session;
  return { shared: { ...plan, session }, own };
}

/** Rows of one statement. Each number of rows is a statement that the driver prepares, so that there must not be many. */
const MOST_ROWS = 16;

const MESSAGES = inserts('messages (place, turn, body)', '(?, ?, ?)');
const ENTRIES = inserts('events (session, seq, root_id, body, plan)', '(?, ?, ?, ?, ?)');

/** Statements by the number of rows they insert. */
function inserts(into: string, row: string): readonly string[] {
  return Array.from(
    { length: MOST_ROWS + 1 },
    (_, rows) => `INSERT INTO ${into} VALUES ${Array(rows).fill(row).join(', ')} ON CONFLICT DO NOTHING`,
  );
}

/**
 * Inserts rows of so many columns with few statements. `values`: those of all rows, one row after the other. A key that is taken means
 * that another process has begun to write the session.
 */
function* insertRows(
  statements: readonly string[],
  columns: number,
  values: readonly SqlValue[],
  session_id: string,
): Work<void> {
  const most = columns * MOST_ROWS;
  for (let at = 0; at < values.length; at += most) {
    const chunk = values.slice(at, at + most);
    const rows = chunk.length / columns;
    const inserted = yield change(statements[rows] as string, ...chunk);
    if (inserted !== rows) throw fenced(`Session ${session_id}`);
  }
}

/** Appends events and messages, each with its entry in the feed. The plans of the events must be stored already. */
export function* storeRecords(
  { n, session_id, root_id }: StoredSession,
  events: readonly EventText[],
  messages: readonly MessageText[],
): Work<void> {
  const entries: SqlValue[] = [];
  const rows: SqlValue[] = [];
  for (const { seq, body, plan } of events) entries.push(n, seq, root_id, body, plan?.hash ?? null);
  for (const { seq, turn, body } of messages) {
    entries.push(n, -seq, root_id, '', null);
    rows.push(placeOf(n, seq), turn, body);
  }
  yield* insertRows(ENTRIES, 5, entries, session_id);
  yield* insertRows(MESSAGES, 3, rows, session_id);
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
