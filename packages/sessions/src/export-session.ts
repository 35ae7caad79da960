import type { JsonObject } from '@amplifier/core';
import { countEvents, countMessages, newMetadata, RECORD_EVENTS } from './fold-metadata.js';
import type { MailItem } from './mailbox.js';
import type {
  SessionCreation,
  SessionDocuments,
  SessionEvent,
  SessionMetadata,
  SessionPatch,
  TranscriptLine,
} from './records.js';
import { SessionError } from './session-error.js';
import { checkSessionId } from './session-ids.js';

/** A session in one piece. */
export interface ExportedSession {
  session_id: string;
  documents: SessionDocuments;
  events: readonly SessionEvent[];
  messages: readonly TranscriptLine[];
  mail: readonly MailItem[];
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

function withoutCursor<T extends { mailbox_cursor?: number }>({ mailbox_cursor: _, ...record }: T): T {
  return record as T;
}

function checkOrder(records: readonly { seq: number }[], what: string): void {
  const wrong = records.findIndex(({ seq }, at) => seq !== at + 1);
  if (wrong >= 0) throw incomplete(`${what} ${wrong + 1} is missing or out of order`);
}

export function incomplete(why: string, cause?: unknown): SessionError {
  return new SessionError(
    `This is not a complete exported session: ${why}. Export it again. Nothing was imported.`,
    {
      code: 'INVALID_EXPORT',
      cause,
    },
  );
}
