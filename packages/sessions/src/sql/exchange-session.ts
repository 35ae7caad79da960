import type { JsonObject } from '@amplifier/core';
import { countEvents, countMessages, newMetadata, RECORD_EVENTS } from '../fold-metadata.js';
import type { InitialMetadata } from '../records.js';
import { SessionError } from '../session-error.js';
import { checkSessionId } from '../session-ids.js';
import type { ExportedSession, ImportOptions } from '../session-store.js';
import { topicsOf } from './create-session.js';
import { insertSession, type SessionDraft } from './insert-session.js';
import type { StoreContext } from './store-context.js';
import { recordTexts } from './write-records.js';

interface TakeInOptions extends ImportOptions {
  project?: string | null;
  /** It comes from our own home, where no session can write: then it stays all it was. */
  isOurs?: boolean;
}

/** Takes in a session from elsewhere under the name it gets here, all of it or nothing. A fork shares nothing any more. */
export async function insertImported(
  context: StoreContext,
  session: ExportedSession,
  options: TakeInOptions,
): Promise<string> {
  const { project, database } = context;
  const draft = draftImported(session, { project, ...options }, database.tenant);
  const { session_id, parent_id } = draft.metadata;
  await database.write(() => insertSession(draft), { topics: topicsOf(session_id, parent_id) });
  return session_id;
}

export function draftImported(
  { session_id: original, documents, events, messages, mail }: ExportedSession,
  { session_id: wanted, working_dir = null, project = null, isOurs = false }: TakeInOptions,
  tenant = '',
): SessionDraft {
  checkOrder(events, 'event');
  checkOrder(messages, 'message');
  const session_id = checkSessionId(wanted ?? original);
  const rename = (id: string) => (id === original ? session_id : id);
  const [created, ...rest] = events.map((each) => ({ ...each, session_id, root_id: rename(each.root_id) }));
  if (created?.name !== RECORD_EVENTS.CREATED)
    throw incomplete(`it does not begin with ${RECORD_EVENTS.CREATED}`);
  // `base` tells what a fork shared with its source.
  const { base: _, ...creation } = created.data as unknown as InitialMetadata & { base?: unknown };
  const own = {
    ...creation,
    session_id,
    root_id: rename(creation.root_id),
    project: project ?? creation.project ?? null,
    working_dir: isOurs ? creation.working_dir : working_dir,
  };
  const all = [{ ...created, data: own as unknown as JsonObject }, ...rest];
  const metadata = newMetadata(own);
  countEvents(metadata, all);
  countMessages(metadata, messages);
  // Where mail stands is a matter of bytes, which are others here; what was delivered there has had its effect.
  const waiting = mail.filter(({ cursor }) => cursor > metadata.mailbox_cursor);
  metadata.mailbox_cursor = 0;
  // What a session may do and is made of is decided where it runs. A file that says so is only a file.
  const { launch: __, ...foreign } = documents;
  if (!isOurs) delete metadata.extra.turn_start;
  const texts = recordTexts({
    session_id,
    events: all.map(withoutCursor),
    messages: messages.map(withoutCursor),
    documents: isOurs ? documents : foreign,
  });
  const extra = { name: 'extra' as const, body: JSON.stringify(metadata.extra), plan: null };
  return {
    ...texts,
    documents: [...texts.documents, extra],
    metadata,
    mail: waiting.map(({ cursor: _, ...item }) => ({ ...item, to: session_id })),
    owner: null,
    tenant,
  };
}

function withoutCursor<T extends { mailbox_cursor?: number }>({ mailbox_cursor: _, ...record }: T): T {
  return record as T;
}

function checkOrder(records: readonly { seq: number }[], what: string): void {
  const wrong = records.findIndex(({ seq }, at) => seq !== at + 1);
  if (wrong >= 0) throw incomplete(`${what} ${wrong + 1} is missing or out of order`);
}

export function incomplete(why: string, cause?: unknown): SessionError {
  const message = `This is not a complete exported session: ${why}. Export it again. Nothing was imported.`;
  return new SessionError(message, { code: 'INVALID_EXPORT', cause });
}
