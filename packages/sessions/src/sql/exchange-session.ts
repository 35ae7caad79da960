import { type ExportedSession, exportLines, type ImportOptions, readImport } from '../export-session.js';
import { parseText } from '../json-text.js';
import type { Letter } from '../mailbox.js';
import type { DocumentName, SessionDocuments } from '../records.js';
import { topicsOf } from './create-session.js';
import { documentTexts, parseDocument, readDocument } from './documents.js';
import { insertSession, lettersOf } from './insert-session.js';
import { collect, eventsOf, messagesOf } from './read-records.js';
import type { SessionRow } from './session-row.js';
import type { StoreContext } from './store-context.js';
import { eventTexts, messageTexts } from './write-records.js';

const DOCUMENTS: readonly DocumentName[] = ['launch', 'mount_plan', 'bundle'];

/** A session in one piece. */
export async function* exportSession(context: StoreContext, row: SessionRow): AsyncGenerator<string> {
  yield* exportLines(await readWhole(context, row));
}

async function readWhole({ database }: StoreContext, row: SessionRow): Promise<ExportedSession> {
  const { n, session_id } = row;
  const documents: SessionDocuments = {};
  for (const name of DOCUMENTS) {
    const found = await database.read(() => readDocument(n, name));
    if (found) Object.assign(documents, { [name]: parseDocument(found, session_id) });
  }
  const letters = await database.read(() => lettersOf(n));
  return {
    session_id,
    documents,
    events: await collect(eventsOf(database, row)),
    messages: await collect(messagesOf(database, row)),
    letters: letters.map((letter) => parseLetter(letter, session_id)),
  };
}

export function parseLetter({ n, body }: { n: number; body: string }, session_id: string): Letter {
  return { ...parseText<Letter>(body, session_id, `letter ${n}`), cursor: n };
}

export async function importSession(
  context: StoreContext,
  lines: AsyncIterable<string> | Iterable<string>,
  options: ImportOptions & { isOurs?: boolean },
): Promise<string> {
  const { metadata, events, messages, documents, letters } = await readImport(lines, {
    ...options,
    project: context.project,
  });
  const { session_id, parent_id } = metadata;
  const draft = {
    metadata,
    events: eventTexts(events, session_id),
    messages: messageTexts(messages, session_id),
    documents: documentTexts(documents, session_id),
    letters,
    owner: null,
  };
  const extra = JSON.stringify(metadata.extra);
  draft.documents.push({ name: 'extra', body: extra, plan: null });
  await context.database.write(() => insertSession(draft), { topics: topicsOf(session_id, parent_id) });
  return session_id;
}
