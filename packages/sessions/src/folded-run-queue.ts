import { type Clock, isoTime, type JsonObject, systemClock } from '@amplifier/core';
import { Bell } from './bell.js';
import { LEASE_MS, LIVENESS_CHECK_MS, MAX_ATTEMPTS } from './defaults.js';
import { type Liveness, systemLiveness } from './process-identity.js';
import { fenced } from './refusals.js';
import type { StoredRun } from './run-archive.js';
import type { RunFold, RunLine } from './run-fold.js';
import type { Claim, ClaimOptions, NewRun, RunQuery, RunQueue, RunRecord } from './run-queue.js';
import { SessionError } from './session-error.js';
import { checkSessionId, type RandomBytes, systemRandom, ulidSource } from './session-ids.js';

/** Lines about runs that many append and everybody reads in the same order, and what they amount to. */
export interface RunLines {
  readonly fold: RunFold;
  /** Brings the fold up to everything that anybody appended before the call. */
  refresh(): Promise<void>;
  /** Resolves when the line is in its place, the fold knows it, and it is as lasting as its kind asks for. */
  append(line: RunLine): Promise<void>;
  /** Calls `onNews` when somebody may have appended. Returns the way to stop. */
  listen(onNews: () => void): () => void;
  close(): Promise<void>;
}

export interface RunQueueOptions {
  clock?: Clock;
  random?: RandomBytes;
  liveness?: Liveness;
  /** How long a claim lasts without a sign of life. */
  leaseMs?: number;
  maxAttempts?: number;
}

/**
 * A queue on shared lines. Nobody locks it: who wants a run writes so, and the order of the lines, which is the same for
 * everybody, says who has it.
 */
export class FoldedRunQueue implements RunQueue {
  readonly #lines: RunLines;
  readonly #clock: Clock;
  readonly #liveness: Liveness;
  readonly #ulid: () => string;
  readonly #owner: string;
  readonly #leaseMs: number;
  readonly #maxAttempts: number;
  readonly #held = new Map<string, Claim>();
  readonly #bells = new Set<Bell>();
  #isClosed = false;

  constructor(lines: RunLines, options: RunQueueOptions) {
    const { clock = systemClock, random = systemRandom, liveness = systemLiveness } = options;
    this.#lines = lines;
    this.#clock = clock;
    this.#liveness = liveness;
    this.#ulid = ulidSource(clock, random);
    this.#owner = `${liveness.self.host}:${liveness.self.pid}:${this.#ulid()}`;
    this.#leaseMs = options.leaseMs ?? LEASE_MS;
    this.#maxAttempts = options.maxAttempts ?? MAX_ATTEMPTS;
  }

  async enqueue(run: NewRun): Promise<RunRecord> {
    const { run_id, session_id, line = session_id, kind, payload = {}, not_before = null } = run;
    const id = run_id ?? `run_${this.#ulid()}`;
    const enqueued = isoTime(this.#clock);
    checkSessionId(session_id);
    checkSessionId(line);
    await this.#write({
      op: 'enqueue',
      run: { run_id: id, session_id, line, kind, payload, enqueued, not_before },
    });
    return this.#read(id);
  }

  async claim({ kinds }: ClaimOptions = {}): Promise<Claim | null> {
    await this.#refresh();
    for (;;) {
      const run = this.#nextRun(kinds);
      if (!run) return null;
      const previous = this.#lines.fold.tokenOf(run.line);
      if (run.attempts >= this.#maxAttempts) {
        await this.#write({ op: 'abandon', run_id: run.run_id, previous, at: isoTime(this.#clock) });
        continue;
      }
      const claim = await this.#tryClaim(run.run_id, previous);
      if (claim) return claim;
    }
  }

  async *claims({ kinds, signal }: ClaimOptions & { signal?: AbortSignal } = {}): AsyncGenerator<Claim> {
    const next = async () => (this.#isClosed ? null : this.claim(kinds ? { kinds } : {}));
    const { bell, stop } = this.#listen();
    let cancel: (() => void) | undefined;
    try {
      bell.ring();
      while (await bell.wait(signal)) {
        cancel?.();
        for (let claim = await next(); claim; claim = await next()) {
          yield claim;
          if (signal?.aborted) return;
        }
        if (this.#isClosed) return;
        // Death and time make no sound, so they are looked for while something might still become free.
        if (this.#hasOpenRuns()) cancel = this.#clock.after(LIVENESS_CHECK_MS, () => bell.ring());
      }
    } finally {
      cancel?.();
      stop();
    }
  }

  async keepAlive(claim: Claim): Promise<RunRecord> {
    const { run_id } = claim.run;
    await this.#write({ op: 'beat', run_id, token: claim.token, lease_until: this.#leaseEnd() });
    return this.#requireHeld(claim);
  }

  async finish({ run: { run_id }, token }: Claim, result?: JsonObject): Promise<RunRecord> {
    const at = isoTime(this.#clock);
    await this.#write({ op: 'finish', run_id, token, at, result: result ?? null });
    this.#held.delete(run_id);
    const now = this.#read(run_id);
    if (now.status === 'finished' && now.token === token) return now;
    throw fenced(`Run ${run_id}`);
  }

  async release(claim: Claim): Promise<void> {
    await this.#refresh();
    const { run_id } = this.#requireHeld(claim);
    await this.#write({ op: 'release', run_id, token: claim.token });
    this.#held.delete(run_id);
  }

  async cancel(run_id: string, reason: string): Promise<RunRecord> {
    await this.#refresh();
    this.#read(run_id);
    await this.#write({ op: 'cancel', run_id, at: isoTime(this.#clock), reason });
    return this.#read(run_id);
  }

  async get(run_id: string): Promise<RunRecord | null> {
    await this.#refresh();
    const run = this.#lines.fold.get(run_id);
    return run ? publicRecord(run) : null;
  }

  async list({ status, limit, order = 'oldest', ...query }: RunQuery = {}): Promise<RunRecord[]> {
    await this.#refresh();
    const statuses = status === undefined ? null : new Set(typeof status === 'string' ? [status] : status);
    const match = { after: 0, before: Number.POSITIVE_INFINITY, ...query, statuses };
    const found: RunRecord[] = [];
    for (const run of this.#lines.fold.newestFirst(match)) {
      if (order === 'newest' && found.length === limit) break;
      found.push(publicRecord(run));
    }
    return order === 'newest' ? found : found.reverse().slice(0, limit);
  }

  async *watch(run_id: string, signal?: AbortSignal): AsyncGenerator<RunRecord> {
    const { bell, stop } = this.#listen();
    let last = '';
    try {
      bell.ring();
      while ((await bell.wait(signal)) && !this.#isClosed) {
        await this.#refresh();
        const run = this.#read(run_id);
        const text = JSON.stringify(run);
        if (text !== last) yield run;
        last = text;
        if (run.ended !== null) return;
      }
    } finally {
      stop();
    }
  }

  /** Gives back what this queue still holds, so that others need not wait for the leases to run out. */
  async close(): Promise<void> {
    if (this.#isClosed) return;
    for (const { run, token } of [...this.#held.values()]) {
      await this.#write({ op: 'release', run_id: run.run_id, token });
    }
    this.#isClosed = true;
    for (const bell of this.#bells) bell.ring();
    await this.#lines.close();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  async #tryClaim(run_id: string, previous: number): Promise<Claim | null> {
    const token = Math.max(this.#lines.fold.token + 1, this.#clock.now());
    const owner = `${this.#owner}/${this.#ulid()}`;
    const at = isoTime(this.#clock);
    const lease_until = this.#leaseEnd();
    const process = this.#liveness.self;
    await this.#write({ op: 'claim', run_id, previous, token, owner, process, at, lease_until });
    const run = this.#read(run_id);
    if (run.owner !== owner) return null;
    const claim = { run, token };
    this.#held.set(run_id, claim);
    return claim;
  }

  /** The oldest run that may start: at the head of its line, of the wanted kind, due, and free or left by its owner. */
  #nextRun(kinds: readonly string[] | undefined): StoredRun | undefined {
    const now = isoTime(this.#clock);
    let next: StoredRun | undefined;
    for (const run of this.#lines.fold.heads()) {
      if ((kinds && !kinds.includes(run.kind)) || (next && next.seq < run.seq)) continue;
      if (run.not_before !== null && run.not_before > now) continue;
      if (run.status === 'queued' || this.#isLeft(run, now)) next = run;
    }
    return next;
  }

  #isLeft({ process, lease_until }: StoredRun, now: string): boolean {
    return (lease_until ?? '') <= now || (process !== null && !this.#liveness.isAlive(process));
  }

  #hasOpenRuns(): boolean {
    return !this.#lines.fold.heads().next().done;
  }

  #requireHeld({ run: { run_id }, token }: Claim): RunRecord {
    const run = this.#read(run_id);
    if (run.status === 'running' && run.token === token) return run;
    this.#held.delete(run_id);
    if (run.token !== token || run.ended === null) throw fenced(`Run ${run_id}`);
    const message = `Run ${run_id} has ended already (${run.status}).`;
    throw new SessionError(message, { code: 'RUN_ENDED', origin: run_id });
  }

  #read(run_id: string): RunRecord {
    const run = this.#lines.fold.get(run_id);
    if (run) return publicRecord(run);
    const message = `There is no run ${run_id} in the queue; ended runs are kept for a week.`;
    throw new SessionError(message, { code: 'RUN_NOT_FOUND', origin: run_id });
  }

  #leaseEnd(): string {
    return new Date(this.#clock.now() + this.#leaseMs).toISOString();
  }

  #listen(): { bell: Bell; stop: () => void } {
    this.#requireOpen();
    const bell = new Bell();
    this.#bells.add(bell);
    const unlisten = this.#lines.listen(() => bell.ring());
    return {
      bell,
      stop: () => {
        this.#bells.delete(bell);
        unlisten();
      },
    };
  }

  async #write(line: RunLine): Promise<void> {
    this.#requireOpen();
    await this.#lines.append(line);
  }

  async #refresh(): Promise<void> {
    this.#requireOpen();
    await this.#lines.refresh();
  }

  #requireOpen(): void {
    if (this.#isClosed)
      throw new SessionError('The run queue is closed; open it again.', { code: 'LOG_CLOSED' });
  }
}

function publicRecord({ process: _, ...run }: StoredRun): RunRecord {
  return { ...run };
}
