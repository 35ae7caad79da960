import { type Clock, isoTime, type JsonObject, systemClock } from '@amplifier/core';
import { LEASE_MS, LIVENESS_CHECK_MS, MAX_ATTEMPTS, RUN_RETENTION_MS } from '../defaults.js';
import { Bell } from '../files/bell.js';
import { type Liveness, systemLiveness } from '../files/process-identity.js';
import { RunFold, type RunLine, type StoredRun } from '../files/run-fold.js';
import { fenced } from '../files/writer-lock.js';
import type { Claim, ClaimOptions, NewRun, RunQuery, RunQueue, RunRecord } from '../run-queue.js';
import { SessionError } from '../session-error.js';
import { checkSessionId, type RandomBytes, systemRandom, ulidSource } from '../session-ids.js';
import { ring } from './memory-session-log.js';

/** What several queues of one program share. */
export class MemoryRuns {
  readonly fold: RunFold;
  readonly bells = new Set<Bell>();

  constructor(clock: Clock = systemClock) {
    this.fold = new RunFold(() => new Date(clock.now() - RUN_RETENTION_MS).toISOString());
  }
}

export interface MemoryRunQueueOptions {
  /** Shared with other queues of this program. Default: runs of its own. */
  runs?: MemoryRuns;
  clock?: Clock;
  random?: RandomBytes;
  liveness?: Liveness;
  /** How long a claim lasts without a sign of life. */
  leaseMs?: number;
  maxAttempts?: number;
}

/** Turns that wait in the memory of one program, for whoever wants no disk. */
export class MemoryRunQueue implements RunQueue {
  readonly #runs: MemoryRuns;
  readonly #clock: Clock;
  readonly #liveness: Liveness;
  readonly #ulid: () => string;
  readonly #leaseMs: number;
  readonly #maxAttempts: number;
  readonly #held = new Map<string, Claim>();
  readonly #bells = new Set<Bell>();
  #isClosed = false;

  constructor(options: MemoryRunQueueOptions = {}) {
    const { clock = systemClock, random = systemRandom, liveness = systemLiveness } = options;
    this.#runs = options.runs ?? new MemoryRuns(clock);
    this.#clock = clock;
    this.#liveness = liveness;
    this.#ulid = ulidSource(clock, random);
    this.#leaseMs = options.leaseMs ?? LEASE_MS;
    this.#maxAttempts = options.maxAttempts ?? MAX_ATTEMPTS;
  }

  async enqueue({ run_id, session_id, kind, payload = {}, not_before = null }: NewRun): Promise<RunRecord> {
    const id = run_id ?? `run_${this.#ulid()}`;
    const enqueued = isoTime(this.#clock);
    checkSessionId(session_id);
    const run = { run_id: id, session_id, kind, payload: structuredClone(payload), enqueued, not_before };
    this.#write({ op: 'enqueue', run });
    return this.#read(id);
  }

  async claim({ kinds }: ClaimOptions = {}): Promise<Claim | null> {
    this.#requireOpen();
    for (let run = this.#nextRun(kinds); run; run = this.#nextRun(kinds)) {
      const { run_id } = run;
      const previous = this.#runs.fold.sessions.get(run.session_id)?.token ?? 0;
      const at = isoTime(this.#clock);
      if (run.attempts >= this.#maxAttempts) {
        this.#write({ op: 'abandon', run_id, previous, at });
        continue;
      }
      const token = Math.max(previous + 1, this.#clock.now());
      const { self } = this.#liveness;
      const owner = `${self.host}:${self.pid}:${this.#ulid()}`;
      const lease_until = this.#leaseEnd();
      this.#write({ op: 'claim', run_id, previous, token, owner, process: self, at, lease_until });
      const claim = { run: this.#read(run_id), token };
      this.#held.set(run_id, claim);
      return claim;
    }
    return null;
  }

  async *claims({ kinds, signal }: ClaimOptions & { signal?: AbortSignal } = {}): AsyncGenerator<Claim> {
    const bell = this.#listen();
    let cancel: (() => void) | undefined;
    try {
      bell.ring();
      while (await bell.wait(signal)) {
        cancel?.();
        for (let claim = await this.#claimNext(kinds); claim; claim = await this.#claimNext(kinds)) {
          yield claim;
          if (signal?.aborted) return;
        }
        if (this.#isClosed) return;
        // Time makes no sound, so it is looked at while something might still become free.
        if (this.#hasOpenRuns()) cancel = this.#clock.after(LIVENESS_CHECK_MS, () => bell.ring());
      }
    } finally {
      cancel?.();
      this.#unlisten(bell);
    }
  }

  async keepAlive(claim: Claim): Promise<RunRecord> {
    const { run_id } = claim.run;
    this.#write({ op: 'beat', run_id, token: claim.token, lease_until: this.#leaseEnd() });
    return this.#requireHeld(claim);
  }

  async finish({ run: { run_id }, token }: Claim, result?: JsonObject): Promise<RunRecord> {
    const at = isoTime(this.#clock);
    this.#write({ op: 'finish', run_id, token, at, result: structuredClone(result ?? null) });
    this.#held.delete(run_id);
    const now = this.#read(run_id);
    if (now.status === 'finished' && now.token === token) return now;
    throw fenced(`Run ${run_id}`);
  }

  async release(claim: Claim): Promise<void> {
    const { run_id } = this.#requireHeld(claim);
    this.#write({ op: 'release', run_id, token: claim.token });
    this.#held.delete(run_id);
  }

  async cancel(run_id: string, reason: string): Promise<RunRecord> {
    this.#read(run_id);
    this.#write({ op: 'cancel', run_id, at: isoTime(this.#clock), reason });
    return this.#read(run_id);
  }

  async get(run_id: string): Promise<RunRecord | null> {
    this.#requireOpen();
    const run = this.#runs.fold.runs.get(run_id);
    return run ? publicRecord(run) : null;
  }

  async list({ session_id, status, kind, limit, after = 0 }: RunQuery = {}): Promise<RunRecord[]> {
    this.#requireOpen();
    const statuses = status === undefined ? null : new Set(typeof status === 'string' ? [status] : status);
    const matches = (run: StoredRun) =>
      run.seq > after &&
      (session_id === undefined || run.session_id === session_id) &&
      (kind === undefined || run.kind === kind) &&
      (statuses === null || statuses.has(run.status));
    return [...this.#runs.fold.runs.values()].filter(matches).slice(0, limit).map(publicRecord);
  }

  async *watch(run_id: string, signal?: AbortSignal): AsyncGenerator<RunRecord> {
    const bell = this.#listen();
    let last = '';
    try {
      bell.ring();
      while ((await bell.wait(signal)) && !this.#isClosed) {
        const run = this.#read(run_id);
        const text = JSON.stringify(run);
        if (text !== last) yield run;
        last = text;
        if (run.ended !== null) return;
      }
    } finally {
      this.#unlisten(bell);
    }
  }

  /** Gives back what this queue still holds. */
  async close(): Promise<void> {
    if (this.#isClosed) return;
    for (const { run, token } of [...this.#held.values()])
      this.#write({ op: 'release', run_id: run.run_id, token });
    this.#isClosed = true;
    ring(this.#bells);
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  /** The oldest run that may start: at the head of its session, of the wanted kind, due, and free or left by its owner. */
  #nextRun(kinds: readonly string[] | undefined): StoredRun | undefined {
    const { fold } = this.#runs;
    const now = isoTime(this.#clock);
    let next: StoredRun | undefined;
    for (const session of fold.sessions.values()) {
      const run = fold.head(session);
      if (!run || (kinds && !kinds.includes(run.kind)) || (next && next.seq < run.seq)) continue;
      if (run.not_before !== null && run.not_before > now) continue;
      if (run.status === 'queued' || this.#isLeft(run, now)) next = run;
    }
    return next;
  }

  #isLeft({ process, lease_until }: StoredRun, now: string): boolean {
    return (lease_until ?? '') <= now || (process !== null && !this.#liveness.isAlive(process));
  }

  #hasOpenRuns(): boolean {
    for (const { open } of this.#runs.fold.sessions.values()) if (open.length > 0) return true;
    return false;
  }

  async #claimNext(kinds: readonly string[] | undefined): Promise<Claim | null> {
    return this.#isClosed ? null : this.claim(kinds ? { kinds } : {});
  }

  #write(line: RunLine): void {
    this.#requireOpen();
    this.#runs.fold.apply(line);
    ring(this.#runs.bells);
  }

  #requireHeld({ run: { run_id }, token }: Claim): RunRecord {
    const run = this.#read(run_id);
    if (run.status === 'running' && run.token === token) return run;
    this.#held.delete(run_id);
    if (run.token === token && run.ended !== null) {
      const message = `Run ${run_id} has ended already (${run.status}).`;
      throw new SessionError(message, { code: 'RUN_ENDED', origin: run_id });
    }
    throw fenced(`Run ${run_id}`);
  }

  #read(run_id: string): RunRecord {
    this.#requireOpen();
    const run = this.#runs.fold.runs.get(run_id);
    if (run) return publicRecord(run);
    throw new SessionError(`There is no run ${run_id} in the queue.`, {
      code: 'RUN_NOT_FOUND',
      origin: run_id,
    });
  }

  #leaseEnd(): string {
    return new Date(this.#clock.now() + this.#leaseMs).toISOString();
  }

  #listen(): Bell {
    this.#requireOpen();
    const bell = new Bell();
    this.#bells.add(bell);
    this.#runs.bells.add(bell);
    return bell;
  }

  #unlisten(bell: Bell): void {
    this.#bells.delete(bell);
    this.#runs.bells.delete(bell);
  }

  #requireOpen(): void {
    if (this.#isClosed)
      throw new SessionError('The run queue is closed; make another.', { code: 'LOG_CLOSED' });
  }
}

function publicRecord({ process: _, ...run }: StoredRun): RunRecord {
  return { ...run };
}
