import type { ProcessIdentity } from '@amplifier/core';
import { Topics } from '../database/topics.js';
import { parseText } from '../json-text.js';
import type { MailItem } from '../mailbox.js';
import type { SessionEvent, SessionMetadata, TranscriptLine } from '../records.js';
import { callTaken, fenced, notFound, taken } from '../refusals.js';
import type { SessionDraft } from '../sql/insert-session.js';
import { parseEvent } from '../sql/read-records.js';
import { TOPIC_FEED } from '../sql/topic-names.js';
import type { DocumentText, EventText, MessageText } from '../sql/write-records.js';

/** Who writes a session, and since when. */
export interface MemoryOwner {
  id: string;
  identity: ProcessIdentity;
  since: string;
  lease: number | null;
}

/** A session with all that is stored of it. Records are texts: what callers hold can change nothing that is stored. */
export interface MemorySession {
  /** The fold of its logs. Members that are objects are replaced, never changed. */
  metadata: SessionMetadata;
  messages: MessageText[];
  events: EventText[];
  documents: Map<string, DocumentText>;
  mail: MailItem[];
  epoch: number;
  owner: MemoryOwner | null;
  /** The newest lease it was opened with. */
  lease: number | null;
  deleted: string | null;
}

/** A document of the shelf, and who is at work on it. */
export interface ShelfEntry {
  body: string;
  until: number | null;
  holder: ProcessIdentity | null;
  held_until: number;
}

/** An event or a message in the order of all sessions. */
type StoredEntry = { n: number; session: MemorySession } & ({ event: EventText } | { message: MessageText });

/** The sessions that stores in memory share. Every change is made in one go, so there is nothing to roll back. */
export class MemoryRecord {
  readonly sessions = new Map<string, MemorySession>();
  readonly topics = new Topics();
  /** By kind and name. */
  readonly shelf = new Map<string, Map<string, ShelfEntry>>();
  trash: MemorySession[] = [];
  feed: StoredEntry[] = [];
  /** The number of the last entry of the feed. */
  last = 0;
  readonly #children = new Map<string, Set<MemorySession>>();
  readonly #calls = new Map<string, MemorySession>();

  subscribe(topic: string, onNews: () => void): () => void {
    this.topics.add(topic, onNews);
    return () => this.topics.remove(topic, onNews);
  }

  find(session_id: string): MemorySession {
    const session = this.sessions.get(session_id);
    if (!session) throw notFound(session_id);
    return session;
  }

  /** Oldest first. */
  children(parent_id: string): MemorySession[] {
    return [...(this.#children.get(parent_id) ?? [])].sort(byAge);
  }

  childOfCall(parent_id: string, tool_call_id: string): string | null {
    return this.#calls.get(callKey(parent_id, tool_call_id))?.metadata.session_id ?? null;
  }

  insert(draft: SessionDraft, owner: MemoryOwner | null, before: readonly MessageText[] = []): MemorySession {
    const { metadata, parent_epoch } = draft;
    const { parent_id } = metadata;
    const parent = this.sessions.get(parent_id ?? '');
    if (parent_epoch !== undefined && parent?.epoch !== parent_epoch) throw fenced(`Session ${parent_id}`);
    const refused = this.whyTaken(metadata);
    if (refused) throw refused;
    const session: MemorySession = {
      metadata,
      messages: [...before],
      events: [],
      documents: new Map(draft.documents.map((document) => [document.name, document])),
      mail: [],
      epoch: 1,
      owner,
      lease: null,
      deleted: null,
    };
    for (const item of draft.mail ?? []) session.mail.push({ ...item, cursor: session.mail.length + 1 });
    this.#add(session);
    this.append(session, draft.events, draft.messages);
    return session;
  }

  /** The id, or the tool call, has a session: which. */
  whyTaken({ session_id, parent_id, tool_call_id }: SessionMetadata): Error | null {
    if (this.sessions.has(session_id)) return taken(session_id);
    if (parent_id === null || tool_call_id === null) return null;
    const rival = this.childOfCall(parent_id, tool_call_id);
    return rival === null ? null : callTaken(parent_id, tool_call_id, rival);
  }

  /** The metadata have counted these. */
  append(
    session: MemorySession,
    events: readonly EventText[] = [],
    messages: readonly MessageText[] = [],
  ): void {
    for (const event of events) {
      session.events.push(event);
      this.feed.push({ n: ++this.last, session, event });
    }
    for (const message of messages) {
      session.messages.push(message);
      this.feed.push({ n: ++this.last, session, message });
    }
    this.topics.tell([session.metadata.session_id, TOPIC_FEED]);
  }

  /** The new epoch shuts out its former owner. */
  putAway(session: MemorySession, time: string): void {
    const { session_id, parent_id, tool_call_id } = session.metadata;
    session.deleted = time;
    session.owner = null;
    session.epoch++;
    this.sessions.delete(session_id);
    const siblings = this.#children.get(parent_id ?? '');
    siblings?.delete(session);
    if (siblings?.size === 0) this.#children.delete(parent_id ?? '');
    if (parent_id !== null && tool_call_id !== null) this.#calls.delete(callKey(parent_id, tool_call_id));
    this.trash.push(session);
    this.topics.tell([session_id]);
  }

  bringBack(session: MemorySession): void {
    session.deleted = null;
    this.trash = this.trash.filter((each) => each !== session);
    this.#add(session);
    this.topics.tell([session.metadata.session_id]);
  }

  /** Removes for good what was put away up to `cutoff`. */
  purge(cutoff: string): string[] {
    const gone = this.trash.filter(({ deleted }) => deleted !== null && deleted <= cutoff);
    if (gone.length === 0) return [];
    const doomed = new Set(gone);
    this.trash = this.trash.filter((session) => !doomed.has(session));
    this.feed = this.feed.filter(({ session }) => !doomed.has(session));
    return gone.map(({ metadata }) => metadata.session_id);
  }

  #add(session: MemorySession): void {
    const { session_id, parent_id, tool_call_id } = session.metadata;
    this.sessions.set(session_id, session);
    if (parent_id === null) return;
    const siblings = this.#children.get(parent_id) ?? new Set();
    this.#children.set(parent_id, siblings.add(session));
    if (tool_call_id !== null) this.#calls.set(callKey(parent_id, tool_call_id), session);
  }
}

export function byAge({ metadata: a }: MemorySession, { metadata: b }: MemorySession): number {
  return a.created < b.created || (a.created === b.created && a.session_id < b.session_id) ? -1 : 1;
}

export function eventOf({ metadata }: MemorySession, { seq, body, plan }: EventText): SessionEvent {
  return parseEvent({ seq, body, plan: plan?.text ?? null }, metadata);
}

export function messageOf({ body, seq }: MessageText, session_id: string): TranscriptLine {
  return parseText<TranscriptLine>(body, session_id, `message ${seq}`);
}

/** No id has a blank. */
function callKey(parent_id: string, tool_call_id: string): string {
  return `${parent_id} ${tool_call_id}`;
}
