import type { ProcessIdentity } from '@amplifier/core';
import { Topics } from '../database/topics.js';
import type { SessionBeginning } from '../draft-session.js';
import type { MailItem } from '../mailbox.js';
import type { AppendedRecords } from '../record-log.js';
import type { SessionDocuments, SessionEvent, SessionMetadata, TranscriptLine } from '../records.js';
import { callTaken, fenced, notFound, taken } from '../refusals.js';
import { TOPIC_FEED } from '../topic-names.js';

/** Who writes a session, and since when. */
export interface MemoryOwner {
  id: string;
  identity: ProcessIdentity;
  since: string;
  lease: number | null;
}

/** A session with all that is stored of it, in frozen copies. */
export interface MemorySession {
  /** The fold of its records. Its members that are objects are frozen. */
  metadata: SessionMetadata;
  messages: TranscriptLine[];
  events: SessionEvent[];
  documents: SessionDocuments;
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
interface FeedRow {
  session: MemorySession;
  event?: SessionEvent;
  message?: TranscriptLine;
}

/** The sessions that stores in memory share. Every change is made in one go, so there is nothing to roll back. */
export class MemoryRecord {
  readonly sessions = new Map<string, MemorySession>();
  readonly trash = new Set<MemorySession>();
  /** Position n is at n - 1. Sessions that are gone for good leave gaps. */
  readonly feed: (FeedRow | undefined)[] = [];
  readonly topics = new Topics();
  /** By kind and name. */
  readonly shelf = new Map<string, Map<string, ShelfEntry>>();
  /** By parent, then by tool call. A child without a tool call is its own key. */
  readonly #children = new Map<string, Map<string | MemorySession, MemorySession>>();

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
    return [...(this.#children.get(parent_id)?.values() ?? [])].sort(byAge);
  }

  childOfCall(parent_id: string, tool_call_id: string): string | null {
    return this.#children.get(parent_id)?.get(tool_call_id)?.metadata.session_id ?? null;
  }

  /** All or nothing. `before` is the conversation that a fork shares. The beginning must be made of copies. */
  insert(
    { metadata, parent_epoch, mail = [], ...records }: SessionBeginning,
    owner: MemoryOwner | null,
    before: readonly TranscriptLine[] = [],
  ): MemorySession {
    const { parent_id } = metadata;
    if (parent_epoch !== undefined && this.sessions.get(parent_id ?? '')?.epoch !== parent_epoch)
      throw fenced(`Session ${parent_id}`);
    const refused = this.whyTaken(metadata);
    if (refused) throw refused;
    const items = mail.map((item, at) => Object.freeze({ ...item, cursor: at + 1 }));
    const session: MemorySession = {
      metadata,
      messages: [...before],
      events: [],
      documents: {},
      mail: items,
      epoch: 1,
      owner,
      lease: null,
      deleted: null,
    };
    this.#add(session);
    this.append(session, records);
    return session;
  }

  /** The id, or the tool call, has a session: which. */
  whyTaken({ session_id, parent_id, tool_call_id }: SessionMetadata): Error | null {
    if (this.sessions.has(session_id)) return taken(session_id);
    if (parent_id === null || tool_call_id === null) return null;
    const rival = this.childOfCall(parent_id, tool_call_id);
    return rival === null ? null : callTaken(parent_id, tool_call_id, rival);
  }

  /** Stores copies that the metadata have counted. */
  append(session: MemorySession, { events = [], messages = [], documents }: AppendedRecords): void {
    const { metadata } = session;
    Object.freeze(metadata.extra);
    Object.freeze(metadata.usage);
    for (const event of events) {
      session.events.push(event);
      this.feed.push({ session, event });
    }
    for (const message of messages) {
      session.messages.push(message);
      this.feed.push({ session, message });
    }
    Object.assign(session.documents, documents);
    this.topics.tell([metadata.session_id, TOPIC_FEED]);
  }

  /** The new epoch shuts out its former owner. */
  putAway(session: MemorySession, time: string): void {
    const { session_id, parent_id, tool_call_id } = session.metadata;
    Object.assign(session, { deleted: time, owner: null, epoch: session.epoch + 1 });
    this.sessions.delete(session_id);
    const siblings = this.#children.get(parent_id ?? '');
    siblings?.delete(tool_call_id ?? session);
    if (siblings?.size === 0) this.#children.delete(parent_id ?? '');
    this.trash.add(session);
    this.topics.tell([session_id]);
  }

  bringBack(session: MemorySession): void {
    session.deleted = null;
    this.trash.delete(session);
    this.#add(session);
    this.topics.tell([session.metadata.session_id]);
  }

  /** Removes for good what was put away up to `cutoff`. */
  purge(cutoff: string): string[] {
    const gone = new Set([...this.trash].filter(({ deleted }) => deleted !== null && deleted <= cutoff));
    for (const session of gone) this.trash.delete(session);
    for (const [at, row] of this.feed.entries()) if (row && gone.has(row.session)) this.feed[at] = undefined;
    return [...gone].map(({ metadata }) => metadata.session_id);
  }

  #add(session: MemorySession): void {
    const { session_id, parent_id, tool_call_id } = session.metadata;
    this.sessions.set(session_id, session);
    if (parent_id === null) return;
    const siblings = this.#children.get(parent_id) ?? new Map();
    this.#children.set(parent_id, siblings.set(tool_call_id ?? session, session));
  }
}

export function byAge({ metadata: a }: MemorySession, { metadata: b }: MemorySession): number {
  return a.created < b.created || (a.created === b.created && a.session_id < b.session_id) ? -1 : 1;
}

/** The turn that a conversation ends with. */
export function lastTurn(messages: readonly TranscriptLine[]): TranscriptLine[] {
  const turn = messages.at(-1)?.turn;
  return messages.slice(messages.findLastIndex((each) => each.turn !== turn) + 1);
}
