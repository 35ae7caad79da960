import type { LiveText, ProcessIdentity } from '@amplifier/core';
import type { Durability } from './database/database.js';
import type { Mailbox, MailItem } from './mailbox.js';
import type {
  DocumentName,
  NewSession,
  Range,
  SessionContents,
  SessionDocuments,
  SessionEvent,
  SessionMetadata,
  SessionNode,
  SessionOutline,
  SessionSpend,
  SessionStatus,
  SessionSummary,
  SessionVersion,
  TranscriptLine,
} from './records.js';
import type { SessionLog } from './session-log.js';
import type { Shelf } from './shelf.js';

export interface CreateOptions {
  /** Default: `disk`, or `process` for a session that trails. */
  durability?: Durability;
  /**
   * Resolves before the session is stored, which happens with the next commit of this process, or soon. Only for a new id that no other
   * process can have given out: a refusal is then met by the first append that is waited for.
   */
  trailing?: boolean;
}

export interface OpenOptions {
  /** The token of a run-queue claim. It supersedes an owner that holds the session under an older token, even a live one. */
  lease?: number | undefined;
}

export interface ForkOptions {
  /** Keep the conversation up to the end of this turn. Default: all of it. */
  turn?: number | undefined;
  /** The new session's own fields; config, overlay, agent and folder default to those of the source. */
  session?: NewSession;
  contents?: SessionContents;
}

/** A session in one piece. */
export interface ExportedSession {
  session_id: string;
  documents: SessionDocuments;
  events: readonly SessionEvent[];
  messages: readonly TranscriptLine[];
  mail: readonly MailItem[];
}

/** The same as a reader gets it: the logs are read while they are taken, a page at a time, up to where they were when it began. */
export interface SessionExport extends Pick<ExportedSession, 'session_id' | 'documents'> {
  events: AsyncIterable<readonly SessionEvent[]>;
  messages: AsyncIterable<readonly TranscriptLine[]>;
  mail: AsyncIterable<readonly MailItem[]>;
}

/** The id it gets here (default: the one it had) and the folder it is to work in. */
export type ImportOptions = Pick<NewSession, 'session_id' | 'working_dir'>;

export interface SessionQuery {
  /** Only sessions of this project. Default: the project the store was opened for; null: those of all. */
  project?: string | null | undefined;
  status?: SessionStatus | readonly SessionStatus[] | undefined;
  /** A parent's id, or null for the sessions that have none. */
  parent_id?: string | null | undefined;
  root_id?: string | undefined;
  agent_name?: string | undefined;
  profile_name?: string | undefined;
  forked_from?: string | undefined;
  imported_from?: string | undefined;
  /** ISO times; `created_after` is included, `created_before` is not. */
  created_after?: string | undefined;
  created_before?: string | undefined;
  /** Those in the trash instead. */
  deleted?: boolean | undefined;
  /** 1 to 1,000. */
  limit?: number | undefined;
  /** Of `outlines`: about so many bytes of stored text, but at least one session. The rest is on the next page. */
  bytes?: number | undefined;
  /** From the page before. Pages stay right while sessions are created and deleted. */
  cursor?: string | undefined;
}

/** Newest first. */
export interface SessionPage<Listed = SessionSummary> {
  sessions: Listed[];
  next_cursor: string | null;
}

type WatchOptions = { after_message?: number; after_event?: number; signal?: AbortSignal };

export type SessionChange =
  | { kind: 'message'; message: TranscriptLine }
  | { kind: 'event'; event: SessionEvent };

/** An event, with the position in the feed after it. */
export interface FeedItem {
  cursor: string;
  event: SessionEvent;
  /** Whose session it is; '' where nobody shares the record. */
  tenant: string;
}

/** A stored message. Reading `message` throws `SESSION_CORRUPT` if it is damaged. */
export interface FeedMessage
  extends Omit<FeedItem, 'event'>,
    Pick<SessionEvent, 'seq' | 'session_id' | 'parent_id' | 'root_id'> {
  readonly message: TranscriptLine;
}

export type FeedEntry = FeedItem | FeedMessage;

/** One session, or one tree by its root. */
export type FeedScope = { session_id: string } | { root_id: string };

export interface FeedOptions {
  /** Default: all sessions. */
  of?: FeedScope | undefined;
  /** Also the messages that were stored. Default: events only. */
  messages?: boolean;
}

export interface FollowFeed extends FeedOptions {
  /** Default: the end of the feed. */
  after?: string;
  signal?: AbortSignal;
}

/** Entries after a position and up to another. */
export interface FeedPage extends FeedOptions {
  after: string;
  until: string;
  limit?: number;
}

export interface SessionOwner extends Pick<ProcessIdentity, 'pid' | 'host'> {
  since: string;
  lease: number | null;
}

export interface DeleteOptions {
  /** What to do when sessions hang below it. Default: refuse. */
  children?: 'refuse' | 'orphan' | 'cascade';
  /** Also when its status is `active`. A session whose owner lives is never deleted. */
  force?: boolean;
}

/** Gives out the right to write sessions. The log must be closed by the one who asked for it. */
export interface SessionLogs {
  /** Must be all or nothing, and must reject with `SESSION_EXISTS` when the id, or (parent, tool call), is taken. */
  create(session?: NewSession, contents?: SessionContents, options?: CreateOptions): Promise<SessionLog>;
  /** Rejects with `SESSION_LOCKED` while a live owner has it, and with `FENCED` when a newer lease is known. */
  open(session_id: string, options?: OpenOptions): Promise<SessionLog>;
  /** A new session that begins with the conversation of another. The source may be running, and is not changed. */
  fork(session_id: string, options?: ForkOptions): Promise<SessionLog>;
}

/**
 * Where sessions live. Ids must be checked before they name anything. Reading must never need the right to write, and must never show
 * a line that is not whole. Damage must be an error with the code `SESSION_CORRUPT` that names the place; it must not look like an empty
 * session. What a process wrote later must never be found after a crash without all it wrote before, across messages, events, sessions
 * and `create`: a write that is on disk guarantees those before it.
 */
export interface SessionStore extends SessionLogs, Mailbox, AsyncDisposable {
  /** What sessions that this store writes are saying, before it is stored. */
  readonly live: LiveText;
  /** What all who use the record share beside its sessions. */
  readonly shelf: Shelf;
  has(session_id: string): Promise<boolean>;
  /** The one session whose id is or begins with `prefix`. */
  resolve(prefix: string): Promise<string>;
  metadata(session_id: string): Promise<SessionMetadata>;
  /** What names the present state of a session, at a fraction of the cost of `metadata`. */
  version(session_id: string): Promise<SessionVersion>;
  messages(session_id: string, range?: Range): Promise<TranscriptLine[]>;
  /**
   * The last `count` messages, or the last before a seq, in order, at a cost that does not depend on how long the transcript is. With
   * `bytes` only the last of them that fit, at least one.
   */
  tail(session_id: string, count: number, range?: Pick<Range, 'before' | 'bytes'>): Promise<TranscriptLine[]>;
  events(session_id: string, range?: Range): Promise<SessionEvent[]>;
  document<Name extends DocumentName>(session_id: string, name: Name): Promise<SessionDocuments[Name] | null>;
  /** Who may write it now; null when nobody does, or when the one who did is dead. */
  owner(session_id: string): Promise<SessionOwner | null>;

  list(query?: SessionQuery): Promise<SessionPage>;
  /**
   * The same with all that is known of each but its plan. One that is damaged has what a listing shows. A session for whose version
   * `recall` returns something is not read: what was returned takes the place of its outline.
   */
  outlines<Known extends string = never>(
    query?: SessionQuery,
    recall?: (version: SessionVersion) => Known | undefined,
  ): Promise<SessionPage<SessionOutline | SessionSummary | Known>>;
  /** All direct children, oldest first. */
  children(parent_id: string): Promise<SessionSummary[]>;
  /** All sessions of a tree, by its root, oldest first: at most so many. Costs little, also for a thousand. */
  tree(root_id: string, limit?: number): Promise<SessionNode[]>;
  /** What sessions that were created in this time used, each counted by itself. ISO times; `from` is included, `to` is not. */
  spend(range?: { from?: string; to?: string }): Promise<SessionSpend[]>;
  /** The session that answers this tool call. Must find it as soon as its `create` could have been acknowledged. */
  childOfCall(parent_id: string, tool_call_id: string): Promise<string | null>;
  /** Sessions with status `active` that nobody owns: their process died. */
  orphaned(): Promise<SessionSummary[]>;
  /** For whoever starts after a crash: lets listings and feed show all there is of sessions whose owners died. Returns their ids. */
  recover(): Promise<string[]>;

  /** What is appended to a session from now on, or after the given seqs. Ends when `signal` aborts. */
  watch(session_id: string, options?: WatchOptions): AsyncIterable<SessionChange>;
  /**
   * Every event and message of every session in one order, from now on or after a cursor, across restarts. Ends when `signal` aborts.
   * Rejects with `INVALID_CURSOR` for a cursor after the end.
   */
  feed(options: FollowFeed & { messages: true }): AsyncIterable<FeedEntry>;
  feed(options?: FollowFeed): AsyncIterable<FeedItem>;
  /** The next entries that are stored; none when there are no more up to `until`. Must not read the feed of other sessions for a scope. */
  feedPage(page: FeedPage): Promise<FeedEntry[]>;
  /** The end of the feed; of a scope, the last entry that it has there. Cheap for a scope. */
  feedCursor(of?: FeedScope): Promise<string>;
  /** Where in the feed an event of a session is; null if it has no such event. */
  eventCursor(session_id: string, seq: number): Promise<string | null>;

  /** Where what is too long for the record may be kept in files, which are removed with the session. Null where there is no place. */
  answersFolder(session_id: string): string | null;
  delete(session_id: string, options?: DeleteOptions): Promise<string[]>;
  /** Brings back what `delete` put away last under this id, with those below it that went at the same time. Returns their ids. */
  restore(session_id: string): Promise<string[]>;
  /** Removes for good what has been in the trash for so many days. */
  emptyTrash(older_than_days: number): Promise<string[]>;
  /** How many bytes of text a session has of its own. */
  size(session_id: string): Promise<number>;

  /** Resolves when all that was committed before is on disk. */
  sync(): Promise<void>;
  export(session_id: string): Promise<SessionExport>;
  /** Takes the conversation and the facts of an export, all or nothing. What the session was launched with must stay behind. */
  import(session: ExportedSession, options?: ImportOptions): Promise<string>;
  close(): Promise<void>;
}
