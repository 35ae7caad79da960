import type { Clock } from '@amplifier/core';
import { type DelegateInput, DelegationError, interruptedIn, type LaunchRecord } from '@amplifier/delegation';
import {
  type Durability,
  hasCode,
  type RunQueue,
  type RunRecord,
  type SessionStore,
  type SessionSummary,
} from '@amplifier/sessions';
import type { DaemonConfig } from '../config.js';
import { DaemonError } from '../daemon-error.js';
import { PAGE_BYTES } from '../defaults.js';
import type { LogPool } from '../sessions/log-pool.js';
import type { Budgets } from '../tenants/budgets.js';
import { cancelWork, type StopWish } from './cancel-work.js';
import { newestRuns } from './newest-runs.js';
import { progress } from './perform-run.js';
import type { RunExecutor } from './run-executor.js';
import {
  type BusyPolicy,
  isOpen,
  isOwn,
  orderOf,
  RUN_KIND,
  type RunOrder,
  type RunState,
  stateOf,
} from './run-record.js';
import { newRunId } from './run-schema.js';
import { endingOf } from './run-view.js';
import { RunWaits } from './run-waits.js';
import type { SessionRuntime } from './session-runtime.js';

export interface RunsParts {
  store: SessionStore;
  queue: RunQueue;
  executor: RunExecutor;
  runtime: SessionRuntime;
  logs: LogPool;
  config: DaemonConfig['runs'];
  /** What tenants may spend. */
  budgets: Budgets;
  clock: Clock;
}

/** A run to be taken on. What is left out is filled in. */
export type NewOrder = Pick<RunOrder, 'session_id' | 'instruction'> &
  Partial<RunOrder> & { run_id?: string | undefined };

export interface RunFilter {
  session_id?: string | undefined;
  status?: readonly RunState[] | undefined;
  /** Only those taken on before the run of this number. */
  before?: number | undefined;
}

/** What is to be known of a run that waits or works, without what it is to do. */
type OpenRun = Pick<RunRecord, 'run_id' | 'status' | 'result'>;

/** The runs of the daemon's sessions, as the API shows them. */
export class Runs {
  readonly #parts: RunsParts;
  /** Requests that take on runs of one session, one after the other: what is busy is looked at once at a time. */
  readonly #lines: Map<string, Promise<unknown>>;
  readonly waits: RunWaits;

  constructor(parts: RunsParts, of?: Runs) {
    this.#parts = parts;
    this.#lines = of ? of.#lines : new Map();
    this.waits = of ? of.waits : new RunWaits(parts);
  }

  /** Those of the sessions in another view of the record. */
  of(store: SessionStore, queue: RunQueue): Runs {
    return new Runs({ ...this.#parts, store, queue }, this);
  }

  /**
   * Takes a run on. It is on disk when this resolves; with `process` only committed, for callers that `settle` before they answer. The
   * same id again gives back the first.
   */
  async submit(order: NewOrder, durability: Durability = 'disk'): Promise<RunRecord> {
    const run = await this.#inLine(order.session_id, () => this.#submit(order));
    if (durability === 'disk') await this.#parts.store.sync();
    return run;
  }

  /** Resolves when what is about to be said of a run is on disk. What has completed has its outcome there. */
  async settle(run: RunRecord): Promise<void> {
    if (isOpen(run) || stateOf(run) !== 'completed') await this.#parts.store.sync();
  }

  async get(run_id: string, session_id?: string): Promise<RunRecord> {
    const run = await this.#parts.queue.get(run_id);
    if (run?.kind === RUN_KIND && (session_id === undefined || orderOf(run).session_id === session_id))
      return run;
    throw new DaemonError('RUN_NOT_FOUND', `There is no run ${run_id}. Ended runs are kept for a week.`);
  }

  /** Newest first. */
  async *newest(filter: RunFilter): AsyncGenerator<RunRecord> {
    for await (const run of newestRuns(this.#parts.queue, filter))
      if (!filter.status || filter.status.includes(stateOf(run))) yield run;
  }

  /** Does the session work, or has it anything in line? */
  async isBusy(session_id: string): Promise<boolean> {
    return (await this.#open(session_id)).length > 0 || this.#isLive(session_id);
  }

  /** Stops all that the session does or has in line and, with `cascade`, all below it; resolves when it has stopped. */
  async stopAll(session_id: string, wish: StopWish): Promise<void> {
    const { logs, runtime } = this.#parts;
    const open = await this.#open(session_id);
    for (const run of open.reverse()) await this.#cancelOf(session_id, run, wish).catch(unlessEnded);
    if (this.#isLive(session_id)) await this.#stopLive(session_id, wish);
    const host = wish.cascade && runtime.hosts.opened.length > 0 ? await runtime.hosts.of(session_id) : null;
    await host?.delegator.control.cancel(session_id, { level: wish.mode, by: wish.by });
    const stopped = (await host?.delegator.control.subtree(session_id)) ?? [session_id];
    for (const id of stopped) await logs.free(id);
  }

  /** A run that waits ends here; one at work is asked to. */
  cancel(run: RunRecord, wish: StopWish): Promise<RunRecord> {
    return this.#cancelOf(orderOf(run).session_id, run, wish);
  }

  #cancelOf(session_id: string, { run_id }: OpenRun, wish: StopWish): Promise<RunRecord> {
    return this.#inLine(session_id, async () => this.#cancel(await this.get(run_id, session_id), wish));
  }

  /** Lets a run that was cut off go on, as a run of its own. */
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
    const { runtime } = this.#parts;
    await runtime.requireTrust(session_id, request.safety_mode);
    await this.#checkDelegation(session_id, request);
    return (await runtime.hosts.of(session_id)).planDelegation(session_id, { ...request });
  }

  /** Did the process of a session die in the middle of its turn? */
  isInterrupted(session: Pick<SessionSummary, 'session_id' | 'status'>): Promise<boolean> {
    const { store, queue } = this.#parts;
    return interruptedIn(store, queue)(session);
  }

  /** Stops a session, whichever process runs it, and what waits in line for it. Returns the sessions that were told. */
  async cancelSession(session_id: string, mode: StopWish['mode'], subtree: boolean): Promise<string[]> {
    const { runtime, store } = this.#parts;
    const by = 'user';
    const open = await this.#open(session_id);
    for (const run of [...open].reverse())
      await this.#cancelOf(session_id, run, { mode, cascade: subtree, by }).catch(unlessEnded);
    // One that has never run has nothing to stop.
    if ((await store.document(session_id, 'launch')) === null) return [];
    const { control } = (await runtime.hosts.of(session_id)).delegator;
    return control.cancel(session_id, { level: mode, by, subtree });
  }

  /** Lets a session go on whose process died: by the run that was cut off, or, where another entry point began its turn, by itself. */
  async continueSession(session_id: string, caller: string): Promise<RunRecord> {
    const { value: last } = await this.newest({ session_id }).next();
    if (last && isOwn(last) && stateOf(last) === 'interrupted') return this.continue(last, caller);
    const { status } = await this.#parts.store.metadata(session_id);
    if (await this.isInterrupted({ session_id, status }))
      return this.submit({ session_id, caller, kind: 'continue', instruction: '' });
    throw new DaemonError(
      'RUN_NOT_INTERRUPTED',
      `Session ${session_id} was not interrupted, so there is nothing to continue. Start a new run instead.`,
    );
  }

  async #submit({ run_id = newRunId(), ...order }: NewOrder): Promise<RunRecord> {
    const { store, queue, executor, runtime, budgets } = this.#parts;
    const { session_id } = order;
    const { tenant, event_count } = await store.metadata(session_id);
    const known = await queue.get(run_id);
    if (known) return sameRun(known, session_id);
    await budgets.check(tenant, order.caller ?? '');
    const full: RunOrder = { ...DEFAULT_ORDER, call_id: run_id, ...order };
    await runtime.requireTrust(session_id, full.delegate?.safety_mode);
    if (full.delegate) {
      if (!(await runtime.isElsewhere(session_id))) await this.#checkDelegation(session_id, full.delegate);
      return executor.enqueue(run_id, full, event_count);
    }
    const open = await this.#open(session_id);
    if (open.length > 0 || this.#isLive(session_id)) return this.#submitBusy(run_id, full, event_count, open);
    try {
      return await executor.enqueue(run_id, full, event_count);
    } catch (error) {
      if (!hasCode(error, 'SESSION_LOCKED')) throw error;
      return this.#submitBusy(run_id, full, event_count, await this.#open(session_id));
    }
  }

  async #cancel(run: OpenRun, wish: StopWish): Promise<RunRecord> {
    const { queue, executor } = this.#parts;
    if (!isOpen(run)) throw new DaemonError('RUN_ENDED', `Run ${run.run_id} is ${stateOf(run)} already.`);
    const now = await queue.cancel(run.run_id, wish.by);
    if (now.status === 'cancelled' && run.status === 'queued') await executor.noteWithdrawn(now);
    else if (!(await executor.stop(run.run_id, wish))) await this.#stopElsewhere(orderOf(now), wish);
    return now;
  }

  /** Another process runs it: its turn is told through the record. Before that begins, whoever claimed the run sees it there. */
  async #stopElsewhere(order: RunOrder, wish: StopWish): Promise<void> {
    const { runtime, store } = this.#parts;
    if ((await store.document(order.session_id, 'launch')) === null) return;
    const host = await runtime.hosts.of(order.session_id);
    const begun = await progress(order, host);
    if (!begun || begun.outcome !== null) return;
    await cancelWork(this.#parts, host.delegator, begun.session_id, wish, begun.turn);
  }

  /** Who cannot be asked is refused at once, not by a run that fails. */
  async #checkDelegation(session_id: string, request: DelegateInput): Promise<void> {
    const { runtime } = this.#parts;
    const host = await runtime.hosts.of(session_id);
    await runtime.prepare(session_id);
    if (request.session_id !== undefined) await runtime.prepare(request.session_id);
    try {
      await host.checkDelegation(session_id, { ...request });
    } catch (error) {
      if (!(error instanceof DelegationError) || error.code === 'SESSION_NOT_FOUND') throw error;
      const code = error.code === 'AGENT_NOT_FOUND' ? 'AGENT_NOT_FOUND' : 'DELEGATION_REFUSED';
      throw new DaemonError(code, error.message, { members: { reason: error.code } });
    }
  }

  /** Runs of the session itself that wait or work, oldest first. Read in steps: each may have megabytes to do. */
  async #open(session_id: string): Promise<OpenRun[]> {
    const query = { session_id, kind: RUN_KIND, status: ['queued', 'running'], bytes: PAGE_BYTES } as const;
    const open: OpenRun[] = [];
    for (let after = 0; ; ) {
      const page = await this.#parts.queue.list({ ...query, after });
      for (const run of page)
        if (isOwn(run)) open.push({ run_id: run.run_id, status: run.status, result: run.result });
      const last = page.at(-1);
      if (!last) return open;
      after = last.seq;
    }
  }

  async #submitBusy(
    run_id: string,
    order: RunOrder,
    event_count: number,
    open: readonly OpenRun[],
  ): Promise<RunRecord> {
    const { store, config, executor } = this.#parts;
    const { session_id, busy, instruction } = order;
    if (busy === 'steer' && order.attachments?.length)
      throw new DaemonError(
        'VALIDATION_FAILED',
        'attachments: An active run accepts only text. Use busy: queue, or omit them.',
      );
    if (busy === 'reject') {
      throw new DaemonError(
        'SESSION_RUNNING',
        `Session ${session_id} is busy. Wait for it, or set busy to queue, steer or interrupt.`,
        { members: { run_ids: open.map((run) => run.run_id) } },
      );
    }
    if (
      busy !== 'interrupt' &&
      open.filter(({ status }) => status === 'queued').length >= config.max_queued
    ) {
      throw new DaemonError(
        'TOO_MANY_RUNS',
        `${config.max_queued} runs of session ${session_id} are already queued.`,
      );
    }
    if (busy === 'steer') {
      // The mail goes first: a run that finds it unread must be sure that nobody will read it as well.
      const mail_id = `steer_${run_id}`;
      await store.send({ to: session_id, kind: 'message', id: mail_id, body: { text: instruction } });
      return executor.enqueue(run_id, { ...order, mail_id }, event_count);
    }
    const run = await executor.enqueue(run_id, order, event_count);
    if (busy === 'interrupt') {
      const wish = { mode: 'immediate' as const, cascade: true, by: run_id };
      for (const other of [...open].reverse()) await this.#cancel(other, wish).catch(unlessEnded);
      if (open.length === 0) await this.#stopLive(session_id, wish);
    }
    return run;
  }

  /** A session may also be at work as the child of another. */
  #isLive(session_id: string): boolean {
    return this.#parts.runtime.hosts.running(session_id) !== undefined;
  }

  async #stopLive(session_id: string, wish: StopWish): Promise<void> {
    const host = this.#parts.runtime.hosts.running(session_id);
    if (host) await cancelWork(this.#parts, host.delegator, session_id, wish);
  }

  /** A turn can be continued until the session was given something else; a delegation, until it was continued. */
  async #checkContinues(run: RunRecord): Promise<void> {
    const { session_id, delegate } = orderOf(run);
    if (stateOf(run) !== 'interrupted') throw notInterrupted(run, `is ${stateOf(run)}`);
    const later = await this.#parts.queue.list({ session_id, kind: RUN_KIND, after: run.seq });
    for (const other of later) {
      const follows = delegate ? orderOf(other).continued_from === run.run_id : isOwn(other);
      if (follows && !(await this.#wasWithdrawn(other)))
        throw notInterrupted(run, `was followed by ${other.run_id}`);
    }
  }

  /** Was it stopped before it began? Then the session never heard of it. */
  async #wasWithdrawn(run: RunRecord): Promise<boolean> {
    return stateOf(run) === 'cancelled' && !(await endingOf(run, this.#parts.store))?.outcome;
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
  throw new DaemonError('RUN_EXISTS', `The run id ${run.run_id} is already used. Omit it to get a new one.`);
}

function notInterrupted({ run_id }: RunRecord, why: string): DaemonError {
  return new DaemonError('RUN_NOT_INTERRUPTED', `Run ${run_id} ${why}, so there is nothing to continue.`);
}

function unlessEnded(error: unknown): void {
  if (!(error instanceof DaemonError) || error.code !== 'RUN_ENDED') throw error;
}
