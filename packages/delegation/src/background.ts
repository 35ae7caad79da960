import {
  type Clock,
  errorInfo,
  everySoOften,
  type LoopHealth,
  type Report,
  SupervisedLoop,
} from '@amplifier/core';
import type { Claim, RunQueue, RunRecord, SessionStore } from '@amplifier/sessions';
import { BACKGROUND_KEEP_ALIVE_MS } from './defaults.js';
import type { Ended } from './delegation.js';
import type { LaunchRecord } from './launch-record.js';
import type { Outcome } from './outcome.js';

const KIND = 'delegation';
/** A child that took its process down this often is not tried again. */
const MAX_ATTEMPTS = 5;
/** Failures that the next attempt meets again. */
const LASTING = new Set(['SESSION_CORRUPT', 'SESSION_NOT_FOUND']);

/** What is to be done: run a child, or end one that took its process down too often. */
type Work = { claim: Claim } | { abandoned: RunRecord };

/** Who runs the children: what the background asks of the Delegator. */
interface ChildRunner {
  readonly store: SessionStore;
  continue(session_id: string, options: { lease: number; check(): Promise<unknown> }): Promise<Ended>;
  cutOff(session_id: string, lease: number): void;
  handBackLater(session_id: string, turn: number, outcome: Outcome): Promise<void>;
  giveUp(session_id: string, turn: number): Promise<void>;
  tell: Report;
  report(code: string, error: unknown): void;
}

/** Children that run while their parent continues. Each waits in the queue until a process takes it, and outlives that process. */
export class BackgroundWork {
  #queue: RunQueue;
  #delegator: ChildRunner;
  #elsewhere: (() => void) | undefined;
  #serving: AbortController | null = null;
  #served: Promise<void> = Promise.resolve();
  readonly #claims = new Set<Claim>();
  readonly #work: SupervisedLoop<Work>;
  readonly #leases: SupervisedLoop<Claim>;

  constructor(queue: RunQueue, delegator: ChildRunner, clock: Clock, elsewhere?: () => void) {
    this.#queue = queue;
    this.#delegator = delegator;
    this.#elsewhere = elsewhere;
    const report: Report = (diagnostic) => delegator.tell(diagnostic);
    this.#work = new SupervisedLoop<Work>({
      name: 'background work',
      clock,
      report,
      limit: Number.POSITIVE_INFINITY,
      items: (signal) => this.#workToDo(signal),
      serve: (work) => ('claim' in work ? this.#run(work.claim) : this.#settle(work.abandoned)),
      nameOf: (work) => `session ${('claim' in work ? work.claim.run : work.abandoned).session_id}`,
      setAside: (work, error) => this.#setAside(work, error),
    });
    this.#leases = new SupervisedLoop<Claim>({
      name: 'background leases',
      clock,
      report,
      items: (signal) => everySoOften(clock, BACKGROUND_KEEP_ALIVE_MS, () => [...this.#claims], signal),
      serve: (claim) => this.#keepAlive(claim),
      nameOf: ({ run }) => `the lease of session ${run.session_id}`,
    });
  }

  /** How its loops are. */
  get health(): LoopHealth[] {
    return [this.#work.health, this.#leases.health];
  }

  /** On disk when it resolves: from then on somebody will run it. */
  async enqueue({ session_id }: LaunchRecord, turn: number): Promise<void> {
    const run_id = runId(session_id, turn);
    await this.#queue.enqueue({ session_id, run_id, kind: KIND, payload: { turn } });
    this.wake();
  }

  /** Sees to it that somebody runs what waits. */
  wake(): void {
    if (this.#elsewhere) this.#elsewhere();
    else this.#serveHere();
  }

  /** Is it in the queue? Then whoever serves the queue brings it to its end, also when its process died. */
  isAwaited(session_id: string, turn: number): Promise<boolean> {
    return isAwaited(this.#queue, session_id, turn);
  }

  /** Takes a child out of the line. True when it had not begun. */
  async withdraw(session_id: string, turn: number, reason: string): Promise<boolean> {
    const run = await this.#queue.get(runId(session_id, turn));
    if (run?.status !== 'queued') return false;
    return (await this.#queue.cancel(run.run_id, reason)).status === 'cancelled';
  }

  /** Runs what waits, all at once as far as the trees' limits allow, until the signal aborts. Resolves when the last is done. */
  async serve(signal: AbortSignal): Promise<void> {
    const end = new AbortController();
    const leases = this.#leases.run(end.signal);
    try {
      await this.#work.run(signal);
      await Promise.all(this.#work.working);
    } finally {
      end.abort();
      await leases;
    }
  }

  /** Stops taking more, and waits for what runs. */
  async close(): Promise<void> {
    this.#serving?.abort();
    await this.#served;
  }

  #serveHere(): void {
    if (this.#serving) return;
    this.#serving = new AbortController();
    this.#served = this.serve(this.#serving.signal);
  }

  /** Those that were given up while nobody looked, and then whatever comes. */
  async *#workToDo(signal: AbortSignal): AsyncGenerator<Work> {
    for (const abandoned of await this.#queue.list({ kind: KIND, status: 'abandoned' })) yield { abandoned };
    for await (const claim of this.#queue.claims({ kinds: [KIND], signal })) yield { claim };
  }

  /** A child that took its process down too often still ends in an outcome, and its parent is told. */
  async #settle({ session_id, payload }: RunRecord): Promise<void> {
    if (await this.#delegator.store.has(session_id))
      await this.#delegator.giveUp(session_id, Number(payload.turn ?? 1));
  }

  async #run(claim: Claim): Promise<void> {
    const { session_id, payload, attempts } = claim.run;
    const turn = Number(payload.turn ?? 1);
    this.#claims.add(claim);
    try {
      if (!(await this.#delegator.store.has(session_id))) {
        await this.#queue.finish(claim, { status: 'cancelled' });
        return;
      }
      // A queue may leave it to its user how often is often enough.
      if (attempts > MAX_ATTEMPTS) {
        await this.#delegator.giveUp(session_id, turn);
        await this.#queue.finish(claim, { status: 'interrupted' });
        return;
      }
      const check = () => this.#stillOurs(claim);
      const { outcome } = await this.#delegator.continue(session_id, { lease: claim.token, check });
      await this.#delegator.handBackLater(session_id, turn, outcome);
      await this.#queue.finish(claim, { status: outcome.status });
    } finally {
      this.#claims.delete(claim);
    }
  }

  /**
   * What cannot be run now is tried again when its lease has run out, for as often as any other; what can never be run ends in the
   * queue, so that it stands in nobody's way.
   */
  async #setAside(work: Work, error: unknown): Promise<void> {
    if (!('claim' in work)) return;
    const { code } = errorInfo(error);
    const isForGood = LASTING.has(code ?? '') || work.claim.run.attempts > MAX_ATTEMPTS;
    if (isForGood) await this.#queue.finish(work.claim, { status: 'failed', error_code: code });
  }

  /** Throws where another process has claimed it meanwhile. */
  async #stillOurs(claim: Claim): Promise<void> {
    const now = await this.#queue.get(claim.run.run_id);
    // Says why not.
    if (now?.status !== 'running' || now.token !== claim.token) await this.#queue.keepAlive(claim);
  }

  /** A lease that another has taken ends the turn; whatever else fails is tried again at the next beat. */
  async #keepAlive(claim: Claim): Promise<void> {
    try {
      await this.#queue.keepAlive(claim);
    } catch (error) {
      if (errorInfo(error).code !== 'FENCED') throw error;
      if (!this.#claims.delete(claim)) return;
      this.#delegator.cutOff(claim.run.session_id, claim.token);
      this.#delegator.report('LEASE_LOST', error);
    }
  }
}

export async function isAwaited(queue: RunQueue, session_id: string, turn: number): Promise<boolean> {
  const run = await queue.get(runId(session_id, turn));
  return run?.status === 'queued' || run?.status === 'running';
}

function runId(session_id: string, turn: number): string {
  return `${session_id}_${turn}`;
}
