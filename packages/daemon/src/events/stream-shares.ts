import { OWNER } from '../auth/gate.js';
import type { Caller } from '../auth/scope.js';
import { DaemonError } from '../daemon-error.js';

type Follower = Pick<Caller, 'account' | 'tenant'>;

/**
 * How many streams of events are open, in all and for each tenant and account. A tenant may have as many as it leaves free, and an
 * account half as many, so that none can take the last one. The daemon's own token may use all.
 */
export class StreamShares {
  readonly #max: number;
  readonly #open = new Map<string, number>();
  #all = 0;

  constructor(max: number) {
    this.#max = max;
  }

  get open(): number {
    return this.#all;
  }

  /** Throws if the caller can open no further stream. */
  check(caller: Follower): void {
    const free = this.#max - this.#all;
    if (free <= 0)
      throw new DaemonError(
        'OVERLOADED',
        `${this.#all} streams of events are open, as many as max_followers allows. Close one, or connect again later.`,
      );
    if (caller.account === OWNER.account) return;
    const [tenant = 0, account = 0] = keysOf(caller).map((key) => this.#open.get(key));
    if (tenant < free && account < Math.ceil(free / 2)) return;
    throw new DaemonError(
      'OVERLOADED',
      `This token has ${account} streams of events open, and its tenant ${tenant}; the ${free} that are free are for others. Close one, or connect again later.`,
    );
  }

  /** Counts a stream until the returned function is called. */
  enter(caller: Follower): () => void {
    const keys = caller.account === OWNER.account ? [] : keysOf(caller);
    const count = (by: number) => {
      this.#all += by;
      for (const key of keys) {
        const now = (this.#open.get(key) ?? 0) + by;
        if (now === 0) this.#open.delete(key);
        else this.#open.set(key, now);
      }
    };
    count(1);
    return () => count(-1);
  }
}

function keysOf({ tenant = '', account }: Follower): string[] {
  return [`tenant ${tenant}`, `account ${account}`];
}
