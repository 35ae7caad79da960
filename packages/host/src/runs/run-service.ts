import { type Clock, errorInfo, type JsonObject, type LoopHealth, type Report } from '@amplifier/core';
import {
  BACKGROUND_KIND,
  backgroundKind,
  type ClaimedRun,
  type DelegateInput,
  DelegationError,
  interruptedIn,
  keptOutcome,
  type LaunchRecord,
  QueueWorker,
  type RunEnd,
  runFailure,
} from '@amplifier/delegation';
import {
  type Durability,
  hasCode,
  type RunQueue,
  type RunRecord,
  type SessionStore,
  type SessionSummary,
} from '@amplifier/sessions';
import { RUN_PAGE, RUN_PAGE_BYTES } from '../defaults.js';
import type { HostErrorCode } from '../error-codes.js';
import { HostError } from '../host-error.js';
import type { LogPool } from './log-pool.js';
import {
  cancelWork,
  performRun,
  progress,
  type RunHosts,
  type RunParts,
  type RunPolicy,
  type StopOptions,
} from './perform-run.js';
import {
  type BusyPolicy,
  endedEvent,
  endingOf,
  isOpen,
  isOwn,
  newRunId,
  orderOf,
  queuedEvent,
  RUN_KIND,
  type RunEnding,
  type RunOrder,
  type RunState,
  stateOf,
  withdrawn,
} from './run-record.js';

export interface RunServiceOptions {
  store: SessionStore;
  queue: RunQueue;
  logs: LogPool;
  hosts: RunHosts;
  policy: RunPolicy;
  limits: { max_active: number; max_queued: number };
  onRestart: RunParts['onRestart'];
  /** Do other processes write the same record? */
  isShared: boolean;
  clock: Clock;
  report: Report;
}

/** A run to submit. What is left out is filled in. */
export type NewOrder = Pick<RunOrder, 'session_id' | 'instruction'> &
  Partial<RunOrder> & { run_id?: string | undefined };

export interface RunFilter {
  session_id?: string | undefined;
  status?: readonly RunState[] | undefined;
  /** Only those submitted before the run of this number. */
  before?: number | undefined;
}

/** What is known of a run that has not ended, without what it has to do. */
type OpenRun = Pick<RunRecord, 'run_id' | 'status'>;

/** A run is refused. `members`: what a program may want to know of it. */
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
  /** Submissions for one session, one after the other, so that each sees whether the session is busy. */
  lines: Map<string, Promise<unknown>>;
  /** Ends the waiting of those who wait for a run. */
  waiting: Set<() => void>;
  isStopping: boolean;
}

/** Runs of sessions: turns and delegations that wait in the queue, whichever entry point submitted them. */
export class RunService {
  readonly #parts: RunServiceOptions;
  readonly #shared: Shared;

  constructor(options: RunServiceOptions, of?: RunService) {
    this.#parts = options;
    this.#shared = of
      ? of.#shared
      : { worker: this.#newWorker(), lines: new Map(), waiting: new Set(), isStopping: false };
  }

  /** The runs of the sessions in another view of the record. */
  of(store: SessionStore, queue: RunQueue): RunService {
    return new RunService({ ...this.#parts, store, queue }, this);
  }

  get health(): LoopHealth[] {
    return this.#shared.worker.health;
  }

  /** The runs that this process executes at this moment. */
  get active(): readonly RunRecord[] {
    return this.#shared.worker.active.map(({ run }) => run);
  }

  /** Starts to execute runs, those that a dead process left first. */
  start(): void {
    this.#shared.worker.start();
  }

  /** Executes no more runs, waits so long for those that are active, and cuts off the rest: they are found at the next start. */
  async close(graceMs: number): Promise<void> {
    const { logs, hosts } = this.#parts;
    await this.#shared.worker.close(graceMs, async () => {
      await logs.revokeTurns();
      for (const { delegator } of hosts.opened)
        delegator.live.stopAll({ kind: 'cancel', by: 'shutdown' }, 'immediate');
    });
  }

  /**
   * Stores a run in the queue. It is on disk when this resolves; with `process` only committed, for callers that `settle` before they
   * answer. The same id again returns the first run.
   */
  async submit(order: NewOrder, durability: Durability = 'disk'): Promise<RunRecord> {
    const run = await this.#inLine(order.session_id, () => this.#submit(order));
    if (durability === 'disk') await this.#parts.store.sync();
    return run;
  }

  /** Resolves when the state of a run is on disk, before an answer contains it. A completed run has its outcome there. */
  async settle(run: RunRecord): Promise<void> {
    if (isOpen(run) || stateOf(run) !== 'completed') await this.#parts.store.sync();
  }

  async get(run_id: string, session_id?: string): Promise<RunRecord> {
    const run = await this.#parts.queue.get(run_id);
    if (run?.kind === RUN_KIND && (session_id === undefined || orderOf(run).session_id === session_id))
      return run;
    throw new RunRefusal('RUN_NOT_FOUND', `There is no run ${run_id}. Ended runs are kept for a week.`);
  }

  /** Newest first. */
  async *list({ session_id, status, before }: RunFilter): AsyncGenerator<RunRecord> {
    const of = session_id === undefined ? {} : { session_id };
    for await (const run of newestRuns(this.#parts.queue, { ...of, before }))
      if (!status || status.includes(stateOf(run))) yield run;
  }

  /** The run when it has ended, or as it is after so many seconds. */
  async wait(run: RunRecord, seconds: number | undefined, signal?: AbortSignal): Promise<RunRecord> {
    if (!seconds || !isOpen(run)) return run;
    const { clock } = this.#parts;
    const { waiting, isStopping } = this.#shared;
    // Not made of other signals: those would keep it for as long as they live.
    const enough = new AbortController();
    const stop = () => enough.abort();
    const cancelTimer = clock.after(seconds * 1000, stop);
    signal?.addEventListener('abort', stop, { once: true });
    if (isStopping || signal?.aborted) stop();
    waiting.add(stop);
    try {
      let last = run;
      for await (const state of this.follow(run.run_id, enough.signal)) last = state;
      return last;
    } finally {
      cancelTimer();
      signal?.removeEventListener('abort', stop);
      waiting.delete(stop);
    }
  }

  /** The run each time it changes, until it has ended. */
  follow(run_id: string, signal?: AbortSignal): AsyncIterable<RunRecord> {
    return this.#parts.queue.watch(run_id, signal);
  }

  /** Ends all waiting: the process is about to stop. */
  stopWaiting(): void {
    this.#shared.isStopping = true;
    for (const stop of this.#shared.waiting) stop();
  }

  /** Sends a message to the session, which the active turn reads at its next step, or the next turn. */
  async steer(session_id: string, text: string): Promise<void> {
    await this.#parts.store.send({ to: session_id, kind: 'message', from: 'user', body: { text } });
  }

  /** Is a run of the session active or queued? */
  async isBusy(session_id: string): Promise<boolean> {
    return (await this.#open(session_id)).length > 0 || this.#isLive(session_id);
  }

  /** Stops all active and queued runs of the session and, with `cascade`, of its descendants; resolves when they have stopped. */
  async stopAll(session_id: string, options: StopOptions): Promise<void> {
    const { logs, hosts } = this.#parts;
    const open = await this.#open(session_id);
    for (const run of open.reverse()) await this.#cancelOf(session_id, run, options).catch(unlessEnded);
    if (this.#isLive(session_id)) await this.#stopLive(session_id, options);
    const host = options.cascade && hosts.opened.length > 0 ? await hosts.of(session_id) : null;
    await host?.delegator.control.cancel(session_id, { level: options.mode, by: options.by });
    const stopped = (await host?.delegator.control.subtree(session_id)) ?? [session_id];
    for (const id of stopped) await logs.free(id);
  }

  /** A queued run ends here; an active one is asked to. */
  cancel(run: RunRecord, options: StopOptions): Promise<RunRecord> {
    return this.#cancelOf(orderOf(run).session_id, run, options);
  }

  #cancelOf(session_id: string, { run_id }: OpenRun, options: StopOptions): Promise<RunRecord> {
    return this.#inLine(session_id, async () => this.#cancel(await this.get(run_id, session_id), options));
  }

  /** Continues a run that was cut off, as a new run. */
  async continue(run: RunRecord, caller: string, run_id = newRunId()): Promise<RunRecord> {
    const { session_id, call_id, delegate, instruction, attachments, limits, approvals } = orderOf(run);
    const order = { session_id, caller, call_id, delegate, instruction, attachments, limits, approvals };
    const continued = await this.#inLine(session_id, async () => {
      if ((await this.#parts.queue.get(run_id)) === null) await this.#checkContinues(run);
      return this.#submit({ ...order, run_id, kind: 'continue', continued_from: run.run_id });
    });
    await this.#parts.store.sync();
    return continued;
  }

  /** What a delegation would be launched with. */
  async planDelegation(session_id: string, request: DelegateInput): Promise<LaunchRecord> {
    const { policy, hosts } = this.#parts;
    await policy.requireTrust(session_id, request.safety_mode);
    await this.#checkDelegation(session_id, request);
    return (await hosts.of(session_id)).planDelegation(session_id, { ...request });
  }

  /** Did the process of a session die in the middle of its turn? */
  isInterrupted(session: Pick<SessionSummary, 'session_id' | 'status'>): Promise<boolean> {
    const { store, queue } = this.#parts;
    return interruptedIn(store, queue)(session);
  }

  /** Stops a session in any process, and cancels its queued runs. Returns the sessions that were asked to stop. */
  async cancelSession(session_id: string, mode: StopOptions['mode'], subtree: boolean): Promise<string[]> {
    const { hosts, store } = this.#parts;
    const by = 'user';
    const open = await this.#open(session_id);
    for (const run of [...open].reverse())
      await this.#cancelOf(session_id, run, { mode, cascade: subtree, by }).catch(unlessEnded);
    // One that has never run has nothing to stop.
    if ((await store.document(session_id, 'launch')) === null) return [];
    const { control } = (await hosts.of(session_id)).delegator;
    return control.cancel(session_id, { level: mode, by, subtree });
  }

  /** Continues a session whose process died: the run that was cut off, or a turn that another entry point began. */
  async continueSession(session_id: string, caller: string): Promise<RunRecord> {
    const { value: last } = await this.list({ session_id }).next();
    if (last && isOwn(last) && stateOf(last) === 'interrupted') return this.continue(last, caller);
    const { status } = await this.#parts.store.metadata(session_id);
    if (await this.isInterrupted({ session_id, status }))
      return this.submit({ session_id, caller, kind: 'continue', instruction: '' });
    throw new RunRefusal(
      'RUN_NOT_INTERRUPTED',
      `Session ${session_id} was not interrupted, so there is nothing to continue. Start a new run instead.`,
    );
  }

  async #submit({ run_id = newRunId(), ...given }: NewOrder): Promise<RunRecord> {
    const { store, queue, policy } = this.#parts;
    const order: RunOrder = { ...DEFAULT_ORDER, call_id: run_id, ...given };
    const { session_id, caller = '', delegate } = order;
    const { tenant } = await store.metadata(session_id);
    const known = await queue.get(run_id);
    if (known) return sameRun(known, session_id);
    await policy.admit(tenant, caller);
    await policy.requireTrust(session_id, delegate?.safety_mode);
    if (delegate) {
      if (!(await policy.isElsewhere(session_id))) await this.#checkDelegation(session_id, delegate);
      return this.#enqueue(run_id, order);
    }
    const open = await this.#open(session_id);
    if (open.length > 0 || this.#isLive(session_id)) return this.#submitBusy(run_id, order, open);
    try {
      return await this.#enqueue(run_id, order);
    } catch (error) {
      if (!hasCode(error, 'SESSION_LOCKED')) throw error;
      return this.#submitBusy(run_id, order, await this.#open(session_id));
    }
  }

  #enqueue(run_id: string, order: RunOrder): Promise<RunRecord> {
    const { session_id, priority = 0, caller = '', delegate, busy } = order;
    const run = {
      run_id,
      session_id,
      kind: RUN_KIND,
      line: delegate ? run_id : session_id,
      payload: order,
      priority,
      caller,
      // Two processes that both found the session idle must not both be let in.
      only_if_idle: busy === 'reject' && !delegate,
    };
    return this.#parts.queue.enqueue(run, { durability: 'process', event: queuedEvent(run_id, order) });
  }

  async #cancel(run: RunRecord, options: StopOptions): Promise<RunRecord> {
    const { run_id } = run;
    if (!isOpen(run)) throw new RunRefusal('RUN_ENDED', `Run ${run_id} is ${stateOf(run)} already.`);
    const result = withdrawn(orderOf(run), options.by);
    const ending = { result, event: endedEvent(run_id, result) };
    const now = await this.#parts.queue.cancel(run_id, options.by, ending);
    if (isOpen(now) && !(await this.#stopActive(run_id, options))) await this.#stopElsewhere(now, options);
    return now;
  }

  /** Asks a run of this process to stop. False when it is not one. */
  async #stopActive(run_id: string, options: StopOptions): Promise<boolean> {
    const claimed = this.#shared.worker.active.find(({ run }) => run.run_id === run_id);
    if (!claimed) return false;
    const target = await this.#target(orderOf(claimed.run));
    const host = target === null ? undefined : this.#parts.hosts.running(target);
    if (target !== null && host) await cancelWork(this.#parts, host.delegator, target, options);
    claimed.claim.cancellation.request(options.mode);
    return true;
  }

  /** The session whose turn the run is: its own, or the child of a delegation. */
  async #target({ session_id, delegate, call_id }: RunOrder): Promise<string | null> {
    if (!delegate) return session_id;
    return delegate.session_id ?? (await this.#parts.store.childOfCall(session_id, call_id));
  }

  /** Another process executes it: the request reaches its turn through the record. Before the turn begins, that process finds it in the row. */
  async #stopElsewhere(run: RunRecord, options: StopOptions): Promise<void> {
    const { hosts, store } = this.#parts;
    const order = orderOf(run);
    if ((await store.document(order.session_id, 'launch')) === null) return;
    const host = await hosts.of(order.session_id);
    const begun = await progress(order, host);
    if (!begun || begun.outcome !== null) return;
    await cancelWork(this.#parts, host.delegator, begun.session_id, options, begun.turn);
  }

  /** Who cannot be asked is refused at once, not by a run that fails. */
  async #checkDelegation(session_id: string, request: DelegateInput): Promise<void> {
    const { policy, hosts } = this.#parts;
    const host = await hosts.of(session_id);
    await policy.prepare(session_id);
    if (request.session_id !== undefined) await policy.prepare(request.session_id);
    try {
      await host.checkDelegation(session_id, { ...request });
    } catch (error) {
      if (!(error instanceof DelegationError) || error.code === 'SESSION_NOT_FOUND') throw error;
      const code = error.code === 'AGENT_NOT_FOUND' ? 'AGENT_NOT_FOUND' : 'DELEGATION_REFUSED';
      throw new RunRefusal(code, error.message, { reason: error.code });
    }
  }

  /** Runs of the session itself that wait or work, oldest first. Read in steps: each may have megabytes to do. */
  async #open(session_id: string): Promise<OpenRun[]> {
    const query = {
      session_id,
      kind: RUN_KIND,
      status: ['queued', 'running'],
      bytes: RUN_PAGE_BYTES,
    } as const;
    const open: OpenRun[] = [];
    for (let after = 0; ; ) {
      const page = await this.#parts.queue.list({ ...query, after });
      for (const run of page) if (isOwn(run)) open.push({ run_id: run.run_id, status: run.status });
      const last = page.at(-1);
      if (!last) return open;
      after = last.seq;
    }
  }

  async #submitBusy(run_id: string, order: RunOrder, open: readonly OpenRun[]): Promise<RunRecord> {
    const { store, limits } = this.#parts;
    const { session_id, busy, instruction } = order;
    if (busy === 'steer' && order.attachments?.length)
      throw new RunRefusal(
        'INVALID_RUN',
        'attachments: An active run accepts only text. Use busy: queue, or omit them.',
      );
    if (busy === 'reject') {
      throw new RunRefusal(
        'SESSION_RUNNING',
        `Session ${session_id} is busy. Wait for it, or set busy to queue, steer or interrupt.`,
        { run_ids: open.map((run) => run.run_id) },
      );
    }
    if (
      busy !== 'interrupt' &&
      open.filter(({ status }) => status === 'queued').length >= limits.max_queued
    ) {
      throw new RunRefusal(
        'TOO_MANY_RUNS',
        `${limits.max_queued} runs of session ${session_id} are already queued.`,
      );
    }
    if (busy === 'steer') {
      // The mail is stored first: a run that finds it unread must be the only reader.
      const mail_id = `steer_${run_id}`;
      await store.send({ to: session_id, kind: 'message', id: mail_id, body: { text: instruction } });
      return this.#enqueue(run_id, { ...order, mail_id });
    }
    const run = await this.#enqueue(run_id, order);
    if (busy === 'interrupt') {
      const stop = { mode: 'immediate' as const, cascade: true, by: run_id };
      for (const other of [...open].reverse())
        await this.#cancel(await this.get(other.run_id, session_id), stop).catch(unlessEnded);
      if (open.length === 0) await this.#stopLive(session_id, stop);
    }
    return run;
  }

  /** A session may also be at work as the child of another. */
  #isLive(session_id: string): boolean {
    return this.#parts.hosts.running(session_id) !== undefined;
  }

  async #stopLive(session_id: string, options: StopOptions): Promise<void> {
    const host = this.#parts.hosts.running(session_id);
    if (host) await cancelWork(this.#parts, host.delegator, session_id, options);
  }

  /** A turn can be continued until the session was given something else; a delegation, until it was continued. */
  async #checkContinues(run: RunRecord): Promise<void> {
    const { session_id, delegate } = orderOf(run);
    if (stateOf(run) !== 'interrupted') throw notInterrupted(run, `is ${stateOf(run)}`);
    const later = await this.#parts.queue.list({ session_id, kind: RUN_KIND, after: run.seq });
    for (const other of later) {
      const follows = delegate ? orderOf(other).continued_from === run.run_id : isOwn(other);
      // One that was cancelled before it began has not changed the session.
      const wasWithdrawn = stateOf(other) === 'cancelled' && !endingOf(other)?.outcome;
      if (follows && !wasWithdrawn) throw notInterrupted(run, `was followed by ${other.run_id}`);
    }
  }

  #newWorker(): QueueWorker {
    const { store, queue, clock, report, isShared, limits, hosts } = this.#parts;
    return new QueueWorker({
      ...{ store, queue, clock, report, isShared },
      kinds: {
        [RUN_KIND]: {
          name: 'runs',
          limit: limits.max_active,
          perform: (claimed) => this.#perform(claimed),
          failed: (error, run) => this.#failed(error, run),
          stop: async ({ run }, by) => {
            await this.#stopActive(run.run_id, { mode: 'graceful', cascade: false, by });
          },
        },
        [BACKGROUND_KIND]: backgroundKind(async (claimed) =>
          (await hosts.of(claimed.run.session_id)).delegator.performBackground(claimed),
        ),
      },
    });
  }

  async #perform(claimed: ClaimedRun): Promise<RunEnd> {
    const { run } = claimed;
    const { store, report, isShared } = this.#parts;
    try {
      const ending = await performRun(this.#parts, claimed);
      const outcome = ending.outcome && (await keptOutcome(store, ending.outcome));
      // The outcome is on disk: without its end the run would be claimed again, and find it.
      return runEnd(run.run_id, { ...ending, outcome }, outcome ? 'process' : 'disk');
    } catch (error) {
      if (!['lasting', 'other'].includes(runFailure(error, isShared))) throw error;
      // Whatever fails before there is an outcome is how the run ended.
      report({ level: 'error', code: 'RUN_FAILED', message: errorInfo(error).message, error });
      return failedEnd(run, error);
    }
  }

  #failed(error: unknown, run: RunRecord): RunEnd | null {
    const isLasting = runFailure(error, this.#parts.isShared) === 'lasting';
    return isLasting || run.attempts >= this.#parts.queue.maxAttempts ? failedEnd(run, error) : null;
  }

  async #inLine<T>(session_id: string, work: () => Promise<T>): Promise<T> {
    const before = this.#shared.lines.get(session_id) ?? Promise.resolve();
    const mine = before.then(work, work);
    this.#shared.lines.set(session_id, mine);
    try {
      return await mine;
    } finally {
      if (this.#shared.lines.get(session_id) === mine) this.#shared.lines.delete(session_id);
    }
  }
}

const DEFAULT_ORDER = {
  kind: 'turn',
  busy: 'queue' as BusyPolicy,
  limits: {},
  approvals: {},
  continued_from: null,
  delegate: null,
  mail_id: null,
} as const;

function sameRun(run: RunRecord, session_id: string): RunRecord {
  if (run.kind === RUN_KIND && orderOf(run).session_id === session_id) return run;
  throw new RunRefusal('RUN_EXISTS', `The run id ${run.run_id} is already used. Omit it to get a new one.`);
}

function notInterrupted({ run_id }: RunRecord, why: string): RunRefusal {
  return new RunRefusal('RUN_NOT_INTERRUPTED', `Run ${run_id} ${why}, so there is nothing to continue.`);
}

function unlessEnded(error: unknown): void {
  if (!(error instanceof RunRefusal) || error.code !== 'RUN_ENDED') throw error;
}

function runEnd(run_id: string, ending: RunEnding, durability: Durability): RunEnd {
  return { result: ending, event: endedEvent(run_id, ending), durability };
}

function failedEnd(run: RunRecord, error: unknown): RunEnd {
  const { code = 'EXECUTION_FAILED', message, retryable = false } = errorInfo(error);
  const { kind } = orderOf(run);
  const ending: RunEnding = { kind, status: 'failed', outcome: null, error: { code, message, retryable } };
  return runEnd(run.run_id, ending, 'disk');
}

/** Runs from the newest back, read page by page. */
export async function* newestRuns(
  queue: RunQueue,
  { before, ...of }: { session_id?: string; before?: number | undefined },
): AsyncGenerator<RunRecord> {
  const query = { kind: RUN_KIND, order: 'newest', limit: RUN_PAGE, bytes: RUN_PAGE_BYTES, ...of } as const;
  for (let from = before ?? Number.POSITIVE_INFINITY; ; ) {
    const page = await queue.list({ ...query, before: from });
    const last = page.at(-1);
    if (!last) return;
    yield* page;
    from = last.seq;
  }
}
