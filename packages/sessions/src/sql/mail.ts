import { all, type Database, run, type Work } from '../database/database.js';
import { jsonText, parseText } from '../json-text.js';
import type { MailItem, NewMailItem } from '../mailbox.js';
import type { RecordSource } from '../number-records.js';
import { checkSessionId } from '../session-ids.js';
import { mustFindRow } from './session-row.js';
import { mailTopic } from './topic-names.js';

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
  const rows = yield* all<{ n: number; body: string }>(AFTER, session, after);
  return rows.map(({ n, body }) => ({ ...parseText<MailItem>(body, session_id, `mail ${n}`), cursor: n }));
}
