import type { JsonObject } from '@amplifier/core';
import type { Fold } from './files/folded-journal.js';
import type { ProcessIdentity } from './process-identity.js';
import { fits, type RunArchive, type RunMatch, type StoredRun } from './run-archive.js';
import { isEnded, type RunRecord } from './run-queue.js';
import { parseSnapshot, type RunSnapshot } from './run-snapshot.js';

export type NewRunRecord = Pick<
  RunRecord,
  'run_id' | 'session_id' | 'kind' | 'payload' | 'enqueued' | 'not_before'
> & {
  /** Journals of the first version know no lines but those of sessions. */
  line?: string;
};

/** One thing that happened to a run. A line counts only when the run is as the line expects it; the first one wins. */
export type RunLine =
  | { op: 'enqueue'; run: NewRunRecord }
  | {
      op: 'claim';
      run_id: string;
      /** The line's token as the claimer saw it. Of two claims that saw the same, the earlier line has the run. */
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

interface Line {
  /** The last token given out in this line. */
  token: number;
  /** Runs that have not ended, in the order of enqueuing. */
  open: string[];
}

/** The queue in memory: runs that have not ended, those that ended lately, and a way to the others. */
export class RunFold implements Fold<RunLine> {
  readonly #runs = new Map<string, StoredRun>();
  readonly #lines = new Map<string, Line>();
  readonly #archive: RunArchive | null;
  readonly #keepSince: () => string;
  /** Ended runs that the next snapshot leaves out, and the file they are in. Others may end while these are put away. */
  #putAway: { file: number; ids: ReadonlySet<string> } = { file: 0, ids: new Set() };
  #seq = 0;
  #token = 0;

  constructor(keepSince: () => string, archive: RunArchive | null = null) {
    this.#keepSince = keepSince;
    this.#archive = archive;
  }

  /** The highest token given out so far: a line that has been empty begins above it. */
  get token(): number {
    return this.#token;
  }

  get(run_id: string): StoredRun | undefined {
    return this.#runs.get(run_id) ?? this.#archive?.get(run_id);
  }

  /** The last token given out in a line; 0 when it was empty since. */
  tokenOf(line: string): number {
    return this.#lines.get(line)?.token ?? 0;
  }

  /** The runs whose turn it is: of each line the one that is running, else the one that waits longest. */
  *heads(): Generator<StoredRun> {
    for (const { open } of this.#lines.values()) {
      const run = open[0] === undefined ? undefined : this.#runs.get(open[0]);
      if (run) yield run;
    }
  }

  *newestFirst(match: RunMatch): Generator<StoredRun> {
    const recent = [...this.#runs.values()].filter((run) => fits(run, match));
    const hasEnded = !match.statuses || [...match.statuses].some((status) => isEnded({ status }));
    for (const run of hasEnded ? (this.#archive?.newestFirst(match) ?? []) : []) {
      if (!fits(run, match) || this.#runs.has(run.run_id)) continue;
      for (let last = recent.at(-1); last && last.seq > run.seq; last = recent.at(-1)) {
        yield last;
        recent.pop();
      }
      yield run;
    }
    yield* recent.reverse();
  }

  load(snapshot: Buffer | null): number | null {
    this.#runs.clear();
    this.#lines.clear();
    this.#seq = 0;
    this.#token = 0;
    const stored = snapshot === null ? null : parseSnapshot(snapshot);
    this.#archive?.restore(stored?.ended ?? []);
    if (stored === null) return snapshot === null ? 0 : null;
    this.#seq = stored.seq;
    this.#token = stored.token;
    for (const run of stored.runs) {
      this.#runs.set(run.run_id, run);
      if (!isEnded(run)) this.#line(run.line).open.push(run.run_id);
    }
    for (const [line, token] of Object.entries(stored.tokens)) this.#line(line).token = token;
    return stored.generation;
  }

  /** Forgets the ended runs that have been put away, or ended long ago. */
  follow(snapshot: Buffer): void {
    const stored = parseSnapshot(snapshot);
    if (stored === null || this.#archive === null) return;
    this.#archive.restore(stored.ended);
    const { file, ids } = this.#putAway;
    if (stored.ended.some(({ number }) => number === file)) for (const id of ids) this.#runs.delete(id);
    const cutoff = this.#keepSince();
    for (const run of this.#runs.values()) {
      if (!isEnded(run)) continue;
      if ((run.ended ?? '') <= cutoff || this.#archive.get(run.run_id)) this.#runs.delete(run.run_id);
    }
  }

  /** Puts ended runs away. They are forgotten when the snapshot that says so is there (`follow`), for writing it may fail. */
  async prepareDump(generation: number, before: Buffer | null): Promise<void> {
    if (before) this.follow(before);
    const cutoff = this.#keepSince();
    const ended = [...this.#runs.values()].filter(isEnded);
    await this.#archive?.add(
      generation,
      ended.filter((run) => (run.ended ?? '') > cutoff),
      cutoff,
    );
    this.#putAway = { file: generation, ids: new Set(ended.map(({ run_id }) => run_id)) };
  }

  /** Without an archive, what ended long ago is forgotten. */
  forgetOld(): void {
    const cutoff = this.#keepSince();
    for (const run of this.#runs.values()) {
      if (!isEnded(run) || (run.ended ?? '') > cutoff) return;
      this.#runs.delete(run.run_id);
    }
  }

  dump(generation: number): string {
    const tokens: Record<string, number> = {};
    for (const [line, { token }] of this.#lines) tokens[line] = token;
    const snapshot: RunSnapshot = {
      version: 2,
      generation,
      seq: this.#seq,
      token: this.#token,
      runs: [...this.#runs.values()].filter(({ run_id }) => !this.#putAway.ids.has(run_id)),
      tokens,
      ended: this.#archive?.files ?? [],
    };
    return JSON.stringify(snapshot);
  }

  apply(line: RunLine): void {
    if (line.op === 'enqueue') {
      this.#enqueue(line.run);
      return;
    }
    const run = this.#runs.get(line.run_id);
    if (!run || isEnded(run)) return;
    const place = this.#line(run.line);
    switch (line.op) {
      case 'claim':
        // In journals of the first version a line kept its token when it was empty.
        if (line.previous === place.token || place.token === 0) this.#claim(run, place, line);
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
        if (line.previous === place.token) this.#end(run, 'abandoned', line.at, null);
        return;
    }
  }

  #enqueue(run: NewRunRecord): void {
    if (this.get(run.run_id)) return;
    const { line = run.session_id } = run;
    this.#seq++;
    this.#runs.set(run.run_id, {
      ...run,
      line,
      ...FREE,
      seq: this.#seq,
      started: null,
      ended: null,
      attempts: 0,
      token: 0,
      cancel_requested: null,
      result: null,
    });
    this.#line(line).open.push(run.run_id);
  }

  #claim(run: StoredRun, place: Line, line: RunLine & { op: 'claim' }): void {
    const { token, owner, process, lease_until, at } = line;
    place.token = token;
    this.#token = Math.max(this.#token, token);
    Object.assign(run, { status: 'running', token, owner, process, lease_until });
    run.attempts++;
    run.started ??= at;
  }

  #end(run: StoredRun, status: RunRecord['status'], ended: string, result: JsonObject | null): void {
    Object.assign(run, { ...FREE, status, ended, result });
    const place = this.#line(run.line);
    place.open = place.open.filter((id) => id !== run.run_id);
    if (place.open.length === 0) this.#lines.delete(run.line);
  }

  #line(name: string): Line {
    const known = this.#lines.get(name);
    if (known) return known;
    const line = { token: 0, open: [] };
    this.#lines.set(name, line);
    return line;
  }
}

const FREE = { status: 'queued' as const, owner: null, process: null, lease_until: null };

function holds(run: StoredRun, token: number): boolean {
  return run.status === 'running' && run.token === token;
}
