import { isPlainObject, type JsonObject } from '@amplifier/core';
import { publicPlanForm } from '../copies/public-plan-form.js';
import { incomplete } from '../draft-session.js';
import type { MailItem } from '../mailbox.js';
import type { DocumentName, SessionDocuments, SessionEvent, TranscriptLine } from '../records.js';
import type { ExportedSession, SessionExport } from '../session-store.js';

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

/** A session as lines of text, each read from the record when it is taken. */
export async function* exportLines(session: SessionExport): AsyncGenerator<string> {
  const { session_id, documents } = session;
  const count = { events: 0, messages: 0 };
  yield line({ kind: 'amplifier-session', version: 1, session_id });
  for (const [name, document] of Object.entries(documents) as [DocumentName, JsonObject | string][]) {
    const shown = name === 'mount_plan' ? publicPlanForm(document as JsonObject) : document;
    yield line({ kind: 'document', name, document: shown });
  }
  for await (const events of session.events) {
    count.events += events.length;
    for (const event of events) yield line({ kind: 'event', event });
  }
  for await (const messages of session.messages) {
    count.messages += messages.length;
    for (const message of messages) yield line({ kind: 'message', message });
  }
  for await (const items of session.mail) for (const item of items) yield line({ kind: 'mail', item });
  yield line({ kind: 'end', ...count });
}

/** The session that lines of text are. */
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
