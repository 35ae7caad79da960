import type { Claim, NewLetter, RunQueue } from '@amplifier/sessions';
import type { DelegateEvent } from './delegate-events.js';
import type { Delegator } from './delegator.js';
import type { LaunchRecord } from './launch-record.js';
import { OUTCOME_VIEWS, type Outcome, outcomeText } from './outcome.js';

const KIND = 'delegation';
/** A child that took its process down this often is not tried again. */
const MAX_ATTEMPTS = 5;
/** Well below any lease: a run is shown to be alive this often. */
const KEEP_ALIVE_MS = 5000;

/** Children that run while their parent goes on. Each waits in the queue until a process takes it, and outlives that process. */
export class BackgroundWork {
  #queue: RunQueue;
  #delegator: Delegator;
  #elsewhere: (() => void) | undefined;
  #serving: AbortController | null = null;
  #served: Promise<void> = Promise.resolve();
  #running = new Set<Promise<void>>();

  constructor(queue: RunQueue, delegator: Delegator, elsewhere?: () => void) {
    this.#queue = queue;
    this.#delegator = delegator;
    this.#elsewhere = elsewhere;
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
    await this.#settleAbandoned();
    for await (const claim of this.#queue.claims({ kinds: [KIND], signal })) {
      const running: Promise<void> = this.#run(claim).finally(() => this.#running.delete(running));
      this.#running.add(running);
    }
    await Promise.all(this.#running);
  }

  /** Stops taking more, and waits for what runs. */
  async close(): Promise<void> {
    this.#serving?.abort();
    await this.#served;
  }

  /** A child that took its process down too often still ends in an outcome, and its parent is told. */
  async #settleAbandoned(): Promise<void> {
    for (const { session_id, payload } of await this.#queue.list({ kind: KIND, status: 'abandoned' })) {
      await this.#delegator.giveUp(session_id, Number(payload.turn ?? 1));
    }
  }

  #serveHere(): void {
    if (this.#serving) return;
    this.#serving = new AbortController();
    this.#served = this.serve(this.#serving.signal).catch((error) =>
      this.#delegator.report('BACKGROUND_FAILED', error),
    );
  }

  async #run(claim: Claim): Promise<void> {
    const { session_id, payload, attempts } = claim.run;
    const turn = Number(payload.turn ?? 1);
    const stop = this.#keepAlive(claim);
    try {
      // A queue may leave it to its user how often is often enough.
      if (attempts > MAX_ATTEMPTS) {
        await this.#delegator.giveUp(session_id, turn);
        await this.#queue.finish(claim, { status: 'interrupted' });
        return;
      }
      const { outcome } = await this.#delegator.continue(session_id, { lease: claim.token });
      await this.#delegator.handBackLater(session_id, turn, outcome);
      await this.#queue.finish(claim, { status: outcome.status });
    } catch (error) {
      this.#delegator.report('BACKGROUND_FAILED', error);
    } finally {
      stop();
    }
  }

  #keepAlive(claim: Claim): () => void {
    const timer = setInterval(() => {
      this.#queue.keepAlive(claim).catch((error) => {
        clearInterval(timer);
        this.#delegator.live.stop(claim.run.session_id, { kind: 'cancel', by: 'a newer owner' }, 'immediate');
        this.#delegator.report('LEASE_LOST', error);
      });
    }, KEEP_ALIVE_MS);
    timer.unref();
    return () => clearInterval(timer);
  }
}

export async function isAwaited(queue: RunQueue, session_id: string, turn: number): Promise<boolean> {
  const run = await queue.get(runId(session_id, turn));
  return run?.status === 'queued' || run?.status === 'running';
}

/**
 * The letter that tells a parent how its child ended. Its id makes it one, however often it is sent. It brings the terminal
 * event along: the parent's process announces it when the letter arrives there.
 */
export function completionLetter(
  to: string,
  launch: LaunchRecord,
  turn: number,
  outcome: Outcome,
  event: DelegateEvent,
): NewLetter {
  const error = outcome.status === 'completed' ? '' : `\n(${outcome.error.message})`;
  return {
    to,
    kind: 'completion',
    from: launch.session_id,
    id: `completion_${launch.session_id}_${turn}`,
    body: {
      agent: launch.agent.name,
      session_id: launch.session_id,
      turn,
      status: OUTCOME_VIEWS[outcome.status].result,
      text: outcomeText(outcome) + error,
      event,
    },
  };
}

function runId(session_id: string, turn: number): string {
  return `${session_id}_${turn}`;
}
