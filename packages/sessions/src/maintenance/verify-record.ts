import { createHash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { errorInfo, isPlainObject } from '@amplifier/core';
import { all, allWithin, type Database, get } from '../database/database.js';
import { CHECK_ROWS, COPY_BYTES } from '../defaults.js';
import { countEvents, countMessages, newMetadata } from '../fold-metadata.js';
import { openDatabase } from '../open-record.js';
import type { SessionMetadata, TranscriptLine } from '../records.js';
import { hasCode } from '../session-error.js';
import { documentName } from '../sql/places.js';
import { eventsOf, messagesOf, wholeDocument } from '../sql/read-records.js';
import type { SessionRow } from '../sql/session-row.js';

export interface RecordReport {
  sessions: number;
  /** What is wrong, a sentence each. Empty when nothing is. */
  problems: string[];
}

/**
 * Checks the database itself, each session's row against the messages and events it is a fold of, and its documents: that they can be
 * read, are of their kind, and are what their digests say. Changes nothing.
 */
export async function verifyRecord(file: string): Promise<RecordReport> {
  try {
    return await verifyDatabase(await openDatabase(file));
  } catch (error) {
    if (!hasCode(error, 'SESSION_CORRUPT')) throw error;
    return { sessions: 0, problems: [`The record cannot be opened: ${damageOf(error)}.`] };
  }
}

async function verifyDatabase(opened: Database): Promise<RecordReport> {
  await using database = opened;
  const problems = (await database.verify()).map((problem) => problem.replace(TO_VERIFY, ''));
  let sessions = 0;
  try {
    for await (const row of allRows(database)) {
      sessions++;
      const problem = await verifySession(database, row).catch(
        (error) => `Session ${row.session_id} cannot be read: ${damageOf(error)}.`,
      );
      if (problem !== null) problems.push(problem);
      problems.push(...(await verifyDocuments(database, row)));
    }
    problems.push(...(await verifyPlans(database)), ...(await strayDocuments(database)));
  } catch (error) {
    problems.push(`The list of sessions cannot be read to its end: ${damageOf(error)}.`);
  }
  return { sessions, problems };
}

/** Advice for whoever has not done so. */
const TO_VERIFY = ' Run `amplifier record verify`, or restore a backup.';

/** What the database itself says. */
function damageOf(error: unknown): string {
  const { cause } = error as Error;
  return errorInfo(cause ?? error).message.replace(/\.$/, '');
}

async function* allRows(database: Database): AsyncGenerator<SessionRow> {
  const sql = 'SELECT * FROM sessions WHERE deleted IS NULL AND n > ? ORDER BY n LIMIT ?';
  const page = (after: number) => database.read(() => all<SessionRow>(sql, after, CHECK_ROWS));
  for (let rows = await page(0); rows.length > 0; rows = await page(rows.at(-1)?.n ?? 0)) yield* rows;
}

/** The members of a row that its logs must lead to. */
const FOLDED = 'status message_count turn_count event_count agent_invocations ended'.split(
  ' ',
) as (keyof SessionRow & keyof SessionMetadata)[];

/** What a fork shares with others was counted there. */
const SHARED = 'SELECT max(last) AS last FROM bases WHERE session = ?';

function withoutAgent({ agent: _, ...message }: TranscriptLine): TranscriptLine {
  return message;
}

async function verifySession(database: Database, row: SessionRow): Promise<string | null> {
  let folded: SessionMetadata | null = null;
  for await (const events of eventsOf(database, row)) {
    folded ??= newMetadata(events[0]?.data as unknown as Parameters<typeof newMetadata>[0]);
    countEvents(folded, events);
  }
  if (!folded) return `Session ${row.session_id} has no events.`;
  const base = await database.read(() => get<{ last: number | null }>(SHARED, row.n));
  for await (const messages of messagesOf(database, row))
    countMessages(
      folded,
      messages.map((each) => (each.seq > (base?.last ?? 0) ? each : withoutAgent(each))),
    );
  const made = folded;
  const wrong = FOLDED.filter((member) => !isDeepStrictEqual(row[member], made[member]));
  if (wrong.length === 0) return null;
  return `Session ${row.session_id} is listed with another ${wrong.join(', ')} than its messages and events lead to.`;
}

interface DocumentRow {
  place: number;
  body: string | null;
  plan: string | null;
  rights: string | null;
  plan_body: string | null;
  rights_body: string | null;
}

const DOCUMENTS = `SELECT d.place, d.body, d.plan, d.rights, p.body AS plan_body, r.body AS rights_body
  FROM documents d LEFT JOIN plans p ON p.hash = d.plan LEFT JOIN plans r ON r.hash = d.rights
  WHERE d.place >= ? AND d.place < ? ORDER BY d.place`;

/** So many documents a session may have: each has its number below that of the session. */
const KINDS = 4;

async function verifyDocuments(database: Database, { n, session_id }: SessionRow): Promise<string[]> {
  const problems: string[] = [];
  const wrong = (place: number, why: string) =>
    problems.push(`The document ${documentName(place)} of session ${session_id} is damaged: ${why}.`);
  try {
    const rows = await database.read(() => all<DocumentRow>(DOCUMENTS, n * KINDS, (n + 1) * KINDS));
    for (const { place, body, plan, rights, plan_body, rights_body } of rows) {
      const name = documentName(place);
      const isLost = (plan !== null && plan_body === null) || (rights !== null && rights_body === null);
      if (isLost) wrong(place, 'a part that it refers to is missing');
      else
        try {
          const whole = wholeDocument(name, { body, plan: plan_body, rights: rights_body }, session_id);
          if (name === 'bundle' ? body === null : !isPlainObject(whole))
            wrong(place, 'it is of another kind');
        } catch (error) {
          wrong(place, damageOf(error));
        }
    }
  } catch (error) {
    problems.push(`The documents of session ${session_id} cannot be read: ${damageOf(error)}.`);
  }
  return problems;
}

/** Sessions share these by their digest. */
async function verifyPlans(database: Database): Promise<string[]> {
  const problems: string[] = [];
  const sql = 'SELECT hash, body FROM plans WHERE hash > ? ORDER BY hash LIMIT ?';
  const within = { bytes: COPY_BYTES, columns: ['body'] };
  const page = (after: string) =>
    database.read(() => allWithin<{ hash: string; body: string }>(within, sql, after, CHECK_ROWS));
  for (let rows = await page(''); rows.length > 0; rows = await page(rows.at(-1)?.hash ?? '')) {
    for (const { hash, body } of rows) {
      if (createHash('sha256').update(body).digest('base64url') === hash) continue;
      const users = await sessionsWith(database, hash);
      problems.push(
        `The stored plan or grant ${hash} is not what its digest says. Sessions with it: ${users.join(', ') || 'none'}.`,
      );
    }
  }
  return problems;
}

async function sessionsWith(database: Database, hash: string): Promise<string[]> {
  const sql = `SELECT DISTINCT s.session_id FROM documents d JOIN sessions s ON s.n = d.place / ${KINDS}
    WHERE s.deleted IS NULL AND (d.plan = ? OR d.rights = ?) ORDER BY s.session_id LIMIT ?`;
  const rows = await database.read(() => all<{ session_id: string }>(sql, hash, hash, NAMED));
  return rows.map(({ session_id }) => session_id);
}

const NAMED = 20;

/** Documents of which there is no session. */
async function strayDocuments(database: Database): Promise<string[]> {
  const sql = `SELECT place FROM documents WHERE place / ${KINDS} NOT IN (SELECT n FROM sessions) ORDER BY place LIMIT ?`;
  const rows = await database.read(() => all<{ place: number }>(sql, NAMED));
  return rows.map(({ place }) => `The document ${documentName(place)} at ${place} belongs to no session.`);
}
