import type { Clock } from '@amplifier/core';
import { type StopSwitch, type Turn, Watchdog } from '@amplifier/delegation';
import { costOfTurn } from '../attempt/attempt-end.js';
import { keptSession } from './kept-session.js';

interface Spent {
  tokens: number;
  cost_usd: string | null;
}

/** The clock, the watchdog and the purse of one turn. What runs out stops it. `close` when the turn is over. */
export class TurnLimits {
  readonly #turn: Turn;
  readonly #stop: StopSwitch;
  readonly #cleanups: (() => void)[] = [];
  readonly watchdog: Watchdog | null = null;
  #settle: (spent: Spent) => void = () => {};

  /** `timeout`: what the agent's own settings say, in seconds; the tighter of it and the launch's counts. */
  constructor(turn: Turn, { clock, timeout: own }: { clock: Clock; timeout: number | null }) {
    const { launch, cancellation: stop } = turn;
    const { limits } = launch;
    this.#turn = turn;
    this.#stop = stop;
    const { stall } = limits;
    const timeout = Math.min(limits.timeout ?? Number.POSITIVE_INFINITY, own ?? Number.POSITIVE_INFINITY);
    if (Number.isFinite(timeout)) {
      const message = `The agent was not done after ${timeout} s. Raise 'timeout', or resume the session to let it continue.`;
      const late = () => stop.stop({ kind: 'limit', limit: 'time', message }, 'immediate');
      this.#cleanups.push(clock.after(timeout * 1000, late));
    }
    if (stall !== null) {
      const message = `The agent said nothing for ${stall} s while no tool of it ran. Resume the session to try again.`;
      const watchdog = new Watchdog(clock, stall, () => stop.stop({ kind: 'stall', message }, 'immediate'));
      this.watchdog = watchdog;
      this.#cleanups.push(() => watchdog.stop());
    }
  }

  /** Nobody knows what a turn will cost, so where there is a budget it runs alone and holds all that is left. False: nothing is. */
  async reserve(): Promise<boolean> {
    const { budget } = this.#turn;
    if (budget.isUnlimited) return true;
    const { tokens } = budget.remaining;
    const wanted = { tokens: tokens === 0 ? 1 : (tokens ?? 0), cost_usd: null };
    const answer = await budget.reserve(wanted, this.#stop.token.signal);
    if (!('refused' in answer)) {
      this.#settle = (spent) => answer.settle(spent);
      return true;
    }
    const message = answer.unpriced
      ? "What an external agent spends is not known in advance, so 'max_cost_usd' cannot be kept by it. Set 'allow_unpriced' to have it stopped when it says that it spent more, or leave the limit out."
      : `Nothing is left of the ${answer.refused} budget. Raise it, or do the work here.`;
    this.#stop.stop({ kind: 'limit', limit: answer.refused, message }, 'immediate');
    return false;
  }

  /** The agent says what its session has cost so far. */
  checkCost(amount: number): void {
    const left = this.#turn.budget.remaining.cost_usd;
    const spent = costOfTurn(keptSession(this.#turn)?.cost ?? null, amount);
    if (left === null || spent === null || Number(spent) <= Number(left)) return;
    const message = `The agent has spent ${spent} USD, and ${left} USD were left.`;
    this.#stop.stop({ kind: 'limit', limit: 'cost', message }, 'immediate');
  }

  close(spent: Spent): void {
    for (const cleanup of this.#cleanups) cleanup();
    this.#settle(spent);
  }
}
