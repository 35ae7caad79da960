import { type Clock, compareDecimals } from '@amplifier/core';
import type { LimitOptions } from '@amplifier/delegation';
import { all, type Database, shareDatabase } from '@amplifier/sessions';
import type { DaemonConfig, DayLimits } from '../config.js';
import { DaemonError } from '../daemon-error.js';

interface Spent {
  caller: string;
  tokens: number;
  cost: number;
}

/** What is left of a day; null: there is no limit. */
interface Left {
  tokens: number | null;
  /** In billionths of a dollar. */
  cost: number | null;
  /** What there is as good as nothing left of. */
  spent: 'tokens' | 'cost' | null;
}

const SPENT = 'SELECT caller, tokens, cost FROM spent WHERE day = ? AND tenant = ?';

/** What tenants and their tokens may spend in a day (UTC), counted in the record, so that it holds over all of its daemons. */
export class Budgets {
  readonly #database: Database;
  readonly #tenants: DaemonConfig['tenants'];
  readonly #clock: Clock;

  private constructor(database: Database, tenants: DaemonConfig['tenants'], clock: Clock) {
    this.#database = database;
    this.#tenants = tenants;
    this.#clock = clock;
  }

  static async open(
    record: string,
    tenants: DaemonConfig['tenants'],
    clock: Clock,
  ): Promise<{ budgets: Budgets; release: () => Promise<void> }> {
    const { database, release } = await shareDatabase(record);
    return { budgets: new Budgets(database, tenants, clock), release };
  }

  /** Throws where nothing is left for a run of this token. */
  async check(tenant: string | undefined, caller: string): Promise<void> {
    const { spent } = await this.#left(tenant ?? '', caller);
    if (spent === null) return;
    const now = this.#now();
    const resets_at = new Date(Math.floor(now / DAY_MS + 1) * DAY_MS).toISOString();
    throw new DaemonError(
      'BUDGET_SPENT',
      `The daily budget of the tenant ${tenant}, or of this token, is spent (${spent}). It resets at ${resets_at}.`,
      { members: { limit: spent, resets_at, retry_after: Math.ceil((Date.parse(resets_at) - now) / 1_000) } },
    );
  }

  /** The limits of a turn, and no more than what is left of the day. */
  async within(limits: LimitOptions, tenant: string, caller: string): Promise<LimitOptions> {
    const { tokens, cost } = await this.#left(tenant, caller);
    const max_tokens =
      tokens === null ? limits.max_tokens : Math.min(limits.max_tokens ?? tokens, Math.max(0, tokens));
    const dollars = cost === null ? null : (Math.max(0, cost) / 1e9).toFixed(9);
    const asked = limits.max_cost_usd ?? null;
    const max_cost_usd =
      dollars === null
        ? limits.max_cost_usd
        : asked !== null && compareDecimals(asked, dollars) < 0
          ? asked
          : dollars;
    return {
      ...limits,
      ...(max_tokens === undefined ? {} : { max_tokens }),
      ...(max_cost_usd === undefined ? {} : { max_cost_usd }),
    };
  }

  async #left(tenant: string, caller: string): Promise<Left> {
    const limits = this.#tenants[tenant];
    if (!limits || ![limits, limits.each_token].some(isLimited)) return NO_LIMIT;
    const day = new Date(this.#now()).toISOString().slice(0, 10);
    const rows = await this.#database.read(() => all<Spent>(SPENT, day, tenant), 'all');
    const own = rows.filter((row) => row.caller === caller);
    return least(leftOf(limits, rows), leftOf(limits.each_token, own));
  }

  #now(): number {
    return this.#database.now?.() ?? this.#clock.now();
  }
}

const DAY_MS = 86_400_000;
/** A call is made only where all it could take is left, so the last hundredth is for none. */
const SPARE = 0.01;
const NO_LIMIT: Left = { tokens: null, cost: null, spent: null };

function isLimited({ tokens_per_day, cost_per_day }: DayLimits): boolean {
  return tokens_per_day !== undefined || cost_per_day !== undefined;
}

function leftOf(limits: DayLimits, rows: readonly Spent[]): Left {
  const { tokens_per_day = null, cost_per_day = null } = limits;
  const sum = (of: 'tokens' | 'cost') => rows.reduce((all, row) => all + row[of], 0);
  const most = {
    tokens: tokens_per_day,
    cost: cost_per_day === null ? null : Math.round(cost_per_day * 1e9),
  };
  const left = (of: 'tokens' | 'cost') => (most[of] === null ? null : most[of] - sum(of));
  const isSpent = (of: 'tokens' | 'cost') => (left(of) ?? 1) <= (most[of] ?? 0) * SPARE;
  const spent = (['tokens', 'cost'] as const).find(isSpent) ?? null;
  return { tokens: left('tokens'), cost: left('cost'), spent };
}

function least(a: Left, b: Left): Left {
  const lesser = (x: number | null, y: number | null) => (x === null ? y : y === null ? x : Math.min(x, y));
  return { tokens: lesser(a.tokens, b.tokens), cost: lesser(a.cost, b.cost), spent: a.spent ?? b.spent };
}
