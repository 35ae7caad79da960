import { AbortError, type CancellationToken } from '@amplifier/core';

/**
 * How many turns may run at the same time. More of them than slots wait in line, first come first served, and are never refused.
 * Whoever waits for others must give its slot back meanwhile (`RunSlot.whileWaiting`): so a parent that waits for its
 * children can never keep them from running.
 */
export class RunSlots {
  #free: number;
  /** In the order of arrival. */
  readonly #line = new Set<() => void>();

  constructor(count: number) {
    this.#free = count;
  }

  get waiting(): number {
    return this.#line.size;
  }

  /** A slot, as soon as there is one. Rejects when it is to stop at once before. */
  async acquire(stop?: CancellationToken): Promise<RunSlot> {
    await this.#enter(stop);
    return this.#slot();
  }

  /** A slot, if there is one right now. */
  tryAcquire(): RunSlot | null {
    if (this.#free === 0) return null;
    this.#free--;
    return this.#slot();
  }

  #slot(): RunSlot {
    return new RunSlot(this.#enter, this.#leave);
  }

  readonly #enter = (stop?: CancellationToken): Promise<void> => {
    if (stop?.isImmediate) return Promise.reject(stopped());
    if (this.#free > 0) {
      this.#free--;
      return Promise.resolve();
    }
    return new Promise((resolve, reject) => {
      const start = () => {
        unlisten?.();
        resolve();
      };
      const unlisten = stop?.onRequest((level) => {
        if (level !== 'immediate') return;
        unlisten?.();
        this.#line.delete(start);
        reject(stopped());
      });
      this.#line.add(start);
    });
  };

  readonly #leave = (): void => {
    const [next] = this.#line;
    if (!next) {
      this.#free++;
      return;
    }
    this.#line.delete(next);
    next();
  };
}

/** One slot, held by one running turn. */
export class RunSlot {
  #enter: () => Promise<void>;
  #leave: () => void;
  #held = true;
  #waits = 0;
  #released = false;

  constructor(enter: () => Promise<void>, leave: () => void) {
    this.#enter = enter;
    this.#leave = leave;
  }

  /** Gives the slot to others until `work` is done; with several waits at once, until the last is done. */
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

/** Work that the holder of a slot waits for. Without a slot it is just done. */
export function lendSlot<T>(slot: RunSlot | null | undefined, work: () => Promise<T>): Promise<T> {
  return slot ? slot.whileWaiting(work) : work();
}

function stopped(): AbortError {
  return new AbortError('Stopped while waiting for a run slot.');
}
