import type { Bell } from '../bell.js';
import type { Letter } from '../mailbox.js';
import type { ProcessIdentity } from '../process-identity.js';
import { compareAge } from '../query-sessions.js';
import type { SessionDocuments, SessionMetadata } from '../records.js';

/** Who may write a session. A log that is not the owner any more has been fenced off. */
export interface MemoryOwner {
  process: ProcessIdentity;
  since: string;
  lease: number | null;
}

/**
 * One session. Each record is kept as the text a file would have, so that nobody who reads or has written it can change
 * it, and a long conversation takes little room.
 */
export interface HeldSession {
  metadata: SessionMetadata;
  /** Record n has seq n + 1. */
  messages: string[];
  events: string[];
  documents: { [Name in keyof SessionDocuments]?: string };
  letters: Letter[];
  owner: MemoryOwner | null;
  /** The highest lease anybody has held it under. */
  lease: number | null;
  /** Whoever waits for records or letters. */
  bells: Set<Bell>;
}

interface Discarded {
  session: HeldSession;
  time: number;
}

/** What several stores of one program share: as a folder is for processes. Gone when the program ends. */
export class MemoryPlace {
  readonly sessions = new Map<string, HeldSession>();
  /** By id, the last one put away at the end. */
  readonly trash = new Map<string, Discarded[]>();
  /** Every event of every session in one order. */
  readonly feed: { session: HeldSession; seq: number }[] = [];
  readonly followers = new Set<Bell>();
  readonly #children = new Map<string, Set<HeldSession>>();
  readonly #calls = new Map<string, string>();
  #sorted: HeldSession[] = [];
  /** Many are made within a millisecond, in no order of their ids; they are put in order when somebody asks for it. */
  #isSorted = true;

  add(session: HeldSession): void {
    const { session_id, parent_id, tool_call_id } = session.metadata;
    this.sessions.set(session_id, session);
    const last = this.#sorted.at(-1);
    this.#sorted.push(session);
    if (last && compareAge(last.metadata, session.metadata) > 0) this.#isSorted = false;
    if (parent_id === null) return;
    const siblings = this.#children.get(parent_id);
    if (siblings) siblings.add(session);
    else this.#children.set(parent_id, new Set([session]));
    if (tool_call_id !== null) this.#calls.set(callKey(parent_id, tool_call_id), session_id);
  }

  remove(session: HeldSession): void {
    const { session_id, parent_id, tool_call_id } = session.metadata;
    this.sessions.delete(session_id);
    this.#sorted = this.#sorted.filter((other) => other !== session);
    if (parent_id === null) return;
    this.#children.get(parent_id)?.delete(session);
    if (tool_call_id !== null) this.#calls.delete(callKey(parent_id, tool_call_id));
  }

  /** In the order of creation, oldest first. */
  all(): readonly HeldSession[] {
    if (!this.#isSorted) this.#sorted.sort((a, b) => compareAge(a.metadata, b.metadata));
    this.#isSorted = true;
    return this.#sorted;
  }

  children(parent_id: string): HeldSession[] {
    return [...(this.#children.get(parent_id) ?? [])].sort((a, b) => compareAge(a.metadata, b.metadata));
  }

  childOfCall(parent_id: string, tool_call_id: string): string | null {
    return this.#calls.get(callKey(parent_id, tool_call_id)) ?? null;
  }
}

function callKey(parent_id: string, tool_call_id: string): string {
  return `${parent_id}\n${tool_call_id}`;
}
