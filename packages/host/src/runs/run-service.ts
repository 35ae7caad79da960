import {
  type Clock,
  errorInfo,
  everySoOften,
  type JsonObject,
  type LoopHealth,
  type Report,
} from '@amplifier/core';
import {
  BACKGROUND_KIND,
  backgroundKind,
  type ClaimedRun,
  type Delegator,
  keptOutcome,
  QueueWorker,
  type RunEnd,
  type RunKind,
} from '@amplifier/delegation';
import type { NewRun, RunQueue, RunRecord, SessionStore } from '@amplifier/sessions';
import { DEATH_CHECK_MS, RUN_PAGE, RUN_PAGE_BYTES } from '../defaults.js';
import type { HostErrorCode } from '../error-codes.js';
import { HostError } from '../host-error.js';
import { endOfTurn } from './end-of-turn.js';
import {
  isOpen,
  JOB_KIND,
  type JobEnd,
  jobEnd,
  jobQueuedEvent,
  RUN_KIND,
  type RunOrder,
  type StopOptions,
  startedEvent,
  stateOf,
} from './run-record.js';

export interface RunServiceOptions {
  store: SessionStore;
  queue: RunQueue;
  /** `of` finds the host of a session that this process may not have opened yet. */
  hosts: { of(session_id: string): Promise<{ delegator: Delegator }> };
  clock: Clock;
  report: Report;
  /** Do other processes write the same record? Default: yes. */
  isShared?: boolean;
}

/** A run is refused. `members`: details for a program. */
export class RunRefusal extends HostError {
  readonly members: JsonObject;

  constructor(code: HostErrorCode, message: string, members: JsonObject = {}) {
    super(message, { code });
    this.members = members;
  }
}

/** A job to submit. Its payload says which turn of its session it is, once that exists. */
export type NewJob = Required<Pick<NewRun, 'run_id' | 'session_id' | 'caller'>> & {
  payload: JsonObject & Pick<RunOrder, 'busy' | 'continued_from'> & { turn: number };
};

/** A job that its submitter performs. */
export interface JobWork {
  perform(job: ActiveJob): Promise<JobEnd>;
  /** Must stop it at once: this process or another asks for that. */
  stop(by: string): void;
}

/** A job that this process executes. */
export interface ActiveJob extends Omit<ClaimedRun, 'begin'> {
  /** Its session exists: the feed gets the event that the run has started. */
  begin(): Promise<void>;
}

/** The part of a service that all of its views share. */
interface Shared {
  worker: QueueWorker;
  kinds: Readonly<Record<string, RunKind>>;
  /** Ends the waiting of those who wait for a run. */
  waiting: Set<() => void>;
  isStopping: boolean;
  ending: Promise<void> | null;
  /** The jobs that this process performs. */
  jobs: Map<string, JobWork>;
}

/**
 * The runs of a record: executing them in this process, and following them in any. Jobs belong to every service: runs that the process
 * performs which submitted them. One service for each process.
 */
export class RunService {
  readonly store: SessionStore;
  readonly queue: RunQueue;
  readonly #options: RunServiceOptions;
  readonly #shared: Shared;

  /** `more`: how runs of other kinds are executed; or the service of which this one is another view. */
  constructor(options: RunServiceOptions, more: Readonly<Record<string, RunKind>> | RunService = {}) {
    this.store = options.store;
    this.queue = options.queue;
    this.#options = options;
    this.#shared =
      more instanceof RunService ? more.#shared : this.#share({ ...more, [JOB_KIND]: this.#jobs });
  }

  #share(kinds: Readonly<Record<string, RunKind>>): Shared {
    const worker = new QueueWorker({ ...this.#options, kinds });
    return { worker, kinds, waiting: new Set(), isStopping: false, ending: null, jobs: new Map() };
  }

  get health(): LoopHealth[] {
    return this.#shared.worker.health;
  }

  /** The runs that this process executes at this moment. */
  get active(): QueueWorker['active'] {
    return this.#shared.worker.active;
  }

  /** Starts to execute runs, those that a dead process left first. */
  start(): void {
    this.#shared.worker.start();
    void this.#tryEndLeft();
  }

  /** Executes no more runs, waits so long for those that are active, and cuts off the rest: they are found at the next start. */
  async close(graceMs?: number, cutOff?: () => Promise<void>): Promise<void> {
    await this.#shared.ending?.catch(() => {});
    await this.#shared.worker.close(graceMs, cutOff);
  }

  /**
   * Stores a job, claimed by this process, which performs it at once: its client is connected here and is asked its questions. When
   * this process dies, the job is interrupted until it is submitted again. Rejects with `RUN_EXISTS` while one of its id has not ended.
   * `ended` resolves when it has ended, or was left to another process.
   */
  async submitJob(job: NewJob, work: JobWork): Promise<{ run: RunRecord; ended: Promise<void> }> {
    const { worker, jobs } = this.#shared;
    const { run_id, payload } = job;
    const event = jobQueuedEvent(run_id, { ...payload, kind: JOB_KIND });
    const run = { ...job, kind: JOB_KIND, line: run_id };
    const claim = await this.queue.enqueueClaimed(run, { event });
    jobs.set(run_id, work);
    worker.start();
    return { run: claim.run, ended: worker.execute(claim).finally(() => jobs.delete(run_id)) };
  }

  /**
   * Executes children in the background that wait in `queue`, which may be that of one project, as they come. The returned function ends
   * that; it resolves when the last of them has ended.
   */
  serveBackground(queue: RunQueue, delegator: Delegator): () => Promise<void> {
    const how = backgroundKind((claimed) => delegator.performBackground(claimed));
    return this.#shared.worker.serveQueue(BACKGROUND_KIND, how, queue);
  }

  /** Newest first. */
  async *listJobs(): AsyncGenerator<RunRecord> {
    await this.endLeft();
    yield* newestRuns(this.queue, { kind: JOB_KIND });
  }

  /** Asks a job to stop, and what is left of an interrupted one. */
  async cancel(run: RunRecord, { by, mode: level }: StopOptions): Promise<RunRecord> {
    const { store, hosts } = this.#options;
    const now = isOpen(run) ? await this.queue.cancel(run.run_id, by) : run;
    if (!isOpen(now) && stateOf(now) !== 'interrupted') return now;
    const { run_id, session_id, payload } = now;
    const { turn } = payload as NewJob['payload'];
    const own = this.#shared.jobs.get(run_id);
    if (own) own.stop(by);
    // Another process: the request reaches its turn through the record. Before the turn begins, that process finds it in the row.
    else if ((await store.has(session_id)) && (await store.document(session_id, 'launch')) !== null)
      await (await hosts.of(session_id)).delegator.control.cancel(session_id, { level, by, turn });
    return now;
  }

  /** Null if there is no such run. What a dead process left of it has ended if its kind is executed only on demand. */
  async find(run_id: string): Promise<RunRecord | null> {
    const run = await this.queue.get(run_id);
    if (!run || !isOpen(run) || !this.#isOnDemand(run) || this.#shared.jobs.has(run_id)) return run;
    await this.endLeft();
    return this.queue.get(run_id);
  }

  /** The run when it has ended, or as it is after so many seconds or when the signal aborts. */
  async wait(run: RunRecord, seconds: number | undefined, signal?: AbortSignal): Promise<RunRecord> {
    if (!seconds || !isOpen(run)) return run;
    const { waiting, isStopping } = this.#shared;
    // Not made of other signals: those would keep it for as long as they live.
    const enough = new AbortController();
    const stop = () => enough.abort();
    const cancelTimer = Number.isFinite(seconds) ? this.#options.clock.after(seconds * 1000, stop) : () => {};
    signal?.addEventListener('abort', stop, { once: true });
    if (isStopping || signal?.aborted) stop();
    waiting.add(stop);
    const looking = this.#isOnDemand(run) ? this.#endLeftUntil(enough.signal) : null;
    try {
      const ended = await this.#endedHere(run.run_id, enough.signal);
      if (ended) return ended;
      let last = run;
      for await (const state of this.follow(run.run_id, enough.signal)) last = state;
      return last;
    } finally {
      cancelTimer();
      signal?.removeEventListener('abort', stop);
      waiting.delete(stop);
      stop();
      await looking;
    }
  }

  /** The last state of a run that this process executes; null for other runs, and where the signal aborts first. */
  async #endedHere(run_id: string, signal: AbortSignal): Promise<RunRecord | null> {
    // A run that was just submitted gets to the worker in this turn of the event loop.
    await new Promise((resolve) => setImmediate(resolve));
    const ended = this.#shared.worker.ended(run_id);
    if (!ended || signal.aborted) return null;
    const aborted = new Promise<null>((resolve) => {
      signal.addEventListener('abort', () => resolve(null), { once: true });
    });
    return Promise.race([ended, aborted]);
  }

  /** The run each time it changes, until it has ended. */
  follow(run_id: string, signal?: AbortSignal): AsyncIterable<RunRecord> {
    return this.queue.watch(run_id, signal);
  }

  /** Ends all waiting: the process is about to stop. */
  stopWaiting(): void {
    this.#shared.isStopping = true;
    for (const stop of this.#shared.waiting) stop();
  }

  /** Ends what dead processes left of the kinds that are executed only on demand. */
  endLeft(): Promise<void> {
    const { worker, kinds } = this.#shared;
    const onDemand = Object.keys(kinds).filter((kind) => kinds[kind]?.isAwaited === false);
    this.#shared.ending ??= Promise.all(onDemand.map((kind) => worker.claimAll(kind)))
      .then(() => {})
      .finally(() => {
        this.#shared.ending = null;
      });
    return this.#shared.ending;
  }

  get #jobs(): RunKind {
    return {
      name: 'jobs',
      limit: Number.POSITIVE_INFINITY,
      isAwaited: false,
      createsSession: true,
      perform: (claimed) => this.#performJob(claimed),
      // What cannot be read of a job must not be tried again and again.
      failed: (_, run) => jobEnd(run, INTERRUPTED),
      stop: async ({ run }, by) => this.#shared.jobs.get(run.run_id)?.stop(by),
    };
  }

  async #performJob(claimed: ClaimedRun): Promise<RunEnd> {
    const { run, token } = claimed;
    const work = run.attempts === 1 ? this.#shared.jobs.get(run.run_id) : undefined;
    const begin = () => claimed.begin(startedEvent(run, token));
    const end = work ? await work.perform({ ...claimed, begin }) : await this.#leftJob(run);
    return jobEnd(run, { ...end, outcome: end.outcome && (await keptOutcome(this.store, end.outcome)) });
  }

  /** The process of a job died: it ends as its turn did, or as interrupted. */
  async #leftJob({ session_id, payload }: RunRecord): Promise<JobEnd> {
    const metadata = (await this.store.has(session_id)) ? await this.store.metadata(session_id) : null;
    const ended = metadata && (await endOfTurn(this.store, metadata, (payload as NewJob['payload']).turn));
    if (!ended) return INTERRUPTED;
    return { ...INTERRUPTED, status: ended.outcome.status, outcome: ended.outcome };
  }

  #isOnDemand({ kind }: RunRecord): boolean {
    return this.#shared.kinds[kind]?.isAwaited === false;
  }

  /** What cannot be ended now is tried again. */
  async #endLeftUntil(signal: AbortSignal): Promise<void> {
    const { clock } = this.#options;
    for await (const _ of everySoOften(clock, DEATH_CHECK_MS, () => [0], signal)) await this.#tryEndLeft();
  }

  async #tryEndLeft(): Promise<void> {
    await this.endLeft().catch((error) => {
      const { message } = errorInfo(error);
      this.#options.report({ level: 'warning', code: 'RUNS_NOT_ENDED', message, error });
    });
  }
}

const INTERRUPTED: JobEnd = { status: 'interrupted', outcome: null, error: null, end: null };

/** Runs from the newest back, read page by page. */
export async function* newestRuns(
  queue: RunQueue,
  { before, kind = RUN_KIND, ...of }: { kind?: string; session_id?: string; before?: number | undefined },
): AsyncGenerator<RunRecord> {
  const query = { kind, order: 'newest', limit: RUN_PAGE, bytes: RUN_PAGE_BYTES, ...of } as const;
  for (let from = before ?? Number.POSITIVE_INFINITY; ; ) {
    const page = await queue.list({ ...query, before: from });
    const last = page.at(-1);
    if (!last) return;
    yield* page;
    from = last.seq;
  }
}
