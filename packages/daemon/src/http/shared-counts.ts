import { randomUUID } from 'node:crypto';
import { type Clock, everySoOften, type LoopHealth, type Report, SupervisedLoop } from '@amplifier/core';
import type { SqlShelf } from '@amplifier/sessions';
import { COUNTS_EXCHANGE_MS } from '../defaults.js';

export interface SharedCountsOptions {
  shelf: SqlShelf;
  clock: Clock;
  report: Report;
  windowMs: number;
}

interface Counts {
  id: string;
  window: number;
  counts: Record<string, number>;
}

const KIND = 'request counts';

/**
 * How many requests each token has sent to all daemons of a record in the present window of time. What others counted is known with a
 * short delay, so a limit may be passed by as much as they take in that time, and no more.
 */
export class SharedCounts {
  readonly #options: SharedCountsOptions;
  readonly #id = randomUUID();
  readonly #stop = new AbortController();
  readonly #loop: SupervisedLoop<string>;
  #window = 0;
  #own = new Map<string, number>();
  #others = new Map<string, number>();

  constructor(options: SharedCountsOptions) {
    this.#options = options;
    const { clock, report } = options;
    this.#loop = new SupervisedLoop<string>({
      name: 'request counts',
      clock,
      report,
      items: (signal) => everySoOften(clock, COUNTS_EXCHANGE_MS, () => [this.#id], signal),
      serve: () => this.exchange(),
      nameOf: () => 'the exchange of counts with other daemons',
    });
    void this.#loop.run(this.#stop.signal);
  }

  get health(): LoopHealth {
    return this.#loop.health;
  }

  /** Counts a request. Returns how many there were in this window, and how long that lasts. */
  add(token_id: string): { count: number; leftMs: number } {
    const { clock, windowMs } = this.#options;
    const now = clock.now();
    this.#enter(Math.floor(now / windowMs));
    const own = (this.#own.get(token_id) ?? 0) + 1;
    this.#own.set(token_id, own);
    return { count: own + (this.#others.get(token_id) ?? 0), leftMs: (this.#window + 1) * windowMs - now };
  }

  /** Tells the others, and hears from them. */
  async exchange(): Promise<void> {
    const { shelf, clock, windowMs } = this.#options;
    this.#enter(Math.floor(clock.now() / windowMs));
    if (this.#own.size === 0) return;
    const window = this.#window;
    const told: Counts = { id: this.#id, window, counts: Object.fromEntries(this.#own) };
    await shelf.put(KIND, this.#id, told, (window + 2) * windowMs);
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

  #enter(window: number): void {
    if (window === this.#window) return;
    this.#window = window;
    this.#own = new Map();
    this.#others = new Map();
  }
}
