import { AbortError } from '@amplifier/core';

interface Waiter {
  signal: AbortSignal | undefined;
  resolve: () => void;
  reject: (reason: unknown) => void;
}

/**
 * Places to work at the same time. More work than places waits in line, first come first served, and is never refused.
 * Whoever waits for others must give its place back meanwhile (`Slot.whileWaiting`): so a parent that waits for its
 * children can never keep them from running.
 */
export class Slots {
  #free: number;
  #line: Waiter[] = [];
  /** One listener for all who wait with the same signal: a thousand children of one parent do. */
  readonly #signals = new Map<AbortSignal, { waiting: number; onAbort: () => void }>();

  constructor(places: number) {
    this.#free = places;
  }

  get waiting(): number {
    return this.#line.length;
  }

  /** A place, as soon as there is one. Rejects when the signal aborts first. */
  async acquire(signal?: AbortSignal): Promise<Slot> {
    await this.#enter(signal);
    return this.#place();
  }

  /** A place, if there is one right now. */
  tryAcquire(): Slot | null {
    if (this.#free === 0) return null;
    this.#free--;
    return this.#place();
  }

  #place(): Slot {
    return new Slot(this.#enter, this.#leave);
  }

  readonly #enter = (signal?: AbortSignal): Promise<void> => {
    if (signal?.aborted) return Promise.reject(stopped());
    if (this.#free > 0) {
      this.#free--;
      return Promise.resolve();
    }
    return new Promise((resolve, reject) => {
      this.#line.push({ signal, resolve, reject });
      if (signal) this.#watch(signal);
    });
  };

  readonly #leave = (): void => {
    const next = this.#line.shift();
    if (!next) {
      this.#free++;
      return;
    }
    if (next.signal) this.#unwatch(next.signal);
    next.resolve();
  };

  #watch(signal: AbortSignal): void {
    const watched = this.#signals.get(signal);
    if (watched) {
      watched.waiting++;
      return;
    }
    const onAbort = () => {
      const left = this.#line.filter((waiter) => waiter.signal === signal);
      this.#line = this.#line.filter((waiter) => waiter.signal !== signal);
      this.#signals.delete(signal);
      for (const { reject } of left) reject(stopped());
    };
    signal.addEventListener('abort', onAbort, { once: true });
    this.#signals.set(signal, { waiting: 1, onAbort });
  }

  #unwatch(signal: AbortSignal): void {
    const watched = this.#signals.get(signal);
    if (!watched || --watched.waiting > 0) return;
    this.#signals.delete(signal);
    signal.removeEventListener('abort', watched.onAbort);
  }
}

/** One place, held by one running turn. */
export class Slot {
  #enter: () => Promise<void>;
  #leave: () => void;
  #held = true;
  #waits = 0;
  #released = false;

  constructor(enter: () => Promise<void>, leave: () => void) {
    this.#enter = enter;
    this.#leave = leave;
  }

  /** Gives the place to others until `work` is done; with several waits at once, until the last is done. */
  async whileWaiting<T>(work: () => Promise<T>): Promise<T> {
    this.#waits++;
    this.#giveBack();
    try {
      return await work();
    } finally {
      this.#waits--;
      await this.#takeBack();
    }
  }

  release(): void {
    this.#released = true;
    this.#giveBack();
  }

  #giveBack(): void {
    if (!this.#held) return;
    this.#held = false;
    this.#leave();
  }

  async #takeBack(): Promise<void> {
    if (this.#waits > 0 || this.#released || this.#held) return;
    await this.#enter();
    if (this.#waits > 0 || this.#released || this.#held) this.#leave();
    else this.#held = true;
  }
}

function stopped(): AbortError {
  return new AbortError('Stopped while waiting in line for a place to work.');
}
