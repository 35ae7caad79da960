import { CancellationToken, type Clock, errorInfo, isoTime, type Report } from '@amplifier/core';
import type { Claim, RunRecord } from '@amplifier/sessions';
import { RUN_KEEP_ALIVE_MS } from '../defaults.js';
import { cancelWork, type StopWish } from './cancel-work.js';
import { type ActiveRun, performRun, type RunParts } from './perform-run.js';
import type { RunFacts } from './run-journal.js';
import { orderOf, RUN_KIND, type RunEnding, type RunOrder, type RunResult, withdrawn } from './run-record.js';

export interface RunExecutorParts extends RunParts {
  clock: Clock;
  report: Report;
}

const NO_FACTS: RunFacts = { queued: true, starts: 0, ending: null };

/** Takes runs from the queue and brings each to its one end. */
export class RunExecutor {
  readonly #parts: RunExecutorParts;
  readonly #active = new Map<string, ActiveRun>();
  /** Runs that were taken on in this process: what the log has of them is known without a look. */
  readonly #takenOn = new Map<string, Promise<unknown>>();
  readonly #working = new Set<Promise<void>>();
  readonly #stop = new AbortController();
  /** When this process began to look after runs. */
  readonly #since: string;
  #serving: Promise<void> = Promise.resolve();
  #whenPlace: (() => void) | null = null;
  #isCutOff = false;

  constructor(parts: RunExecutorParts) {
    this.#parts = parts;
    this.#since = isoTime(parts.clock);
  }

  /** What is being worked on at this moment, for whoever asks why nothing moves. */
  get underWay(): string[] {
    return [...this.#active.values()].map(({ run }) => `run ${run.run_id} of ${run.session_id}`);
  }

  /** Begins to take runs, those that an earlier process left first. */
  serve(): void {
    this.#serving = this.#serve().catch((error) => this.#report('RUNS_FAILED', error));
  }

  /** A new run is on disk, and the fact that it waits in its session's log, when this resolves. */
  async enqueue(run_id: string, order: RunOrder): Promise<RunRecord> {
    const { queue, journal } = this.#parts;
    const { session_id } = order;
    const line = order.delegate ? run_id : session_id;
    const enqueued = queue.enqueue({ session_id, line, run_id, kind: RUN_KIND, payload: order });
    const noted = enqueued.then(() => journal.queued(run_id, order));
    this.#takenOn.set(run_id, noted);
    await noted;
    return enqueued;
  }

  /** Asks a run at work here to stop. False when it is not. */
  async stop(run_id: string, wish: StopWish): Promise<boolean> {
    const active = this.#active.get(run_id);
    if (!active) return false;
    const { delegator } = await this.#parts.runtime.host();
    const target = await this.#target(active.order);
    if (target !== null && delegator.live.has(target)) await cancelWork(this.#parts, delegator, target, wish);
    active.cancellation.request(wish.mode);
    return true;
  }

  /** A run that was taken out of the line has ended, too. */
  async noteWithdrawn({ run_id, payload, cancel_requested }: RunRecord): Promise<void> {
    const order = orderOf({ payload });
    const { journal } = this.#parts;
    // Taken on by a process that died before the log heard of it.
    if (!this.#takenOn.has(run_id) && !(await journal.facts(run_id, order.session_id)).queued)
      await journal.queued(run_id, order);
    this.#takenOn.delete(run_id);
    await journal.ended(run_id, order.session_id, withdrawn(order, cancel_requested ?? 'user'));
  }

  /** Takes no more, gives what runs so many milliseconds to end, and cuts off the rest: it is found at the next start. */
  async close(graceMs: number): Promise<void> {
    this.#stop.abort();
    await this.#serving;
    await this.#settled(graceMs);
    this.#isCutOff = true;
    this.#parts.logs.cutOff();
    for (const { cancellation } of this.#active.values()) cancellation.request('immediate');
    const host = await this.#parts.runtime.loaded;
    host?.delegator.live.stopAll({ kind: 'cancel', by: 'shutdown' }, 'immediate');
    await Promise.all(this.#working);
  }

  async #serve(): Promise<void> {
    const { queue, config, runtime } = this.#parts;
    const { signal } = this.#stop;
    const waiting = await queue.list({ kind: 'delegation', status: ['queued', 'running'], limit: 1 });
    if (waiting.length > 0) (await runtime.host()).delegator.background?.wake();
    await this.#settleWithdrawn();
    for await (const claim of queue.claims({ kinds: [RUN_KIND], signal })) {
      const working: Promise<void> = this.#run(claim).finally(() => {
        this.#working.delete(working);
        this.#whenPlace?.();
      });
      this.#working.add(working);
      while (this.#working.size >= config.max_active && !signal.aborted)
        await new Promise<void>((resolve) => {
          this.#whenPlace = resolve;
          signal.addEventListener('abort', () => resolve(), { once: true });
        });
    }
  }

  /** Runs that were taken out of the line while the process died before their sessions' logs said so. */
  async #settleWithdrawn(): Promise<void> {
    const { queue, store, journal } = this.#parts;
    for (const run of await queue.list({ kind: RUN_KIND, status: 'cancelled' })) {
      const { session_id } = orderOf(run);
      // Who takes a run out now writes that down by themselves.
      if ((run.ended ?? '') >= this.#since || !(await store.has(session_id))) continue;
      if ((await journal.facts(run.run_id, session_id)).ending === null) await this.noteWithdrawn(run);
    }
  }

  async #run(claim: Claim): Promise<void> {
    const { queue, journal, store } = this.#parts;
    const { run } = claim;
    const order = orderOf(run);
    const active: ActiveRun = { run, order, cancellation: new CancellationToken(), starts: 0 };
    this.#active.set(run.run_id, active);
    const letGo = this.#keepAlive(claim, active.cancellation);
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
      const event_seq = facts.ending?.seq ?? (await journal.ended(run.run_id, order.session_id, ending));
      await queue.finish(claim, { status: ending.status, event_seq } satisfies RunResult);
    } catch (error) {
      if (!this.#isCutOff) this.#report('RUN_FAILED', error);
    } finally {
      letGo();
      this.#active.delete(run.run_id);
      this.#takenOn.delete(run.run_id);
    }
  }

  /** Whatever goes wrong before there is an outcome is how the run ended. */
  async #end(active: ActiveRun): Promise<RunEnding> {
    try {
      return await performRun(this.#parts, active);
    } catch (error) {
      const { message, code = 'EXECUTION_FAILED', retryable = false } = errorInfo(error);
      if (!this.#isCutOff) this.#report('RUN_FAILED', error);
      const { kind } = active.order;
      return { kind, status: 'failed', outcome: null, error: { code, message, retryable } };
    }
  }

  async #facts(run_id: string, order: RunOrder): Promise<RunFacts> {
    const { journal } = this.#parts;
    const takenOn = this.#takenOn.get(run_id);
    if (takenOn) {
      await takenOn;
      return NO_FACTS;
    }
    const facts = await journal.facts(run_id, order.session_id);
    if (!facts.queued) await journal.queued(run_id, order);
    return facts;
  }

  #keepAlive(claim: Claim, cancellation: CancellationToken): () => void {
    const { queue, clock } = this.#parts;
    let isOver = false;
    let cancel = () => {};
    const beat = () => {
      if (isOver) return;
      cancel = clock.after(RUN_KEEP_ALIVE_MS, () => {
        queue.keepAlive(claim).then(beat, (error) => {
          if (isOver) return;
          cancellation.request('immediate');
          this.#report('LEASE_LOST', error);
        });
      });
    };
    beat();
    return () => {
      isOver = true;
      cancel();
    };
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
    return Promise.race([Promise.all(this.#working), late]).finally(() => cancel());
  }

  #report(code: string, error: unknown): void {
    this.#parts.report({ level: 'error', code, message: errorInfo(error).message, error });
  }
}
