import type { JsonObject, SaidMessage, Usage } from '@amplifier/core';

export type SessionStatus = 'created' | 'active' | 'completed' | 'failed' | 'terminated';

/** A message of a session; one line of `transcript.jsonl`. */
export interface TranscriptLine extends SaidMessage {
  id: string;
  timestamp: string;
  agent?: string;
  token_count?: number;
  /** 1 for the first message of the session; never repeated, never skipped. A fork goes on counting. */
  seq: number;
  /** The turn this line belongs to: how many user messages there were up to and including it. 0 before the first. */
  turn: number;
  /** Set on the line that is the effect of a mail item: all mail up to here has been delivered. */
  mailbox_cursor?: number;
}

/** A message as it is about to be stored. A missing `id` or `timestamp` is filled in. */
export type NewMessage = SaidMessage &
  Partial<Pick<TranscriptLine, 'id' | 'timestamp' | 'agent' | 'token_count'>>;

/** A fact of a session; one line of `events.jsonl`. */
export interface SessionEvent extends Pick<SessionLineage, 'session_id' | 'parent_id' | 'root_id'> {
  seq: number;
  id: string;
  time: string;
  name: string;
  data: JsonObject;
  mailbox_cursor?: number;
}

/** A fact other than a message, as it is about to be stored. */
export type NewEvent = Pick<SessionEvent, 'name'> & Partial<Pick<SessionEvent, 'data' | 'id' | 'time'>>;

/** Where a session stands, from its creation on. */
interface SessionLineage {
  session_id: string;
  /** The project it belongs to, by its slug; null where there are no projects. */
  project: string | null;
  parent_id: string | null;
  root_id: string;
  agent_name: string | null;
  /** The parent's tool call that this session answers. With `parent_id` it names at most one session. */
  tool_call_id: string | null;
  profile_name: string | null;
  created: string;
}

/** What a session is created with. Stored once, in the event `session:created`, and never changed afterwards. */
export interface SessionCreation extends SessionLineage {
  /** 32 hex digits shared by a root and everything below it. */
  trace_id: string;
  depth: number;
  parallel_group_id: string | null;
  working_dir: string | null;
  /** Where its runs, and those of all below it, have to be executed: a host or a pool. Missing or null: anywhere. */
  place?: string | null | undefined;
  /** The merged mount plan, with secrets redacted and `${ENV}` references kept. */
  config: JsonObject | null;
  agent_overlay: JsonObject | null;
  forked_from: { session_id: string; turn: number; seq: number } | null;
  imported_from: { format: string; session_id: string } | null;
}

/** What may change in a session by hand. `extra` is the app's own; its members replace those of the same name. */
export type SessionPatch = Partial<Pick<SessionMetadata, 'name' | 'model' | 'extra'>>;

/** What the first event of a session says of it. */
export type InitialMetadata = SessionCreation & SessionPatch;

/** A request for a session. Everything has a default; the id defaults to a new root id. */
export type NewSession = Partial<Omit<SessionCreation, 'created' | 'forked_from' | 'imported_from'>> &
  SessionPatch;

/** Documents stored beside the logs. Each is written whole or not at all. `launch` is the launch record. */
export interface SessionDocuments {
  launch?: JsonObject;
  mount_plan?: JsonObject;
  bundle?: string | undefined;
}
export type DocumentName = keyof SessionDocuments;

/** What a new session holds from its first moment: all of it is on disk before `create` resolves, or none is. */
export interface SessionContents {
  /** Refused with `FENCED` where the parent was given to another owner since: whoever was shut out makes no children. */
  parent_epoch?: number | undefined;
  documents?: SessionDocuments;
  messages?: readonly NewMessage[];
  events?: readonly NewEvent[];
}

export interface StatusDetail
  extends Partial<Pick<SessionMetadata, 'interrupted' | 'error' | 'last_outcome'>> {
  /** What changes with the status, as one fact. */
  patch?: SessionPatch;
}

/** Why a session failed. `details` are the app's own. */
interface SessionFailure {
  code: string;
  message: string;
  details?: JsonObject;
}

/** What a listing shows of how a session is. */
interface SessionState {
  name: string | null;
  status: SessionStatus;
  /** Its process died in the middle of a turn. */
  interrupted: boolean;
  updated: string;
  ended: string | null;
  message_count: number;
  turn_count: number;
}

/** The same, as a view of a whole tree shows it. */
interface FullState extends SessionState {
  model: string | null;
  started: string | null;
  event_count: number;
  error: SessionFailure | null;
  usage: Usage;
  /** How the last turn that has ended did, in the form of the app. */
  last_outcome: { turn: number; outcome: JsonObject } | null;
  extra: JsonObject;
}

/** The fold of a session's logs. The stored copy is a cache: the logs win. */
export interface SessionMetadata extends SessionCreation, FullState {
  version: 1;
  /** Whose it is, where teams share the record. */
  tenant?: string;
  agent_invocations: number;
  /** The sum of what the messages say of their size; null when none says anything. */
  token_count: number | null;
  /** Mail up to here has been delivered. */
  mailbox_cursor: number;
}

/** All that is known of a session but its plan. */
export type SessionOutline = Omit<SessionMetadata, 'config'>;

/** Names one state of a session: while it stays equal, so does the outline. */
export type SessionVersion = Pick<
  SessionMetadata,
  'session_id' | 'created' | 'event_count' | 'message_count'
>;

/** What a listing shows, served from the index without opening the session. */
export interface SessionSummary extends SessionLineage, SessionState {
  forked_from: string | null;
  imported_from: string | null;
}

/** A session of a tree. */
export interface SessionNode extends SessionSummary, FullState {
  /** Some process has taken it and not given it back; that process may be dead. */
  isOwned: boolean;
  /** The launch record without its plan. */
  launch: JsonObject | null;
}

/** What one session used. */
export type SessionSpend = Pick<
  SessionNode,
  'session_id' | 'root_id' | 'created' | 'name' | 'agent_name' | 'model' | 'project' | 'usage'
>;

/** Which part of a log to read, in order. `after` and `before` are seqs and are not included. */
export interface Range {
  after?: number;
  before?: number;
  limit?: number;
  /** At most so many bytes of stored text and 1,000 records, but at least one record: the rest is another call. */
  bytes?: number;
}
