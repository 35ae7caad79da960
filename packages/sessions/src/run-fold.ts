import type { JsonObject } from '@amplifier/core';
import type { Fold } from './files/folded-journal.js';
import type { ProcessIdentity } from './process-identity.js';
import type { RunRecord } from './run-queue.js';

export interface StoredRun extends RunRecord {
  process: ProcessIdentity | null;
}

export type NewRunRecord = Pick<
  RunRecord,
  'run_id' | 'session_id' | 'kind' | 'payload' | 'enqueued' | 'not_before'
>;

/** One thing that happened to a run. A line counts only when the run is as the line expects it; the first one wins. */
export type RunLine =
  | { op: 'enqueue'; run: NewRunRecord }
  | {
      op: 'claim';
      run_id: string;
      /** The session's token as the claimer saw it. Of two claims that saw the same, the earlier line has the run. */
      previous: number;
      token: number;
      owner: string;
      process: ProcessIdentity;
      at: string;
      lease_until: string;
    }
  | { op: 'beat'; run_id: string; token: number; lease_until: string }
  | { op: 'finish'; run_id: string; token: number; at: string; result: JsonObject | null }
  | { op: 'release'; run_id: string; token: number }
  | { op: 'cancel'; run_id: string; at: string; reason: string }
  | { op: 'abandon'; run_id: string; previous: number; at: string };

interface SessionLine {
  /** The last token given out for this session. */
  token: number;
  /** Runs that have not ended, in the order of enqueuing. */
  open: string[];
}

interface Snapshot {
  version: 1;
  generation: number;
  seq: number;
  runs: StoredRun[];
  tokens: Record<string, number>;
}

/** The queue in memory. */
export class RunFold implements Fold<RunLine> {
  readonly runs = new Map<string, StoredRun>();
  readonly sessions = new Map<string, SessionLine>();
  readonly #keepSince: () => string;
  #seq = 0;

  constructor(keepSince: () => string) {
    this.#keepSince = keepSince;
  }

  load(snapshot: Buffer | null): number | null {
    this.runs.clear();
    this.sessions.clear();
    this.#seq = 0;
    if (snapshot === null) return 0;
    const stored = parseSnapshot(snapshot);
    if (stored === null) return null;
    this.#seq = stored.seq;
    for (const [session_id, token] of Object.entries(stored.tokens))
      this.sessions.set(session_id, { token, open: [] });
    for (const run of stored.runs) {
      this.runs.set(run.run_id, run);
      if (!isEnded(run)) this.#session(run.session_id).open.push(run.run_id);
    }
    return stored.generation;
  }

  dump(generation: number): string {
    const cutoff = this.#keepSince();
    const runs = [...this.runs.values()].filter((run) => run.ended === null || run.ended > cutoff);
    const tokens: Record<string, number> = {};
    for (const { session_id } of runs) tokens[session_id] = this.#session(session_id).token;
    const snapshot: Snapshot = { version: 1, generation, seq: this.#seq, runs, tokens };
    return JSON.stringify(snapshot);
  }

  apply(line: RunLine): void {
    if (line.op === 'enqueue') {
      this.#enqueue(line.run);
      return;
    }
    const run = this.runs.get(line.run_id);
    if (!run || isEnded(run)) return;
    const session = this.#session(run.session_id);
    switch (line.op) {
      case 'claim':
        if (line.previous === session.token) this.#claim(run, session, line);
        return;
      case 'beat':
        if (holds(run, line.token)) run.lease_until = line.lease_until;
        return;
      case 'finish':
        if (holds(run, line.token)) this.#end(run, 'finished', line.at, line.result);
        return;
      case 'release':
        if (holds(run, line.token)) {
          const attempts = run.attempts - 1;
          Object.assign(run, { ...FREE, attempts });
        }
        return;
      case 'cancel':
        run.cancel_requested ??= line.reason;
        if (run.status === 'queued') this.#end(run, 'cancelled', line.at, null);
        return;
      case 'abandon':
        if (line.previous === session.token) this.#end(run, 'abandoned', line.at, null);
        return;
    }
  }

  /** The run of a session whose turn it is: the one that is running, else the one that waits longest. */
  head({ open }: SessionLine): StoredRun | undefined {
    return open[0] === undefined ? undefined : this.runs.get(open[0]);
  }

  #enqueue(run: NewRunRecord): void {
    if (this.runs.has(run.run_id)) return;
    this.#seq++;
    this.runs.set(run.run_id, {
      ...run,
      ...FREE,
      seq: this.#seq,
      started: null,
      ended: null,
      attempts: 0,
      token: 0,
      cancel_requested: null,
      result: null,
    });
    this.#session(run.session_id).open.push(run.run_id);
  }

  #claim(run: StoredRun, session: SessionLine, line: RunLine & { op: 'claim' }): void {
    const { token, owner, process, lease_until, at } = line;
    session.token = token;
    Object.assign(run, { status: 'running', token, owner, process, lease_until });
    run.attempts++;
    run.started ??= at;
  }

  #end(run: StoredRun, status: RunRecord['status'], ended: string, result: JsonObject | null): void {
    Object.assign(run, { ...FREE, status, ended, result });
    const session = this.#session(run.session_id);
    session.open = session.open.filter((id) => id !== run.run_id);
  }

  #session(session_id: string): SessionLine {
    const known = this.sessions.get(session_id);
    if (known) return known;
    const session = { token: 0, open: [] };
    this.sessions.set(session_id, session);
    return session;
  }
}

const FREE = { status: 'queued' as const, owner: null, process: null, lease_until: null };

function isEnded({ status }: RunRecord): boolean {
  return status !== 'queued' && status !== 'running';
}

function holds(run: StoredRun, token: number): boolean {
  return run.status === 'running' && run.token === token;
}

function parseSnapshot(text: Buffer): Snapshot | null {
  try {
    const snapshot: Snapshot = JSON.parse(text.toString('utf8'));
    return Number.isInteger(snapshot?.generation) && Array.isArray(snapshot.runs) ? snapshot : null;
  } catch {
    return null;
  }
}
