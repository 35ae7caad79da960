import { type ExportedSession, type ImportOptions, imported } from '../export-session.js';
import { topicsOf } from './create-session.js';
import { insertSession } from './insert-session.js';
import { mailOf } from './mail.js';
import { collect, eventsOf, messagesOf, parseDocument, readDocuments } from './read-records.js';
import type { SessionRow } from './session-row.js';
import type { StoreContext } from './store-context.js';
import { recordTexts } from './write-records.js';

/** A session in one piece. */
export async function readWhole({ database }: StoreContext, row: SessionRow): Promise<ExportedSession> {
  const { n, session_id } = row;
  const found = await database.read(() => readDocuments(n));
  const documents = Object.fromEntries(found.map((each) => [each.name, parseDocument(each, session_id)]));
  return {
    session_id,
    documents,
    events: await collect(eventsOf(database, row)),
    messages: await collect(messagesOf(database, row)),
    mail: await database.read(() => mailOf(n, session_id)),
  };
}

/** Takes in a session that comes from elsewhere, all of it or nothing. */
export async function insertImported(
  context: StoreContext,
  session: ExportedSession,
  options: ImportOptions & { isOurs?: boolean; project?: string | null },
): Promise<string> {
  const read = imported(session, { project: context.project, ...options });
  const { metadata, events, messages, documents, mail } = read;
  // What a turn of there was allowed to do says nothing about here.
  if (!options.isOurs) delete metadata.extra.turn_start;
  const { session_id, parent_id } = metadata;
  const texts = recordTexts({ session_id, events, messages, documents });
  const extra = { name: 'extra' as const, body: JSON.stringify(metadata.extra), plan: null };
  const draft = {
    ...texts,
    documents: [...texts.documents, extra],
    metadata,
    mail,
    owner: null,
    tenant: context.database.tenant ?? '',
  };
  await context.database.write(() => insertSession(draft), { topics: topicsOf(session_id, parent_id) });
  return session_id;
}
