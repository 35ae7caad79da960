import { errorInfo, everySoOften, type LoopHealth, SupervisedLoop } from '@amplifier/core';
import type { Claim, RunQueue, RunRecord } from '@amplifier/sessions';
import { BACKGROUND_KEEP_ALIVE_MS } from '../defaults.js';
import { continueTurn } from '../recovery/continue-turn.js';
import { giveUpTurn } from '../recovery/interrupt-turns.js';
import { type Runtime, reportError } from '../runtime.js';
import { handBackLater } from '../turn/hand-back.js';
import { BACKGROUND_KIND } from './background-queue.js';
import { HeldClaim } from './held-claim.js';

/** A child that took its process down this often is not tried again, if the queue does not say how often. */
const MAX_ATTEMPTS = 5;
/** Failures that the next attempt meets again. */
const LASTING = new Set(['SESSION_CORRUPT', 'SESSION_NOT_FOUND']);

/** What is to be done: run a child, or end one that took its process down too often. */
type Work = { claim: Claim } | { abandoned: RunRecord };

/** The worker of this process for background children. Each waits in the queue until a process takes it, and outlives that process. */
export class BackgroundWork {
  readonly #runtime: Runtime;
  readonly #queue: RunQueue;
  readonly #maxAttempts: number;
  #serving: AbortController | null = null;
  #served: Promise<void> = Promise.resolve();
  readonly #claims = new Map<Claim, HeldClaim>();
  readonly #work: SupervisedLoop<Work>;
  readonly #leases: SupervisedLoop<Claim>;

  constructor(runtime: Runtime, queue: RunQueue) {
    this.#runtime = runtime;
    this.#queue = queue;
    this.#maxAttempts = Number.isFinite(queue.maxAttempts) ? queue.maxAttempts : MAX_ATTEMPTS;
    const { clock } = runtime;
    const { report } = runtime.project;
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
      items: (signal) =>
        everySoOften(clock, BACKGROUND_KEEP_ALIVE_MS, () => [...this.#claims.keys()], signal),
      serve: (claim) => this.#keepAlive(claim),
      nameOf: ({ run }) => `the lease of session ${run.session_id}`,
    });
  }

  /** How its loops are. */
  get health(): LoopHealth[] {
    return [this.#work.health, this.#leases.health];
  }

  /** Starts a worker, here or wherever the host runs background children, unless one runs. */
  wake(): void {
    this.#runtime.wakeWorker();
  }

  /** Starts to serve the queue in this process, unless it does. */
  start(): void {
    if (this.#serving) return;
    this.#serving = new AbortController();
    this.#served = this.serve(this.#serving.signal);
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

  /** Those that were given up while nobody looked, and then whatever comes. */
  async *#workToDo(signal: AbortSignal): AsyncGenerator<Work> {
    for (const abandoned of await this.#queue.list({ kind: BACKGROUND_KIND, status: 'abandoned' }))
      yield { abandoned };
    for await (const claim of this.#queue.claims({ kinds: [BACKGROUND_KIND], signal })) yield { claim };
  }

  /** A child that took its process down too often still ends in an outcome, and its parent is told. */
  async #settle({ session_id, payload }: RunRecord): Promise<void> {
    if (await this.#runtime.store.has(session_id))
      await giveUpTurn(this.#runtime, session_id, Number(payload.turn ?? 1));
  }

  async #run(claim: Claim): Promise<void> {
    const { session_id, payload, attempts } = claim.run;
    const turn = Number(payload.turn ?? 1);
    const { store, live } = this.#runtime;
    const held = new HeldClaim();
    this.#claims.set(claim, held);
    try {
      if (!(await store.has(session_id))) {
        await this.#queue.finish(claim, { status: 'cancelled' });
        return;
      }
      if (attempts > this.#maxAttempts) {
        await giveUpTurn(this.#runtime, session_id, turn);
        await this.#queue.finish(claim, { status: 'interrupted' });
        return;
      }
      const check = () => this.#stillOurs(claim);
      const { cancellation } = held;
      const options = { lease: claim.token, claim: held, cancellation, check };
      const { outcome } = await continueTurn(this.#runtime, session_id, options);
      await handBackLater(store, live, session_id, turn, outcome);
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
    const isForGood = LASTING.has(code ?? '') || work.claim.run.attempts > this.#maxAttempts;
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
      const held = this.#claims.get(claim);
      if (!this.#claims.delete(claim)) return;
      held?.lose();
      reportError(this.#runtime, 'LEASE_LOST', error);
    }
  }
}
