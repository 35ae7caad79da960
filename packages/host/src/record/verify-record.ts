import { isDeepStrictEqual } from 'node:util';
import { errorInfo } from '@amplifier/core';
import {
  all,
  countEvents,
  countMessages,
  type Database,
  eventsOf,
  get,
  hasCode,
  messagesOf,
  newMetadata,
  openDatabase,
  type SessionMetadata,
  type SessionRow,
  type TranscriptLine,
} from '@amplifier/sessions';
import { CHECK_ROWS } from './defaults.js';

export interface RecordReport {
  sessions: number;
  /** What is wrong, a sentence each. Empty when nothing is. */
  problems: string[];
}

/** Checks the database itself, and each session's row against the messages and events it is a fold of. Changes nothing. */
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
    }
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
