import { randomBytes } from 'node:crypto';
import { type FSWatcher, watch } from 'node:fs';
import { join, resolve } from 'node:path';
import { type Clock, isoTime, type JsonObject, type Report, systemClock } from '@amplifier/core';
import { JOURNAL_BYTES, LEASE_MS, LIVENESS_CHECK_MS, MAX_ATTEMPTS, RUN_RETENTION_MS } from '../defaults.js';
import type { Claim, ClaimOptions, NewRun, RunQuery, RunQueue, RunRecord } from '../run-queue.js';
import { SessionError } from '../session-error.js';
import { checkSessionId, type RandomBytes, ulidSource } from '../session-ids.js';
import { Bell } from './bell.js';
import { FoldedJournal } from './folded-journal.js';
import { type Liveness, systemLiveness } from './process-identity.js';
import { RunFold, type RunLine, type StoredRun } from './run-fold.js';
import { fenced } from './writer-lock.js';

export interface FileRunQueueOptions {
  /** The folder of the queue. Made when missing. */
  folder: string;
  clock?: Clock;
  random?: RandomBytes;
  liveness?: Liveness;
  report?: Report;
  /** How long a claim lasts without a sign of life. */
  leaseMs?: number;
  maxAttempts?: number;
}

/**
 * A queue in one shared journal. Nobody locks it: who wants a run writes so, and the order of the lines, which is the same
 * for everybody, says who has it.
 */
export class FileRunQueue implements RunQueue {
  readonly #clock: Clock;
  readonly #liveness: Liveness;
  readonly #ulid: () => string;
  readonly #owner: string;
  readonly #leaseMs: number;
  readonly #maxAttempts: number;
  readonly #folder: string;
  readonly #fold: RunFold;
  readonly #journal: FoldedJournal<RunLine>;
  readonly #held = new Map<string, Claim>();
  readonly #bells = new Set<Bell>();
  #watcher: FSWatcher | undefined;
  #closed = false;

  private constructor(
    options: Required<FileRunQueueOptions>,
    fold: RunFold,
    journal: FoldedJournal<RunLine>,
  ) {
    const { clock, random, liveness, leaseMs, maxAttempts, folder } = options;
    this.#clock = clock;
    this.#liveness = liveness;
    this.#ulid = ulidSource(clock, random);
    this.#owner = `${liveness.self.host}:${liveness.self.pid}:${this.#ulid()}`;
    this.#leaseMs = leaseMs;
    this.#maxAttempts = maxAttempts;
    this.#folder = folder;
    this.#fold = fold;
    this.#journal = journal;
  }

  static async open(options: FileRunQueueOptions): Promise<FileRunQueue> {
    const full = { ...DEFAULTS, ...options, folder: resolve(options.folder) };
    const { folder, clock, liveness, report } = full;
    const fold = new RunFold(() => new Date(clock.now() - RUN_RETENTION_MS).toISOString());
    const journal = await FoldedJournal.open({
      folder,
      name: 'runs',
      snapshotPath: join(folder, 'runs.json'),
      fold,
      snapshotIsCache: false,
      maxBytes: JOURNAL_BYTES,
      clock,
      liveness,
      report,
    });
    if (await journal.isLarge()) await journal.compact();
    return new FileRunQueue(full, fold, journal);
  }

  async enqueue({ run_id, session_id, kind, payload = {}, not_before = null }: NewRun): Promise<RunRecord> {
    const id = run_id ?? `run_${this.#ulid()}`;
    const enqueued = isoTime(this.#clock);
    checkSessionId(session_id);
    await this.#write({
      op: 'enqueue',
      run: { run_id: id, session_id, kind, payload, enqueued, not_before },
    });
    return this.#read(id);
  }

  async claim({ kinds }: ClaimOptions = {}): Promise<Claim | null> {
    this.#requireOpen();
    await this.#journal.refresh();
    for (;;) {
      const run = this.#nextRun(kinds);
      if (!run) return null;
      const { token: previous } = this.#fold.sessions.get(run.session_id) ?? { token: 0 };
      if (run.attempts >= this.#maxAttempts) {
        await this.#write({ op: 'abandon', run_id: run.run_id, previous, at: isoTime(this.#clock) });
        continue;
      }
      const claim = await this.#tryClaim(run.run_id, previous);
      if (claim) return claim;
    }
  }

  async *claims({ kinds, signal }: ClaimOptions & { signal?: AbortSignal } = {}): AsyncGenerator<Claim> {
    const bell = this.#listen();
    let cancel: (() => void) | undefined;
    try {
      bell.ring();
      while (await bell.wait(signal)) {
        cancel?.();
        for (
          let claim = await this.#claimUnlessClosed(kinds);
          claim;
          claim = await this.#claimUnlessClosed(kinds)
        ) {
          yield claim;
          if (signal?.aborted) return;
        }
        if (this.#closed) return;
        // Death and time make no file event, so they are looked for while something might still become free.
        if (this.#hasOpenRuns()) cancel = this.#clock.after(LIVENESS_CHECK_MS, () => bell.ring());
      }
    } finally {
      cancel?.();
      this.#unlisten(bell);
    }
  }

  async keepAlive(claim: Claim): Promise<RunRecord> {
    const { run_id } = claim.run;
    await this.#write({ op: 'beat', run_id, token: claim.token, lease_until: this.#leaseEnd() });
    return this.#requireHeld(claim);
  }

  async finish(claim: Claim, result?: JsonObject): Promise<RunRecord> {
    const { run, token } = claim;
    const at = isoTime(this.#clock);
    await this.#write({ op: 'finish', run_id: run.run_id, token, at, result: result ?? null });
    this.#held.delete(run.run_id);
    const now = this.#find(run.run_id);
    if (now.status === 'finished' && now.token === token) return publicRecord(now);
    throw fenced(`Run ${run.run_id}`);
  }

  async release(claim: Claim): Promise<void> {
    await this.#journal.refresh();
    this.#requireHeld(claim);
    await this.#write({ op: 'release', run_id: claim.run.run_id, token: claim.token });
    this.#held.delete(claim.run.run_id);
  }

  async cancel(run_id: string, reason: string): Promise<RunRecord> {
    this.#requireOpen();
    await this.#journal.refresh();
    this.#find(run_id);
    await this.#write({ op: 'cancel', run_id, at: isoTime(this.#clock), reason });
    return this.#read(run_id);
  }

  async get(run_id: string): Promise<RunRecord | null> {
    this.#requireOpen();
    await this.#journal.refresh();
    const run = this.#fold.runs.get(run_id);
    return run ? publicRecord(run) : null;
  }

  async list({ session_id, status, kind, limit, after = 0 }: RunQuery = {}): Promise<RunRecord[]> {
    this.#requireOpen();
    await this.#journal.refresh();
    const statuses = status === undefined ? null : new Set(typeof status === 'string' ? [status] : status);
    return [...this.#fold.runs.values()]
      .filter(
        (run) =>
          run.seq > after &&
          (session_id === undefined || run.session_id === session_id) &&
          (kind === undefined || run.kind === kind) &&
          (statuses === null || statuses.has(run.status)),
      )
      .slice(0, limit)
      .map(publicRecord);
  }

  async *watch(run_id: string, signal?: AbortSignal): AsyncGenerator<RunRecord> {
    const bell = this.#listen();
    let last = '';
    try {
      bell.ring();
      while (await bell.wait(signal)) {
        const run = await this.get(run_id);
        if (!run) throw unknownRun(run_id);
        const text = JSON.stringify(run);
        if (text !== last) yield run;
        last = text;
        if (run.ended !== null) return;
      }
    } finally {
      this.#unlisten(bell);
    }
  }

  /** Gives back what this queue still holds, so that others need not wait for the leases to run out. */
  async close(): Promise<void> {
    if (this.#closed) return;
    for (const claim of [...this.#held.values()]) {
      await this.#write({ op: 'release', run_id: claim.run.run_id, token: claim.token });
    }
    this.#closed = true;
    this.#watcher?.close();
    for (const bell of this.#bells) bell.ring();
    await this.#journal.close();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  async #tryClaim(run_id: string, previous: number): Promise<Claim | null> {
    const token = Math.max(previous + 1, this.#clock.now());
    const owner = `${this.#owner}/${this.#ulid()}`;
    const at = isoTime(this.#clock);
    const { self } = this.#liveness;
    await this.#write({
      op: 'claim',
      run_id,
      previous,
      token,
      owner,
      process: self,
      at,
      lease_until: this.#leaseEnd(),
    });
    const run = this.#find(run_id);
    if (run.owner !== owner) return null;
    const claim = { run: publicRecord(run), token };
    this.#held.set(run_id, claim);
    return claim;
  }

  /** The oldest run that may start: at the head of its session, of the wanted kind, due, and free or left by its owner. */
  #nextRun(kinds: readonly string[] | undefined): StoredRun | undefined {
    const now = isoTime(this.#clock);
    let next: StoredRun | undefined;
    for (const session of this.#fold.sessions.values()) {
      const run = this.#fold.head(session);
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
    for (const { open } of this.#fold.sessions.values()) if (open.length > 0) return true;
    return false;
  }

  async #claimUnlessClosed(kinds: readonly string[] | undefined): Promise<Claim | null> {
    return this.#closed ? null : this.claim(kinds ? { kinds } : {});
  }

  /** What must not be lost is flushed; signs of life and claims are worth nothing after a power cut. */
  async #write(line: RunLine): Promise<void> {
    this.#requireOpen();
    const sync = line.op !== 'beat' && line.op !== 'claim' && line.op !== 'release';
    await this.#journal.append([line], { sync });
    await this.#journal.refresh();
  }

  #requireHeld({ run: { run_id }, token }: Claim): RunRecord {
    const run = this.#find(run_id);
    if (run.status === 'running' && run.token === token) return publicRecord(run);
    this.#held.delete(run_id);
    if (run.token === token && run.ended !== null) {
      throw new SessionError(`Run ${run_id} has ended already (${run.status}).`, {
        code: 'RUN_ENDED',
        origin: run_id,
      });
    }
    throw fenced(`Run ${run_id}`);
  }

  #read(run_id: string): RunRecord {
    return publicRecord(this.#find(run_id));
  }

  #find(run_id: string): StoredRun {
    const run = this.#fold.runs.get(run_id);
    if (!run) throw unknownRun(run_id);
    return run;
  }

  #leaseEnd(): string {
    return new Date(this.#clock.now() + this.#leaseMs).toISOString();
  }

  #listen(): Bell {
    this.#requireOpen();
    const bell = new Bell();
    this.#bells.add(bell);
    this.#watcher ??= watch(this.#folder, () => {
      for (const each of this.#bells) each.ring();
    });
    return bell;
  }

  #unlisten(bell: Bell): void {
    this.#bells.delete(bell);
    if (this.#bells.size > 0) return;
    this.#watcher?.close();
    this.#watcher = undefined;
  }

  #requireOpen(): void {
    if (this.#closed)
      throw new SessionError('The run queue is closed; open it again.', { code: 'LOG_CLOSED' });
  }
}

const DEFAULTS = {
  clock: systemClock,
  random: randomBytes as RandomBytes,
  liveness: systemLiveness,
  leaseMs: LEASE_MS,
  maxAttempts: MAX_ATTEMPTS,
  report: (({ code, message }) => process.emitWarning(message, { type: 'AmplifierWarning', code })) as Report,
};

function publicRecord({ process: _, ...run }: StoredRun): RunRecord {
  return { ...run };
}

function unknownRun(run_id: string): SessionError {
  return new SessionError(`There is no run ${run_id} in the queue; ended runs are kept for a week.`, {
    code: 'RUN_NOT_FOUND',
    origin: run_id,
  });
}
