import { addDecimals, compareDecimals } from '@amplifier/core';

/** What a model call may cost at the most, and in the end did. */
export interface Spend {
  tokens: number;
  /** Null: nobody knows the price. */
  cost_usd: string | null;
}

/** Money and tokens set aside for one call. Settle it exactly once. */
export interface Reservation {
  /** Books what was really spent and gives the rest back. */
  settle(spent: Spend): void;
}

/**
 * What a tree may still spend. A call first reserves the most it can cost, so that any number of calls in parallel stay
 * below the cap together. A child's budget is a smaller one on top of its parent's: both must agree to a reservation.
 */
export class Budget {
  readonly max_tokens: number | null;
  readonly max_cost_usd: string | null;
  #parent: Budget | null;
  #spentTokens = 0;
  #spentCost = '0';
  #heldTokens = 0;
  #heldCost = '0';
  /** A call whose price nobody knows holds all the money that is left; others wait for it. */
  #unpriced = 0;

  constructor(limits: { max_tokens: number | null; max_cost_usd: string | null }, parent: Budget | null = null) {
    this.max_tokens = limits.max_tokens;
    this.max_cost_usd = limits.max_cost_usd;
    this.#parent = parent;
  }

  get spent(): { tokens: number; cost_usd: string } {
    return { tokens: this.#spentTokens, cost_usd: this.#spentCost };
  }

  /** Books what an earlier run of this tree spent, found in its logs. */
  restore(spent: Spend): void {
    this.#spentTokens += spent.tokens;
    this.#spentCost = addDecimals(this.#spentCost, spent.cost_usd ?? '0');
  }

  /** Sets `most` aside, or says which limit does not allow it. */
  reserve(most: Spend): Reservation | { refused: 'tokens' | 'cost' } {
    const refused = this.#refusal(most);
    if (refused) return { refused };
    this.#hold(most);
    let settled = false;
    return {
      settle: (spent) => {
        if (settled) throw new Error('A reservation is settled once.');
        settled = true;
        this.#book(most, spent);
      },
    };
  }

  #refusal(most: Spend): 'tokens' | 'cost' | null {
    if (this.max_tokens !== null && this.#spentTokens + this.#heldTokens + most.tokens > this.max_tokens) return 'tokens';
    if (this.max_cost_usd !== null && !this.#canPay(most.cost_usd, this.max_cost_usd)) return 'cost';
    return this.#parent?.#refusal(most) ?? null;
  }

  #canPay(cost: string | null, cap: string): boolean {
    const committed = addDecimals(this.#spentCost, this.#heldCost);
    if (this.#unpriced > 0) return false;
    if (cost === null) return compareDecimals(this.#heldCost, '0') === 0 && compareDecimals(committed, cap) < 0;
    return compareDecimals(addDecimals(committed, cost), cap) <= 0;
  }

  #hold(most: Spend): void {
    this.#heldTokens += most.tokens;
    if (most.cost_usd === null) this.#unpriced++;
    else this.#heldCost = addDecimals(this.#heldCost, most.cost_usd);
    this.#parent?.#hold(most);
  }

  #book(held: Spend, spent: Spend): void {
    this.#heldTokens -= held.tokens;
    if (held.cost_usd === null) this.#unpriced--;
    else this.#heldCost = addDecimals(this.#heldCost, `-${held.cost_usd}`);
    this.restore(spent);
    this.#parent?.#book(held, spent);
  }
}

export function isRefusal(answer: Reservation | { refused: 'tokens' | 'cost' }): answer is { refused: 'tokens' | 'cost' } {
  return 'refused' in answer;
}
