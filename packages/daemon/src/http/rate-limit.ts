import { randomUUID } from 'node:crypto';
import { type Clock, everySoOften, type LoopHealth, type Report, SupervisedLoop } from '@amplifier/core';
import type { SqlShelf } from '@amplifier/sessions';
import type { Caller } from '../auth/scope.js';
import { DaemonError } from '../daemon-error.js';
import { COUNTS_EXCHANGE_MS, RATE_WINDOW_MS } from '../defaults.js';

export interface RateLimitOptions {
  per_second: number;
  /** Where daemons of a record exchange their counts; null if this one is alone. */
  shelf: SqlShelf | null;
  clock: Clock;
  report: Report;
}

interface Counts {
  id: string;
  window: number;
  counts: Record<string, number>;
}

const KIND = 'request counts';

/**
 * So many requests per second and account, averaged over a few seconds so that a page may load in one go. Daemons that share a record
 * count together. What others counted is known with a short delay, so a limit may be passed by as much as they take in that time.
 */
export class RateLimit {
  readonly #options: RateLimitOptions;
  readonly #id = randomUUID();
  readonly #stop = new AbortController();
  readonly #loop: SupervisedLoop<SqlShelf> | null;
  #window = 0;
  #own = new Map<string, number>();
  #others = new Map<string, number>();

  constructor(options: RateLimitOptions) {
    this.#options = options;
    const { shelf, clock, report } = options;
    this.#loop =
      shelf &&
      new SupervisedLoop<SqlShelf>({
        name: 'request counts',
        clock,
        report,
        items: (signal) => everySoOften(clock, COUNTS_EXCHANGE_MS, () => [shelf], signal),
        serve: () => this.exchange(),
        nameOf: () => 'the exchange of counts with other daemons',
      });
    void this.#loop?.run(this.#stop.signal);
  }

  get health(): LoopHealth[] {
    return this.#loop ? [this.#loop.health] : [];
  }

  /** Counts a request. Throws if the account has sent too many, with how long to wait. */
  check({ account }: Pick<Caller, 'account'>): void {
    const { clock, per_second } = this.#options;
    const now = clock.now();
    this.#enter(now);
    const own = (this.#own.get(account) ?? 0) + 1;
    this.#own.set(account, own);
    const count = own + (this.#others.get(account) ?? 0);
    if (count * 1_000 <= per_second * RATE_WINDOW_MS) return;
    const retry_after = Math.max(1, Math.ceil(((this.#window + 1) * RATE_WINDOW_MS - now) / 1_000));
    throw new DaemonError(
      'RATE_LIMITED',
      `This token has sent more than ${per_second} requests per second. Wait ${retry_after} s, then continue.`,
      { members: { retry_after } },
    );
  }

  /** Tells the others, and hears from them. */
  async exchange(): Promise<void> {
    const { shelf, clock } = this.#options;
    this.#enter(clock.now());
    if (!shelf || this.#own.size === 0) return;
    const window = this.#window;
    const told: Counts = { id: this.#id, window, counts: Object.fromEntries(this.#own) };
    await shelf.put(KIND, this.#id, told, (window + 2) * RATE_WINDOW_MS);
    const others = new Map<string, number>();
    for (const heard of await shelf.all<Counts>(KIND)) {
      if (heard.id === this.#id || heard.window !== window) continue;
      for (const [id, count] of Object.entries(heard.counts)) others.set(id, (others.get(id) ?? 0) + count);
    }
    if (this.#window === window) this.#others = others;
  }

  close(): void {
    this.#stop.abort();
  }

  #enter(now: number): void {
    const window = Math.floor(now / RATE_WINDOW_MS);
    if (window === this.#window) return;
    this.#window = window;
    this.#own = new Map();
    this.#others = new Map();
  }
}
