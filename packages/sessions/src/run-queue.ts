import type { JsonObject } from '@amplifier/core';
import type { Durability } from './database/database.js';
import type { Range, SessionEvent } from './records.js';

export type RunStatus = 'queued' | 'running' | 'finished' | 'cancelled';

export interface RunRecord {
  run_id: string;
  session_id: string;
  /** Runs of one line start one after the other. */
  line: string;
  kind: string;
  /** What to do. Opaque to the queue. */
  payload: JsonObject;
  status: RunStatus;
  /** The order of enqueuing. */
  seq: number;
  enqueued: string;
  /** It must not start before this ISO time. */
  not_before: string | null;
  /** Where it has to be executed, which its tree says; null: anywhere. */
  place: string | null;
  /** Whose it is, which its session says; '' where nobody shares the record. */
  tenant: string;
  /** The id of the token that asked for it; '' where none did. */
  caller: string;
  /** Higher goes first. */
  priority: number;
  started: string | null;
  ended: string | null;
  /** How often it has been claimed. */
  attempts: number;
  /** How often its work was begun, by any process. */
  starts: number;
  /** The fencing token of the last claim; 0 before the first. Within a line it only rises. */
  token: number;
  owner: string | null;
  lease_until: string | null;
  /** Somebody wants it stopped; whoever runs it must see to that. */
  cancel_requested: string | null;
  result: JsonObject | null;
}

/** Enqueuing the same `run_id` again returns the first one. Default: the line of the session, an empty payload, priority 0. */
export interface NewRun
  extends Pick<RunRecord, 'session_id' | 'kind'>,
    Partial<Pick<RunRecord, 'run_id' | 'line' | 'payload' | 'not_before' | 'priority' | 'caller'>> {
  /** Rejects with `SESSION_LOCKED` where its line has another that has not ended. */
  only_if_idle?: boolean;
  /** Replaces a run of the same id that has ended or is queued, in one transaction. Rejects with `RUN_EXISTS` if that is running. */
  again?: boolean;
}

/** How a claimed run is put back. A line that it is moved to gets it in the order of enqueuing. */
export type PutBack = Partial<Pick<RunRecord, 'not_before' | 'line' | 'payload'>>;

/** Something that happened to a run. */
export type RunEvent = Pick<SessionEvent, 'id' | 'name' | 'data'>;

/** What a change of a run is stored with. Default: on disk when the call resolves, and no event. */
export interface RunChange {
  durability?: Durability;
  /**
   * Put into the feed in the same transaction. It needs no right to write the session and is not part of its log; a session that is
   * gone has none.
   */
  event?: RunEvent;
}

/** The right to run one turn. Pass `token` to `SessionStore.open` as the lease. */
export interface Claim {
  run: RunRecord;
  token: number;
  /** It was claimed in the transaction that stored the run. */
  isNew?: boolean;
}

export interface ClaimOptions {
  /** Only runs of these kinds. */
  kinds?: readonly string[];
}

export interface BacklogOptions extends ClaimOptions {
  /** Without runs of these kinds. */
  but?: readonly string[];
}

/** How a run that is cancelled before it began ends. */
export interface RunEnding {
  result: JsonObject;
  event: RunEvent;
}

/** What has not ended and has to be executed in one place; null: anywhere. */
export interface Backlog {
  place: string | null;
  waiting: number;
  running: number;
  /** When the one was enqueued that waits longest. */
  oldest: string | null;
}

/** `after` and `before` are the seqs of runs. */
export interface RunQuery extends Range, Partial<Pick<RunRecord, 'session_id' | 'kind'>> {
  status?: RunStatus | readonly RunStatus[];
  /** Default: oldest first. */
  order?: 'oldest' | 'newest';
}

/**
 * Turns that wait for somebody to run them, and for a week those that have ended. What memory holds and what a call costs must
 * depend on the runs that have not ended, not on those that have. At most one run of a line is `running`, and runs of a line start in
 * the order of enqueuing. A run whose owner is dead, or has let its lease run out, must be given to the next who claims, with a higher
 * token; from then on every call of the old owner must reject with `FENCED`.
 */
export interface RunQueue extends AsyncDisposable {
  /** A run that was claimed more often without an end must be ended by the next who claims it. */
  readonly maxAttempts: number;
  /** Where a consumer of `claims` waits here and this run is the next, it is claimed for that consumer in the same transaction. */
  enqueue(run: NewRun, change?: RunChange): Promise<RunRecord>;
  /**
   * Stores a run that this process executes at once: it is claimed in the same transaction. An ended run of the same id is replaced;
   * one that has not ended is refused with `RUN_EXISTS`, and a line that is not free with `SESSION_LOCKED`.
   */
  enqueueClaimed(run: NewRun, change?: RunChange): Promise<Claim>;
  /** The next run that may start, or null when there is none right now. */
  claim(options?: ClaimOptions): Promise<Claim | null>;
  /** Claims as they become possible, one at a time: the next is looked for when the consumer asks. */
  claims(options?: ClaimOptions & { signal?: AbortSignal }): AsyncIterable<Claim>;
  /** Renews the lease. Call it at least every third of the lease time. */
  keepAlive(claim: Claim): Promise<RunRecord>;
  /** The work of a claimed run begins. Nothing waits for it: it comes before whatever this process writes next. */
  begin(claim: Claim, event?: RunEvent): Promise<RunRecord>;
  /** Moves the run, with its later events, to another session, which need not exist yet. */
  assign(claim: Claim, session_id: string): Promise<RunRecord>;
  /** Takes effect once. */
  finish(claim: Claim, result?: JsonObject, change?: RunChange): Promise<RunRecord>;
  /** Puts it back, without counting the attempt: to the head of its line, unless it is moved to another. */
  release(claim: Claim, changes?: PutBack): Promise<void>;
  /** A queued run ends here, with `ending`; a running one is asked to. Must be on disk when it resolves. */
  cancel(run_id: string, reason: string, ending?: RunEnding): Promise<RunRecord>;
  get(run_id: string): Promise<RunRecord | null>;
  list(query?: RunQuery): Promise<RunRecord[]>;
  backlog(options?: BacklogOptions): Promise<Backlog[]>;
  /** The run each time it changes, beginning with what it is now. Ends with its last state, or when `signal` aborts. */
  watch(run_id: string, signal?: AbortSignal): AsyncIterable<RunRecord>;
  close(): Promise<void>;
}
