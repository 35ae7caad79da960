import { all, allWithin, type Database, run, type Work } from '../database/database.js';
import { READ_BYTES, READ_ROWS } from '../defaults.js';
import { jsonText, parseText } from '../json-text.js';
import type { MailItem, NewMailItem } from '../mailbox.js';
import type { RecordSource } from '../number-records.js';
import { checkSessionId } from '../session-ids.js';
import { mailTopic } from '../topic-names.js';
import { mustFindRow, type SessionRow } from './session-row.js';

const INSERT = 'INSERT INTO mail (session, id, body) VALUES (?, ?, ?) ON CONFLICT DO NOTHING';
const AFTER = 'SELECT n, body FROM mail WHERE session = ? AND n > ? ORDER BY n';

/** Puts a mail item into the mail of a session. The same id twice counts once. */
export async function sendMail(
  { database, source }: { database: Database; source: RecordSource },
  { to, kind, from = null, id = `mail_${source.ulid()}`, reply_to = null, body }: NewMailItem,
): Promise<{ id: string }> {
  checkSessionId(to);
  const text = jsonText({ id, to, kind, from, reply_to, time: source.time(), body }, to);
  const send = function* () {
    yield* run(INSERT, (yield* mustFindRow(to)).n, id, text);
  };
  await database.write(send, { topics: [mailTopic(to)] });
  return { id };
}

/** The mail of a session after a cursor, oldest first. */
export function* mailOf(session: number, session_id: string, after = 0): Work<MailItem[]> {
  return (yield* all<MailRow>(AFTER, session, after)).map((row) => itemOf(row, session_id));
}

/** All mail of a session, oldest first, a page at a time. */
export async function* mailPages(
  database: Database,
  { n, session_id }: Pick<SessionRow, 'n' | 'session_id'>,
): AsyncGenerator<MailItem[]> {
  const within = { bytes: READ_BYTES, columns: ['body'] };
  const page = (after: number) =>
    database.read(() => allWithin<MailRow>(within, `${AFTER} LIMIT ?`, n, after, READ_ROWS));
  for (let rows = await page(0); rows.length > 0; rows = await page(rows.at(-1)?.n ?? 0))
    yield rows.map((row) => itemOf(row, session_id));
}

interface MailRow {
  n: number;
  body: string;
}

function itemOf({ n, body }: MailRow, session_id: string): MailItem {
  return { ...parseText<MailItem>(body, session_id, `mail ${n}`), cursor: n };
}
