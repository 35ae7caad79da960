import { isPlainObject, type JsonObject } from '@amplifier/core';
import { countEvents, countMessages, newMetadata, RECORD_EVENTS } from './fold-metadata.js';
import type { MailItem } from './mailbox.js';
import type {
  DocumentName,
  SessionCreation,
  SessionDocuments,
  SessionEvent,
  SessionMetadata,
  SessionPatch,
  TranscriptLine,
} from './records.js';
import { SessionError } from './session-error.js';
import { checkSessionId } from './session-ids.js';

/** One line of an export. The first says what it is, the last how much there was, so that a cut copy is noticed. */
type ExportLine =
  | { kind: 'amplifier-session'; version: 1; session_id: string }
  | { kind: 'document'; name: DocumentName; document: JsonObject | string }
  | { kind: 'event'; event: SessionEvent }
  | { kind: 'message'; message: TranscriptLine }
  | { kind: 'mail'; item: MailItem }
  /** What mail was called in exports of earlier versions. */
  | { kind: 'letter'; letter: MailItem }
  | { kind: 'end'; events: number; messages: number };

export interface ExportedSession {
  session_id: string;
  documents: SessionDocuments;
  events: readonly SessionEvent[];
  messages: readonly TranscriptLine[];
  mail: readonly MailItem[];
}

export function* exportLines(session: ExportedSession): Generator<string> {
  const { session_id, documents, events, messages, mail } = session;
  yield line({ kind: 'amplifier-session', version: 1, session_id });
  for (const [name, document] of Object.entries(documents) as [DocumentName, JsonObject | string][]) {
    yield line({ kind: 'document', name, document });
  }
  for (const event of events) yield line({ kind: 'event', event });
  for (const message of messages) yield line({ kind: 'message', message });
  for (const item of mail) yield line({ kind: 'mail', item });
  yield line({ kind: 'end', events: events.length, messages: messages.length });
}

/** What a session that comes in has, under its new name. */
export interface ImportedSession {
  metadata: SessionMetadata;
  documents: SessionDocuments;
  events: SessionEvent[];
  messages: TranscriptLine[];
  /** Those that had not been delivered. */
  mail: Omit<MailItem, 'cursor'>[];
}

export interface ImportOptions {
  /** Default: the one it had. */
  session_id?: string;
  /** The folder it is to work in here. */
  working_dir?: string | null;
}

interface ReadOptions extends ImportOptions {
  project: string | null;
  /** It comes from our own home, where no session can write: then it stays all it was. */
  isOurs?: boolean;
}

/** A session that comes in, under the name it gets here. A fork comes in one piece: it shares nothing any more. */
export function imported(
  { session_id: original, documents: found, events, messages, mail }: ExportedSession,
  { session_id: wanted, working_dir = null, project, isOurs = false }: ReadOptions,
): ImportedSession {
  checkOrder(events, 'event');
  checkOrder(messages, 'message');
  // What a session may do and is made of is decided where it runs. A file that says so is only a file.
  const { launch, ...others } = found;
  const documents = isOurs && launch ? { ...others, launch } : others;
  const session_id = checkSessionId(wanted ?? original);
  const rename = (id: string) => (id === original ? session_id : id);
  const [created, ...rest] = events.map((event) => ({
    ...event,
    session_id,
    root_id: rename(event.root_id),
  }));
  if (created?.name !== RECORD_EVENTS.CREATED)
    throw incomplete(`it does not begin with ${RECORD_EVENTS.CREATED}`);
  const { base: _, ...creation } = created.data as unknown as ExportedCreation;
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
  return {
    metadata: { ...metadata, mailbox_cursor: 0 },
    documents,
    events: all.map(withoutCursor),
    messages: messages.map(withoutCursor),
    mail: waiting.map(({ cursor: _, ...item }) => ({ ...item, to: session_id })),
  };
}

/** `base` tells what a fork shared with its source. */
type ExportedCreation = SessionCreation & SessionPatch & { base?: unknown };

export async function readExport(lines: AsyncIterable<string> | Iterable<string>): Promise<ExportedSession> {
  const events: SessionEvent[] = [];
  const messages: TranscriptLine[] = [];
  const mail: MailItem[] = [];
  const documents: JsonObject = {};
  let session_id: string | undefined;
  let isEnded = false;
  for await (const text of lines) {
    if (text.trim() === '') continue;
    const entry = parse(text);
    if (session_id === undefined && entry.kind !== 'amplifier-session')
      throw incomplete('its first line is another');
    if (entry.kind === 'amplifier-session') session_id = entry.session_id;
    else if (entry.kind === 'document') documents[knownDocument(entry)] = entry.document;
    else if (entry.kind === 'event') events.push(entry.event);
    else if (entry.kind === 'message') messages.push(entry.message);
    else if (entry.kind === 'mail') mail.push(entry.item);
    else if (entry.kind === 'letter') mail.push(entry.letter);
    else if (entry.kind === 'end')
      isEnded = entry.events === events.length && entry.messages === messages.length;
  }
  if (session_id === undefined || !isEnded)
    throw incomplete('it ends too early, or something is missing in it');
  return { session_id, documents: documents as SessionDocuments, events, messages, mail };
}

const DOCUMENTS: Record<DocumentName, (document: unknown) => boolean> = {
  launch: isPlainObject,
  mount_plan: isPlainObject,
  bundle: (document) => typeof document === 'string',
};

function knownDocument({ name, document }: { name: string; document: unknown }): DocumentName {
  if (Object.hasOwn(DOCUMENTS, name) && DOCUMENTS[name as DocumentName](document))
    return name as DocumentName;
  throw incomplete(`it holds a document ${JSON.stringify(name)}, which is not known here`);
}

function withoutCursor<T extends { mailbox_cursor?: number }>({ mailbox_cursor: _, ...record }: T): T {
  return record as T;
}

function checkOrder(records: readonly { seq: number }[], what: string): void {
  const wrong = records.findIndex(({ seq }, at) => seq !== at + 1);
  if (wrong >= 0) throw incomplete(`${what} ${wrong + 1} is missing or out of order`);
}

function parse(text: string): ExportLine {
  try {
    const entry: unknown = JSON.parse(text);
    if (isPlainObject(entry) && typeof entry.kind === 'string') return entry as ExportLine;
  } catch (error) {
    throw incomplete('a line of it is not JSON', error);
  }
  throw incomplete('a line of it is not a record');
}

function line(entry: ExportLine): string {
  return `${JSON.stringify(entry)}\n`;
}

function incomplete(why: string, cause?: unknown): SessionError {
  return new SessionError(
    `This is not a complete exported session: ${why}. Export it again. Nothing was imported.`,
    {
      code: 'INVALID_EXPORT',
      cause,
    },
  );
}
