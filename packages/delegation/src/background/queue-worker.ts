import { once } from 'node:events';
import {
  type Clock,
  errorInfo,
  everySoOften,
  isPassingFailure,
  type JsonObject,
  type LoopHealth,
  type Report,
  SupervisedLoop,
} from '@amplifier/core';
import {
  type Claim,
  hasCode,
  type PutBack,
  type RunChange,
  type RunEvent,
  type RunQueue,
  type RunRecord,
  type SessionStore,
} from '@amplifier/sessions';
import { CLAIM_KEEP_ALIVE_MS, LOCKED_RETRY_MS } from '../defaults.js';
import { HeldClaim } from './held-claim.js';

/** How a run ended: the result for its row, and the event for the feed. */
export interface RunEnd extends RunChange {
  result: JsonObject;
}

/** A run that is not done: it is put back, and claimed again. */
export interface RunAgain {
  again: PutBack;
}

/** A run that this process executes. */
export interface ClaimedRun {
  readonly run: RunRecord;
  /** The fencing token of the claim. */
  readonly token: number;
  /** Stops the work, and revokes its logs, when another process has the run. */
  readonly claim: HeldClaim;
  /** Processes died too often while they executed it: it must be ended, not tried again. */
  readonly isExhausted: boolean;
  /** It was claimed as it was submitted here: what was checked then holds. */
  readonly isNew: boolean;
  /** Throws where another process has the run. */
  check(): Promise<void>;
  /** The work begins. The event is put into the feed before whatever this process writes next. */
  begin(event?: RunEvent): Promise<void>;
  /** Moves the run to another session, which need not exist yet. */
  assign(session_id: string): Promise<RunRecord>;
}

/** How runs of one kind are executed. */
export interface RunKind {
  /** The name of its loop in health reports. */
  name: string;
  /** How many run at once in this process. */
  limit: number;
  /** Are they claimed as they come? Default: yes. Else only `execute` and `claimAll` execute them. */
  isAwaited?: boolean;
  /** Do its runs create their sessions, or need none? Default: a run whose session is gone ends as cancelled. */
  createsSession?: boolean;
  /** Are its runs given time when the worker closes? Default: yes. Else their cancellation is requested at once. */
  hasGrace?: boolean;
  /** Executes a run to its end, or until it has to be tried again. What it throws is handled as `QueueWorker` says. */
  perform(claimed: ClaimedRun): Promise<RunEnd | RunAgain>;
  /** How a run ends whose execution failed; null: it is tried again when its lease has expired. */
  failed(error: unknown, run: RunRecord): RunEnd | null;
  /** A stop was requested through the record. Called with each renewal of the lease. */
  stop?(claimed: ClaimedRun, by: string): Promise<void>;
}

export interface QueueWorkerOptions {
  queue: RunQueue;
  store: Pick<SessionStore, 'has'>;
  clock: Clock;
  report: Report;
  /** By the kind of the runs. */
  kinds: Readonly<Record<string, RunKind>>;
  /** Can other processes claim a run of this queue before its lease has expired? Default: yes. */
  isShared?: boolean;
}

/** A run that is executed, how, and the queue that it was claimed from. */
interface Execution {
  claimed: ClaimedRun;
  how: RunKind;
  queue: RunQueue;
  /** Resolves with its last state; null if it was left to another process. */
  ended: Promise<RunRecord | null>;
}

/** No items, until the signal aborts. */
async function* nothing(signal: AbortSignal): AsyncGenerator<never> {
  if (!signal.aborted) await once(signal, 'abort');
  yield* [];
}

/** Why the execution of a run failed: see `QueueWorker`. */
export type RunFailure = 'elsewhere' | 'lost' | 'passing' | 'lasting' | 'other';

const FAILURES: Readonly<Record<string, RunFailure>> = {
  SESSION_LOCKED: 'elsewhere',
  SESSION_BUSY: 'elsewhere',
  FENCED: 'lost',
  RUN_ENDED: 'lost',
  SESSION_CORRUPT: 'lasting',
  SESSION_NOT_FOUND: 'lasting',
  INVALID_RECORD: 'lasting',
};

/** `isShared`: whether other processes can claim the run. */
export function runFailure(error: unknown, isShared: boolean): RunFailure {
  const known = FAILURES[errorInfo(error).code ?? ''];
  return known ?? (isShared && isPassingFailure(error) ? 'passing' : 'other');
}

/**
 * Executes runs of the queue, each to its one end. What a failure leads to:
 *
 * | failure | | the run |
 * |---|---|---|
 * | `elsewhere` | another process has its session | is given back, and claimed again a moment later |
 * | `lost` | another process has the run | is left to that process |
 * | `passing` | a record that is shared cannot be reached | is claimed again when its lease has expired |
 * | `lasting`, `other` | the next attempt meets it again, or may not | ends as its kind says, or is claimed again when its lease has expired |
 */
export class QueueWorker {
  readonly #options: QueueWorkerOptions;
  readonly #loops: ReadonlyMap<string, SupervisedLoop<Claim>>;
  /** Those of `serveQueue`, and when each has stopped to claim. */
  readonly #more = new Map<SupervisedLoop<Claim>, Promise<void>>();
  readonly #leases: SupervisedLoop<Claim>;
  readonly #claims = new Map<Claim, Execution>();
  #serving: AbortController | null = null;
  #served: Promise<void> = Promise.resolve();
  #isCutOff = false;

  constructor(options: QueueWorkerOptions) {
    this.#options = options;
    const { queue, clock, report, kinds } = options;
    this.#loops = new Map(Object.entries(kinds).map(([kind, how]) => [kind, this.#loop(kind, how, queue)]));
    this.#leases = new SupervisedLoop<Claim>({
      name: 'leases of runs',
      clock,
      report,
      items: (signal) => everySoOften(clock, CLAIM_KEEP_ALIVE_MS, () => [...this.#claims.keys()], signal),
      serve: (claim) => this.#keepAlive(claim),
      nameOf: ({ run }) => `the lease of run ${run.run_id}`,
    });
  }

  #loop(kind: string, how: RunKind, queue: RunQueue): SupervisedLoop<Claim> {
    const { clock, report } = this.#options;
    const { name, limit, isAwaited = true } = how;
    return new SupervisedLoop<Claim>({
      ...{ name, clock, report, limit },
      items: (signal) => (isAwaited ? queue.claims({ kinds: [kind], signal }) : nothing(signal)),
      serve: (claim) => this.#execute(claim, how, queue),
      nameOf: ({ run }) => `run ${run.run_id} of session ${run.session_id}`,
      setAside: (claim, error) => this.#setAside(claim, how, queue, error),
    });
  }

  get health(): LoopHealth[] {
    return [...this.#loops.values(), ...this.#more.keys(), this.#leases].map(({ health }) => health);
  }

  /** The runs that are executed at this moment. */
  get active(): readonly ClaimedRun[] {
    return [...this.#claims.values()].map(({ claimed }) => claimed);
  }

  /** Resolves with the last state of a run that is executed here; null if it was left to another process. Undefined for other runs. */
  ended(run_id: string): Promise<RunRecord | null> | undefined {
    for (const { claimed, ended } of this.#claims.values()) if (claimed.run.run_id === run_id) return ended;
    return undefined;
  }

  /** Starts to execute what is in the queue, runs that a dead process left included, unless it does. */
  start(): void {
    if (this.#serving) return;
    this.#serving = new AbortController();
    this.#served = this.serve(this.#serving.signal);
  }

  /** Executes a run that was stored with its claim, whatever else waits. Resolves when it has ended, or was left to another process. */
  async execute(claim: Claim): Promise<void> {
    if (!this.#serving) throw new Error('The worker was not started, so nothing would renew the lease.');
    await this.#loops.get(claim.run.kind)?.add(claim, this.#serving.signal);
  }

  /** Executes what of a kind can be claimed at this moment, such as what dead processes left. Resolves when all of it has ended. */
  async claimAll(kind: string): Promise<void> {
    const { queue } = this.#options;
    const ended: Promise<void>[] = [];
    for (
      let claim = await queue.claim({ kinds: [kind] });
      claim;
      claim = await queue.claim({ kinds: [kind] })
    )
      ended.push(this.execute(claim));
    await Promise.all(ended);
  }

  /**
   * Executes runs of a kind that wait in another queue of the record, as they come. The returned function ends that; it resolves when
   * the last of them has ended.
   */
  serveQueue(kind: string, how: RunKind, queue: RunQueue): () => Promise<void> {
    this.start();
    const stop = new AbortController();
    const loop = this.#loop(kind, how, queue);
    const abort = () => stop.abort();
    this.#serving?.signal.addEventListener('abort', abort, { once: true });
    if (this.#serving?.signal.aborted) abort();
    const served = loop.run(stop.signal);
    this.#more.set(loop, served);
    return async () => {
      this.#serving?.signal.removeEventListener('abort', abort);
      abort();
      await served;
      await Promise.all(loop.working);
      this.#more.delete(loop);
    };
  }

  /** Executes runs until the signal aborts. Resolves when the last of them has ended. */
  async serve(signal: AbortSignal): Promise<void> {
    const end = new AbortController();
    const leases = this.#leases.run(end.signal);
    try {
      await Promise.all([...this.#loops.values()].map((loop) => loop.run(signal)));
      await Promise.all(this.#more.values());
      await this.#idle();
    } finally {
      end.abort();
      await leases;
    }
  }

  /**
   * Claims no more runs and waits for those that are executed. After `graceMs` they are cut off with `cutOff`: nothing more of them is
   * written, and another process finds them as if this one had died.
   */
  async close(graceMs = Number.POSITIVE_INFINITY, cutOff = async () => {}): Promise<void> {
    this.#serving?.abort();
    for (const execution of this.#claims.values()) this.#cancelIfClosing(execution);
    if (Number.isFinite(graceMs)) {
      await this.#servedWithin(graceMs);
      this.#isCutOff = true;
      await cutOff();
      for (const { claim } of this.active) claim.cancellation.request('immediate');
    }
    await this.#served;
  }

  #cancelIfClosing({ claimed: { claim }, how }: Pick<Execution, 'claimed' | 'how'>): void {
    if (this.#serving?.signal.aborted && how.hasGrace === false) claim.cancellation.request('immediate');
  }

  async #idle(): Promise<void> {
    await Promise.all([...this.#loops.values(), ...this.#more.keys()].flatMap(({ working }) => [...working]));
  }

  /** Waits for what is executed and for claims that are under way, but not longer. */
  async #servedWithin(ms: number): Promise<void> {
    let cancel = () => {};
    const late = new Promise<void>((resolve) => {
      cancel = this.#options.clock.after(ms, resolve);
    });
    await Promise.race([this.#served, late]).finally(() => cancel());
  }

  async #execute(claim: Claim, how: RunKind, queue: RunQueue): Promise<void> {
    // Claimed too late: the queue gives it back when it closes, or its lease expires.
    if (this.#isCutOff) return;
    const { store, clock, isShared = true } = this.#options;
    const { session_id } = claim.run;
    const held = new HeldClaim();
    const claimed = {
      run: claim.run,
      token: claim.token,
      claim: held,
      isExhausted: claim.run.attempts > queue.maxAttempts,
      isNew: claim.isNew === true,
      check: () => this.#check(claim, queue),
      begin: (event?: RunEvent) => this.#begin(claim, queue, event),
      assign: (session: string) => queue.assign(claim, session),
    };
    let last: RunRecord | null = null;
    let left = () => {};
    const ended = new Promise<RunRecord | null>((resolve) => {
      left = () => resolve(last);
    });
    this.#claims.set(claim, { claimed, how, queue, ended });
    try {
      // It may have been claimed while the worker closed.
      this.#cancelIfClosing({ claimed, how });
      const isRunnable = how.createsSession || (await store.has(session_id));
      const end = isRunnable ? await how.perform(claimed) : { result: { status: 'cancelled' } };
      if (this.#isCutOff) return;
      if ('again' in end) await queue.release(claim, end.again);
      else last = await queue.finish(claim, end.result, end);
    } catch (error) {
      if (this.#isCutOff) return;
      const failure = runFailure(error, isShared);
      if (failure === 'elsewhere')
        await queue.release(claim, { not_before: new Date(clock.now() + LOCKED_RETRY_MS).toISOString() });
      else if (failure === 'lost') this.#report('LEASE_LOST', error);
      else throw error;
    } finally {
      this.#claims.delete(claim);
      left();
    }
  }

  async #begin(claim: Claim, queue: RunQueue, event?: RunEvent): Promise<void> {
    const { cancel_requested: by } = await queue.begin(claim, event);
    const execution = this.#claims.get(claim);
    if (by === null || !execution) return;
    // Asked for while it was being claimed. If it cannot be stopped now, the next renewal of the lease tries again.
    const { how, claimed } = execution;
    await how.stop?.(claimed, by).catch((error) => this.#report('RUN_NOT_STOPPED', error));
  }

  async #setAside(claim: Claim, how: RunKind, queue: RunQueue, error: unknown): Promise<void> {
    const { isShared = true } = this.#options;
    if (runFailure(error, isShared) === 'passing') return;
    const end = how.failed(error, claim.run);
    if (end) await queue.finish(claim, end.result, end);
  }

  async #check(claim: Claim, queue: RunQueue): Promise<void> {
    const { isShared = true } = this.#options;
    if (!isShared) return;
    const now = await queue.get(claim.run.run_id);
    // Throws the error that says why not.
    if (now?.status !== 'running' || now.token !== claim.token) await queue.keepAlive(claim);
  }

  /** A lease that another process has taken ends the run here. Any other failure is tried again at the next renewal. */
  async #keepAlive(claim: Claim): Promise<void> {
    const execution = this.#claims.get(claim);
    if (!execution) return;
    const { claimed, how, queue } = execution;
    try {
      const { cancel_requested: by } = await queue.keepAlive(claim);
      if (by !== null) await how.stop?.(claimed, by);
    } catch (error) {
      if (!hasCode(error, 'FENCED')) throw error;
      // Nothing more of the run may reach the record, not even that it was stopped.
      claimed.claim.lose();
      if (this.#claims.delete(claim)) this.#report('LEASE_LOST', error);
    }
  }

  #report(code: string, error: unknown): void {
    this.#options.report({ level: 'error', code, message: errorInfo(error).message, error });
  }
}
