import { errorInfo } from '@amplifier/core';
import {
  BACKGROUND_KIND,
  backgroundKind,
  type ClaimedRun,
  type DelegateInput,
  DelegationError,
  interruptedIn,
  keptOutcome,
  type LaunchRecord,
  type RunEnd,
  type RunKind,
  runFailure,
} from '@amplifier/delegation';
import {
  type Durability,
  hasCode,
  type RunQueue,
  type RunRecord,
  type SessionMetadata,
  type SessionStore,
  type SessionSummary,
} from '@amplifier/sessions';
import { RUN_PAGE_BYTES } from '../defaults.js';
import { cancelWork, performRun, progress, type RunParts } from './perform-run.js';
import {
  type BusyPolicy,
  endedEvent,
  endingOf,
  isOpen,
  isOwn,
  JOB_KIND,
  newRunId,
  orderOf,
  queuedEvent,
  RUN_KIND,
  type RunEnding,
  type RunOrder,
  type RunState,
  type StopOptions,
  stateOf,
  withdrawn,
} from './run-record.js';
import { newestRuns, RunRefusal, RunService, type RunServiceOptions } from './run-service.js';

export interface SessionRunsOptions extends Omit<RunServiceOptions, 'hosts'>, RunParts {
  isShared: boolean;
  limits: { max_active: number; max_queued: number };
  /** What else its worker executes. */
  kinds?: Readonly<Record<string, RunKind>>;
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

/** Runs of sessions: turns and delegations that wait in the queue, whichever entry point submitted them. */
export class SessionRuns extends RunService {
  readonly #parts: SessionRunsOptions;
  /** Submissions for one session, one after the other, so that each sees whether the session is busy. */
  readonly #lines: Map<string, Promise<unknown>>;

  /** `of`: the service of which this one is another view. */
  constructor(options: SessionRunsOptions, of?: SessionRuns) {
    super(options, of ?? kindsOf(options));
    this.#parts = options;
    this.#lines = of ? of.#lines : new Map();
  }

  /** The runs of the sessions in another view of the record. */
  of(store: SessionStore, queue: RunQueue): SessionRuns {
    return new SessionRuns({ ...this.#parts, store, queue }, this);
  }

  override close(graceMs: number): Promise<void> {
    const { logs, hosts } = this.#parts;
    return super.close(graceMs, async () => {
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
  override cancel(run: RunRecord, options: StopOptions): Promise<RunRecord> {
    if (run.kind === JOB_KIND) return super.cancel(run, options);
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
    const { policy, hosts, store } = this.#parts;
    const session = await store.metadata(session_id);
    await policy.requireTrust(session, request.safety_mode);
    await this.#checkDelegation(session, request);
    return (await hosts.of(session_id, session)).planDelegation(session_id, { ...request });
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

  async #submit({ run_id: named, ...given }: NewOrder): Promise<RunRecord> {
    const { store, queue, policy } = this.#parts;
    const run_id = named ?? newRunId();
    const order: RunOrder = { ...DEFAULT_ORDER, call_id: run_id, ...given };
    const { session_id, caller = '', delegate } = order;
    const session = await store.metadata(session_id);
    const known = named === undefined ? null : await queue.get(named);
    if (known) return sameRun(known, session_id);
    await policy.admit(session.tenant, caller);
    await policy.requireTrust(session, delegate?.safety_mode);
    if (delegate) {
      if (!(await policy.isElsewhere(session))) await this.#checkDelegation(session, delegate);
      return this.#enqueue(run_id, order);
    }
    try {
      if (!this.#isLive(session_id)) return await this.#enqueue(run_id, order, { onlyIfIdle: true });
    } catch (error) {
      if (!hasCode(error, 'SESSION_LOCKED')) throw error;
    }
    return this.#submitBusy(run_id, order, await this.#open(session_id));
  }

  #enqueue(run_id: string, order: RunOrder, { onlyIfIdle = false } = {}): Promise<RunRecord> {
    const { session_id, priority = 0, caller = '', delegate } = order;
    const run = {
      run_id,
      session_id,
      kind: RUN_KIND,
      line: delegate ? run_id : session_id,
      payload: order,
      priority,
      caller,
      only_if_idle: onlyIfIdle,
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
    const claimed = this.active.find(({ run }) => run.run_id === run_id);
    if (claimed) await stopClaimed(this.#parts, claimed, options);
    return claimed !== undefined;
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
  async #checkDelegation(session: SessionMetadata, request: DelegateInput): Promise<void> {
    const { policy, hosts, store } = this.#parts;
    const { session_id } = session;
    const host = await hosts.of(session_id, session);
    await policy.prepare(session);
    if (request.session_id !== undefined) await policy.prepare(await store.metadata(request.session_id));
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

  async #inLine<T>(session_id: string, work: () => Promise<T>): Promise<T> {
    const before = this.#lines.get(session_id) ?? Promise.resolve();
    const mine = before.then(work, work);
    this.#lines.set(session_id, mine);
    try {
      return await mine;
    } finally {
      if (this.#lines.get(session_id) === mine) this.#lines.delete(session_id);
    }
  }
}

/** How runs of sessions, and children in the background, are executed. */
function kindsOf(options: SessionRunsOptions): Record<string, RunKind> {
  const { kinds, limits, hosts } = options;
  return {
    ...kinds,
    [RUN_KIND]: {
      name: 'runs',
      limit: limits.max_active,
      perform: (claimed) => perform(options, claimed),
      failed: (error, run) => failed(options, error, run),
      stop: (claimed, by) => stopClaimed(options, claimed, { mode: 'graceful', cascade: false, by }),
    },
    [BACKGROUND_KIND]: backgroundKind(async (claimed) =>
      (await hosts.of(claimed.run.session_id)).delegator.performBackground(claimed),
    ),
  };
}

async function perform(parts: SessionRunsOptions, claimed: ClaimedRun): Promise<RunEnd> {
  const { run } = claimed;
  const { store, report, isShared } = parts;
  try {
    const ending = await performRun(parts, claimed);
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

function failed({ isShared, queue }: SessionRunsOptions, error: unknown, run: RunRecord): RunEnd | null {
  const isLasting = runFailure(error, isShared) === 'lasting';
  return isLasting || run.attempts >= queue.maxAttempts ? failedEnd(run, error) : null;
}

async function stopClaimed(parts: RunParts, { run, claim }: ClaimedRun, options: StopOptions): Promise<void> {
  const target = await targetOf(parts, orderOf(run));
  const host = target === null ? undefined : parts.hosts.running(target);
  if (target !== null && host) await cancelWork(parts, host.delegator, target, options);
  claim.cancellation.request(options.mode);
}

/** The session whose turn the run is: its own, or the child of a delegation. */
async function targetOf(
  { store }: RunParts,
  { session_id, delegate, call_id }: RunOrder,
): Promise<string | null> {
  if (!delegate) return session_id;
  return delegate.session_id ?? (await store.childOfCall(session_id, call_id));
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
