import {
  type Clock,
  errorInfo,
  everySoOften,
  type JsonObject,
  type LoopHealth,
  type Report,
} from '@amplifier/core';
import { QueueWorker, type RunKind } from '@amplifier/delegation';
import type { NewRun, RunChange, RunQueue, RunRecord, SessionStore } from '@amplifier/sessions';
import { DEATH_CHECK_MS } from '../defaults.js';
import type { HostErrorCode } from '../error-codes.js';
import { HostError } from '../host-error.js';
import { isOpen } from './run-record.js';

export interface RunServiceOptions {
  store: SessionStore;
  queue: RunQueue;
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

/** The part of a service that all of its views share. */
interface Shared {
  worker: QueueWorker;
  kinds: Readonly<Record<string, RunKind>>;
  /** Ends the waiting of those who wait for a run. */
  waiting: Set<() => void>;
  isStopping: boolean;
  ending: Promise<void> | null;
}

/** The runs of a queue: executing them in this process, and following them in any. */
export class RunService {
  readonly store: SessionStore;
  readonly queue: RunQueue;
  readonly #options: RunServiceOptions;
  readonly #shared: Shared;

  /** `kinds`: how runs are executed; or the service of which this one is another view. */
  constructor(options: RunServiceOptions, kinds: Readonly<Record<string, RunKind>> | RunService) {
    this.store = options.store;
    this.queue = options.queue;
    this.#options = options;
    this.#shared =
      kinds instanceof RunService
        ? kinds.#shared
        : {
            worker: new QueueWorker({ ...options, kinds }),
            kinds,
            waiting: new Set(),
            isStopping: false,
            ending: null,
          };
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

  /** Stores a run that this process executes at once. It is stored when this resolves. */
  submitHere(run: NewRun, change?: RunChange): ReturnType<QueueWorker['submit']> {
    return this.#shared.worker.submit(run, change);
  }

  /** Null if there is no such run. What a dead process left of it has ended if its kind is executed only on demand. */
  async find(run_id: string): Promise<RunRecord | null> {
    const run = await this.queue.get(run_id);
    if (!run || !isOpen(run) || !this.#isOnDemand(run)) return run;
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
