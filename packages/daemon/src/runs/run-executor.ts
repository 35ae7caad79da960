import {
  type Clock,
  errorInfo,
  everySoOften,
  isPassingFailure,
  type LoopHealth,
  type Report,
  SupervisedLoop,
} from '@amplifier/core';
import { HeldClaim } from '@amplifier/delegation';
import { type Claim, hasCode, type RunRecord } from '@amplifier/sessions';
import { LOCKED_RETRY_MS, REQUEST_PATIENCE_MS, RUN_KEEP_ALIVE_MS, WITHDRAWN_MS } from '../defaults.js';
import { cancelWork, type StopWish } from './cancel-work.js';
import { unsettledRuns } from './newest-runs.js';
import { type ActiveRun, performRun, type RunParts } from './perform-run.js';
import type { RunFacts } from './run-journal.js';
import { orderOf, RUN_KIND, type RunEnding, type RunOrder, type RunResult, withdrawn } from './run-record.js';

/** Another process has the session at the moment. */
function isElsewhere(error: unknown): boolean {
  const { code } = errorInfo(error);
  return code === 'SESSION_LOCKED' || code === 'SESSION_BUSY';
}

/** Nothing that the run did: its session was taken over, or a server that daemons share could not be reached. It is taken up again. */
function isPassing(error: unknown, isShared: boolean): boolean {
  return hasCode(error, 'FENCED') || (isShared && isPassingFailure(error));
}

export interface RunExecutorParts extends RunParts {
  /** Other processes write the same record. */
  isShared: boolean;
  clock: Clock;
  report: Report;
}

/** Why a run ended in the queue alone. */
function failureOf(error: unknown): NonNullable<RunEnding['error']> {
  const { code = 'EXECUTION_FAILED', message } = errorInfo(error);
  return { code, message, retryable: false };
}

/** Failures that the next attempt meets again. */
const LASTING = new Set(['SESSION_CORRUPT', 'SESSION_NOT_FOUND', 'INVALID_RECORD']);
/** A run that could not even be looked at so often is not tried again. */
const MOST_ATTEMPTS = 5;

const NO_FACTS: RunFacts = { queued: true, starts: 0, ending: null };

/** Takes runs from the queue and brings each to its one end. */
export class RunExecutor {
  readonly #parts: RunExecutorParts;
  readonly #active = new Map<string, ActiveRun>();
  /** Runs that were taken on in this process: what the log has of them is known without a look. */
  readonly #takenOn = new Map<string, Promise<boolean>>();
  readonly #claims = new Map<string, Claim>();
  readonly #stop = new AbortController();
  readonly #ended = new AbortController();
  readonly #work: SupervisedLoop<Claim>;
  readonly #leases: SupervisedLoop<Claim>;
  readonly #withdrawn: SupervisedLoop<RunRecord>;
  #serving: Promise<void> = Promise.resolve();
  #isCutOff = false;

  constructor(parts: RunExecutorParts) {
    this.#parts = parts;
    const { clock, report, config, queue } = parts;
    this.#work = new SupervisedLoop<Claim>({
      name: 'runs',
      clock,
      report,
      limit: config.max_active,
      items: (signal) => this.#workToDo(signal),
      serve: (claim) => this.#run(claim),
      nameOf: ({ run }) => `run ${run.run_id}`,
      setAside: (claim, error) => this.#setAside(claim, error),
    });
    this.#leases = new SupervisedLoop<Claim>({
      name: 'run leases',
      clock,
      report,
      items: (signal) => everySoOften(clock, RUN_KEEP_ALIVE_MS, () => [...this.#claims.values()], signal),
      serve: (claim) => this.#keepAlive(claim),
      nameOf: ({ run }) => `the lease of run ${run.run_id}`,
    });
    // Who took it out of the line may have died, or not have got the session, which another process has.
    this.#withdrawn = new SupervisedLoop<RunRecord>({
      name: 'withdrawn runs',
      clock,
      report,
      async *items(signal) {
        const look = () => unsettledRuns(queue);
        yield* look();
        for await (const again of everySoOften(clock, WITHDRAWN_MS, () => [look], signal)) yield* again();
      },
      serve: (run) => this.noteWithdrawn(run),
      nameOf: (run) => `withdrawn run ${run.run_id}`,
      setAside: async ({ run_id }, error) => {
        const failed = failureOf(error);
        if (LASTING.has(failed.code)) await queue.settle(run_id, { status: 'cancelled', error: failed });
      },
    });
  }

  /** How its loops are. */
  get health(): LoopHealth[] {
    return [this.#work.health, this.#leases.health, this.#withdrawn.health];
  }

  /** What is being worked on at this moment, for whoever asks why nothing moves. */
  get underWay(): string[] {
    return [...this.#active.values()].map(({ run }) => `run ${run.run_id} of ${run.session_id}`);
  }

  /** Begins to take runs, those that an earlier process left first. */
  serve(): void {
    const { signal } = this.#stop;
    void this.#leases.run(this.#ended.signal);
    void this.#withdrawn.run(signal);
    this.#serving = this.#work.run(signal);
  }

  /**
   * A new run is committed, and the fact that it waits in its session's log, when this resolves. `event_count`: that of the session before
   * it was looked whether the run is there.
   */
  async enqueue(run_id: string, order: RunOrder, event_count: number): Promise<RunRecord> {
    const { queue, journal } = this.#parts;
    const { session_id, priority = 0, caller = '' } = order;
    const line = order.delegate ? run_id : session_id;
    // Whoever is not to wait must not be let in by two daemons that both found the session idle.
    const only_if_idle = order.busy === 'reject' && !order.delegate;
    journal.expect(run_id, event_count);
    const run = { session_id, line, run_id, kind: RUN_KIND, payload: order, priority, caller, only_if_idle };
    const enqueued = queue.enqueue(run, 'process');
    const noted = enqueued.then(() => this.#noteQueued(run_id, order));
    this.#takenOn.set(run_id, noted);
    noted.catch(() => this.#takenOn.delete(run_id));
    await noted;
    return enqueued;
  }

  /** False when another process writes the session now: whoever claims the run notes it then. */
  async #noteQueued(run_id: string, order: RunOrder): Promise<boolean> {
    try {
      await this.#parts.journal.queued(run_id, order);
      return true;
    } catch (error) {
      const { code } = errorInfo(error);
      if (code === 'SESSION_LOCKED' || code === 'FENCED') return false;
      throw error;
    }
  }

  /** Asks a run at work here to stop. False when it is not. */
  async stop(run_id: string, wish: StopWish): Promise<boolean> {
    const active = this.#active.get(run_id);
    if (!active) return false;
    const target = await this.#target(active.order);
    const host = target === null ? undefined : this.#parts.runtime.hosts.running(target);
    if (target !== null && host) await cancelWork(this.#parts, host.delegator, target, wish);
    active.claim.cancellation.request(wish.mode);
    return true;
  }

  /**
   * A run that was taken out of the line has ended, too. Where another process has its session, that one writes it down, or whoever comes
   * to it when the session is free.
   */
  async noteWithdrawn({ run_id, payload, cancel_requested }: RunRecord): Promise<void> {
    const { journal, queue, store } = this.#parts;
    const order = orderOf({ payload });
    const { session_id } = order;
    const ending = withdrawn(order, cancel_requested ?? 'user');
    const patience = { patienceMs: REQUEST_PATIENCE_MS };
    try {
      if ((await store.has(session_id)) && (await this.#facts(run_id, order)).ending === null)
        await journal.ended(run_id, session_id, ending, patience);
      await queue.settle(run_id, { status: ending.status });
      this.#takenOn.delete(run_id);
    } catch (error) {
      if (!isElsewhere(error) && !hasCode(error, 'FENCED')) throw error;
    }
  }

  /** Takes no more, gives what runs so many milliseconds to end, and cuts off the rest: it is found at the next start. */
  async close(graceMs: number): Promise<void> {
    this.#stop.abort();
    await this.#serving;
    await this.#settled(graceMs);
    this.#isCutOff = true;
    await this.#parts.logs.revokeTurns();
    for (const { claim } of this.#active.values()) claim.cancellation.request('immediate');
    for (const { delegator } of this.#parts.runtime.hosts.opened)
      delegator.live.stopAll({ kind: 'cancel', by: 'shutdown' }, 'immediate');
    await Promise.all([...this.#work.working, ...this.#withdrawn.working]);
    this.#ended.abort();
  }

  async *#workToDo(signal: AbortSignal): AsyncGenerator<Claim> {
    const { queue, runtime } = this.#parts;
    for (const { session_id } of await queue.list({ kind: 'delegation', status: ['queued', 'running'] }))
      (await runtime.hosts.of(session_id)).delegator.background?.wake();
    yield* queue.claims({ kinds: [RUN_KIND], signal });
  }

  async #run(claim: Claim): Promise<void> {
    const { queue, journal, store } = this.#parts;
    const { run } = claim;
    const order = orderOf(run);
    const stillOurs = () => this.#stillOurs(claim);
    const { token } = claim;
    const active: ActiveRun = { run, order, stillOurs, token, starts: 0, claim: new HeldClaim() };
    this.#active.set(run.run_id, active);
    this.#claims.set(run.run_id, claim);
    try {
      // Somebody may have asked for it to stop while it was being handed out; from here on `stop` finds it.
      active.run = (await queue.get(run.run_id)) ?? run;
      if (!(await store.has(order.session_id))) {
        await queue.finish(claim, { status: 'cancelled' });
        return;
      }
      const facts = await this.#facts(run.run_id, order);
      active.starts = facts.starts;
      const ending = facts.ending?.ending ?? (await this.#end(active));
      if (this.#isCutOff) return;
      const check = () => queue.keepAlive(claim);
      const { status, seq } = facts.ending
        ? { status: ending.status, seq: facts.ending.seq }
        : await journal.ended(run.run_id, order.session_id, ending, { check });
      // An outcome is on disk already: without its end the run would be claimed again, and take it.
      const durability = ending.outcome ? 'process' : 'disk';
      await queue.finish(claim, { status, event_seq: seq } satisfies RunResult, durability);
    } catch (error) {
      if (this.#isCutOff) return;
      if (isElsewhere(error)) {
        // A turn of the session is at work in another process: that one can write this into its log, or anybody when it is over.
        const later = new Date(this.#parts.clock.now() + LOCKED_RETRY_MS).toISOString();
        await queue.release(claim, later);
        return;
      }
      // Another process has it now, and says how it ends.
      if (!hasCode(error, 'FENCED') && !hasCode(error, 'RUN_ENDED')) throw error;
      this.#report('LEASE_LOST', error);
    } finally {
      this.#claims.delete(run.run_id);
      this.#active.delete(run.run_id);
      this.#takenOn.delete(run.run_id);
    }
  }

  /**
   * What failed for a while, such as a disk that was full, is claimed again when its lease has run out. A run whose session cannot
   * take its end ends in the queue alone, so that its line goes on.
   */
  async #setAside(claim: Claim, error: unknown): Promise<void> {
    const { queue, isShared } = this.#parts;
    const failed = failureOf(error);
    const isTooOften = claim.run.attempts >= MOST_ATTEMPTS && !isPassing(error, isShared);
    if (LASTING.has(failed.code) || isTooOften)
      await queue.finish(claim, { status: 'failed', error: failed } satisfies RunResult);
  }

  /** Whatever goes wrong before there is an outcome is how the run ended. */
  async #end(active: ActiveRun): Promise<RunEnding> {
    try {
      return await performRun(this.#parts, active);
    } catch (error) {
      if (isElsewhere(error) || isPassing(error, this.#parts.isShared)) throw error;
      const { message, code = 'EXECUTION_FAILED', retryable = false } = errorInfo(error);
      if (!this.#isCutOff) this.#report('RUN_FAILED', error);
      const { kind } = active.order;
      return { kind, status: 'failed', outcome: null, error: { code, message, retryable } };
    }
  }

  /** Throws where another process has claimed it meanwhile. */
  async #stillOurs(claim: Claim): Promise<void> {
    const { queue, isShared } = this.#parts;
    if (!isShared) return;
    const now = await queue.get(claim.run.run_id);
    // Says why not.
    if (now?.status !== 'running' || now.token !== claim.token) await queue.keepAlive(claim);
  }

  async #facts(run_id: string, order: RunOrder): Promise<RunFacts> {
    const { journal } = this.#parts;
    const takenOn = this.#takenOn.get(run_id);
    if (takenOn && (await takenOn)) return NO_FACTS;
    const facts = await journal.facts(run_id, order.session_id);
    if (!facts.queued) await journal.queued(run_id, order);
    return facts;
  }

  /** A lease that another has taken ends the run; whatever else fails is tried again at the next beat. */
  async #keepAlive(claim: Claim): Promise<void> {
    const { run_id } = claim.run;
    try {
      const { cancel_requested: by } = await this.#parts.queue.keepAlive(claim);
      // Whoever asked could not tell its turn, because that had not begun.
      if (by !== null) await this.stop(run_id, { mode: 'graceful', cascade: false, by });
    } catch (error) {
      if (errorInfo(error).code !== 'FENCED') throw error;
      // Another process has the run: nothing more of it may reach the record, not even that it was stopped.
      this.#active.get(run_id)?.claim.lose();
      if (this.#claims.delete(run_id)) this.#report('LEASE_LOST', error);
    }
  }

  /** The session whose turn the run is: its own, or the child's of a delegation. */
  async #target({ session_id, delegate, call_id }: RunOrder): Promise<string | null> {
    if (!delegate) return session_id;
    return delegate.session_id ?? (await this.#parts.store.childOfCall(session_id, call_id));
  }

  #settled(ms: number): Promise<unknown> {
    const { clock } = this.#parts;
    let cancel = () => {};
    const late = new Promise<void>((resolve) => {
      cancel = clock.after(ms, resolve);
    });
    return Promise.race([Promise.all(this.#work.working), late]).finally(() => cancel());
  }

  #report(code: string, error: unknown): void {
    this.#parts.report({ level: 'error', code, message: errorInfo(error).message, error });
  }
}
