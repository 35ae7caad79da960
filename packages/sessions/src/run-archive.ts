import type { ProcessIdentity } from './process-identity.js';
import type { RunRecord, RunStatus } from './run-queue.js';

export interface StoredRun extends RunRecord {
  process: ProcessIdentity | null;
}

/** Which runs somebody looks for. */
export interface RunMatch {
  session_id?: string | undefined;
  kind?: string | undefined;
  statuses: ReadonlySet<RunStatus> | null;
  after: number;
  before: number;
}

/** Ended runs that were put away together. */
export interface ArchivedRuns {
  number: number;
  /** Where the index begins. */
  index_at: number;
  /** The end of the run that ended last. */
  until: string;
  last_seq: number;
}

/** Ended runs that are not in memory any more. */
export interface RunArchive {
  readonly files: ArchivedRuns[];
  /** Counts these, and only these. */
  restore(files: readonly ArchivedRuns[]): void;
  /** Puts runs away under a number that has not been used, and gives up what ended before `keepSince`. */
  add(number: number, runs: readonly StoredRun[], keepSince: string): Promise<void>;
  get(run_id: string): StoredRun | undefined;
  /** Those that fit, and perhaps some of another session or kind. */
  newestFirst(match: RunMatch): Iterable<StoredRun>;
}

export function fits(run: StoredRun, { session_id, kind, statuses, after, before }: RunMatch): boolean {
  return (
    run.seq > after &&
    run.seq < before &&
    (session_id === undefined || run.session_id === session_id) &&
    (kind === undefined || run.kind === kind) &&
    (statuses === null || statuses.has(run.status))
  );
}
