import { AbortError, AmplifierError, addDecimals, compareDecimals } from '@amplifier/core';
import type { LimitKind } from '../request/outcome.js';

/** What a model call may cost at the most, and in the end did. */
export interface Spend {
  tokens: number;
  /** US dollars as a decimal string. Null: nobody knows the price. */
  cost_usd: string | null;
}

/** Tokens and money set aside for one call. Must be settled exactly once. */
export interface Reservation {
  /** Books what was really spent and gives the rest back. */
  settle(spent: Spend): void;
}

/** `unpriced`: the money may well suffice, but nobody could tell. */
export type Refusal = { refused: 'tokens' | 'cost'; unpriced?: true };

type Answer = 'fits' | 'wait' | Refusal;

interface Caps {
  max_tokens: number | null;
  max_cost_usd: string | null;
  /** May models be used whose price nobody knows, although `max_cost_usd` is set? */
  allow_unpriced: boolean;
}

/**
 * What a tree may still spend. A call first reserves the most it can cost, so that any number of calls in parallel stay
 * below the cap together. A child's budget lies within its parent's: every level must agree to a reservation.
 *
 * A call that does not fit because of what others hold waits until they settle; one that would not fit even then is
 * refused. A call whose price nobody knows is refused where there is a limit on money, unless that is allowed: then it waits to be
 * alone and holds all the money that is left.
 */
export class Budget {
  readonly caps: Caps;
  #parent: Budget | null;
  #root: Budget;
  #spent = { tokens: 0, cost: '0', unpriced: false };
  #held = { tokens: 0, cost: '0', calls: 0, unpriced: 0 };
  /** On the root: calls that wait for others to settle. */
  #waiting: (() => void)[] = [];

  constructor(caps: Caps, parent: Budget | null = null) {
    this.caps = caps;
    this.#parent = parent;
    this.#root = parent ? parent.#root : this;
  }

  get spent(): { tokens: number; cost_usd: string } {
    return { tokens: this.#spent.tokens, cost_usd: this.#spent.cost };
  }

  /** True when no level sets a cap: then there is nothing to estimate. */
  get isUnlimited(): boolean {
    const { max_tokens, max_cost_usd } = this.caps;
    return max_tokens === null && max_cost_usd === null && (this.#parent?.isUnlimited ?? true);
  }

  /** What is left of the tightest cap, reservations of others not counted. */
  get remaining(): { tokens: number | null; cost_usd: string | null } {
    const above = this.#parent?.remaining ?? { tokens: null, cost_usd: null };
    const { max_tokens, max_cost_usd } = this.caps;
    const tokens = max_tokens === null ? null : Math.max(0, max_tokens - this.#spent.tokens);
    const cost = max_cost_usd === null ? null : addDecimals(max_cost_usd, negative(this.#spent.cost));
    return { tokens: least(tokens, above.tokens), cost_usd: leastCost(cost, above.cost_usd) };
  }

  /** Books what an earlier run spent, found in its logs. */
  restore(spent: Spend): void {
    this.#spent.tokens += spent.tokens;
    if (spent.cost_usd !== null) this.#spent.cost = addDecimals(this.#spent.cost, spent.cost_usd);
    else if (spent.tokens > 0) this.#spent.unpriced = true;
  }

  async reserve(most: Spend, signal?: AbortSignal): Promise<Reservation | Refusal> {
    for (;;) {
      const answer = this.#ask(most);
      if (answer === 'fits') return this.#hold(most);
      if (answer !== 'wait') return answer;
      await this.#root.#nextSettlement(signal);
    }
  }

  /** Like `reserve`, for one who cannot wait: what others hold counts as spent. */
  reserveNow(most: Spend): Reservation | Refusal {
    const answer = this.#ask(most);
    if (answer === 'fits') return this.#hold(most);
    return answer === 'wait' ? { refused: 'cost' } : answer;
  }

  #ask(most: Spend): Answer {
    const { max_tokens, max_cost_usd, allow_unpriced } = this.caps;
    let answer: 'fits' | 'wait' = 'fits';
    if (max_tokens !== null) {
      if (this.#spent.tokens + most.tokens > max_tokens) return { refused: 'tokens' };
      if (this.#spent.tokens + this.#held.tokens + most.tokens > max_tokens) answer = 'wait';
    }
    if (max_cost_usd !== null) {
      const isUnknown = most.cost_usd === null || this.#spent.unpriced;
      if (isUnknown && !allow_unpriced) return { refused: 'cost', unpriced: true };
      const after = addDecimals(this.#spent.cost, most.cost_usd ?? '0');
      const over = compareDecimals(after, max_cost_usd);
      if (over > 0 || (over === 0 && most.cost_usd === null)) return { refused: 'cost' };
      const alone = most.cost_usd === null ? this.#held.calls === 0 : this.#held.unpriced === 0;
      if (!alone || compareDecimals(addDecimals(after, this.#held.cost), max_cost_usd) > 0) answer = 'wait';
    }
    const above = this.#parent ? this.#parent.#ask(most) : 'fits';
    return above === 'fits' ? answer : above;
  }

  #hold(most: Spend): Reservation {
    this.#change(most, 1);
    let settled = false;
    return {
      settle: (spent) => {
        if (settled) throw new Error('A reservation is settled once.');
        settled = true;
        this.#change(most, -1);
        for (let level: Budget | null = this; level; level = level.#parent) level.restore(spent);
        for (const wake of this.#root.#waiting.splice(0)) wake();
      },
    };
  }

  #change(most: Spend, sign: 1 | -1): void {
    const cost = most.cost_usd ?? '0';
    for (let level: Budget | null = this; level; level = level.#parent) {
      const held = level.#held;
      held.tokens += sign * most.tokens;
      held.cost = addDecimals(held.cost, sign === 1 ? cost : negative(cost));
      held.calls += sign;
      if (most.cost_usd === null) held.unpriced += sign;
    }
  }

  #nextSettlement(signal?: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const giveUp = () => {
        this.#waiting = this.#waiting.filter((other) => other !== wake);
        reject(new AbortError('Stopped while waiting for others to settle what they reserved.'));
      };
      const wake = () => {
        signal?.removeEventListener('abort', giveUp);
        resolve();
      };
      if (signal?.aborted) return giveUp();
      signal?.addEventListener('abort', giveUp, { once: true });
      this.#waiting.push(wake);
    });
  }
}

export function isRefusal(answer: Reservation | Refusal): answer is Refusal {
  return 'refused' in answer;
}

function negative(decimal: string): string {
  return compareDecimals(decimal, '0') === 0 ? '0' : `-${decimal}`;
}

function least(a: number | null, b: number | null): number | null {
  return a === null ? b : b === null ? a : Math.min(a, b);
}

function leastCost(a: string | null, b: string | null): string | null {
  if (a === null) return b;
  return b === null || compareDecimals(a, b) < 0 ? a : b;
}

/** A limit of the tree refuses the next step. No LLMError, so that nobody retries it or tries another model. */
export class LimitReached extends AmplifierError {
  readonly kind: LimitKind;

  constructor(kind: LimitKind, message: string) {
    super(message, { code: 'LIMIT_REACHED' });
    this.kind = kind;
  }
}
