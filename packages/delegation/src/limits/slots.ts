import { AbortError } from '@amplifier/core';

interface Waiting {
  start: () => void;
}

/**
 * Places to work at the same time. More work than places waits in line, first come first served, and is never refused.
 * Whoever waits for others must give its place back meanwhile (`Slot.whileWaiting`): so a parent that waits for its
 * children can never keep them from running.
 */
export class Slots {
  #free: number;
  #line: Waiting[] = [];

  constructor(places: number) {
    this.#free = places;
  }

  get waiting(): number {
    return this.#line.length;
  }

  /** A place, as soon as there is one. Rejects when the signal aborts first. */
  async acquire(signal?: AbortSignal): Promise<Slot> {
    await this.#enter(signal);
    return new Slot(
      () => this.#enter(),
      () => this.#leave(),
    );
  }

  #enter(signal?: AbortSignal): Promise<void> {
    if (signal?.aborted) return Promise.reject(stopped());
    if (this.#free > 0) {
      this.#free--;
      return Promise.resolve();
    }
    return new Promise((resolve, reject) => {
      const onAbort = () => {
        this.#line = this.#line.filter((other) => other !== entry);
        reject(stopped());
      };
      const entry: Waiting = {
        start: () => {
          signal?.removeEventListener('abort', onAbort);
          resolve();
        },
      };
      signal?.addEventListener('abort', onAbort, { once: true });
      this.#line.push(entry);
    });
  }

  #leave(): void {
    const next = this.#line.shift();
    if (next) next.start();
    else this.#free++;
  }
}

/** One place, held by one running turn. */
export class Slot {
  #enter: () => Promise<void>;
  #leave: () => void;
  #waits = 0;
  #released = false;

  constructor(enter: () => Promise<void>, leave: () => void) {
    this.#enter = enter;
    this.#leave = leave;
  }

  /** Gives the place to others until `work` is done; with several waits at once, until the last is done. */
  async whileWaiting<T>(work: () => Promise<T>): Promise<T> {
    if (this.#waits++ === 0 && !this.#released) this.#leave();
    try {
      return await work();
    } finally {
      if (--this.#waits === 0 && !this.#released) await this.#enter();
    }
  }

  release(): void {
    if (this.#released) return;
    this.#released = true;
    if (this.#waits === 0) this.#leave();
  }
}

function stopped(): AbortError {
  return new AbortError('Stopped while waiting in line for a place to work.');
}
