import type { Clock } from '@amplifier/core';

interface Timer {
  due: number;
  order: number;
  callback: () => void;
}

/** A clock that stands still until a test moves it. */
export class VirtualClock implements Clock {
  #now: number;
  #order = 0;
  #timers = new Set<Timer>();

  constructor(start: number | string = '2026-01-01T00:00:00.000Z') {
    this.#now = typeof start === 'string' ? Date.parse(start) : start;
  }

  now(): number {
    return this.#now;
  }

  after(ms: number, callback: () => void): () => void {
    const timer: Timer = { due: this.#now + Math.max(0, ms), order: this.#order++, callback };
    this.#timers.add(timer);
    return () => this.#timers.delete(timer);
  }

  /** How many timers wait. */
  get pending(): number {
    return this.#timers.size;
  }

  /** Moves time forward, running each timer at its own moment and letting promises settle in between. */
  async advance(ms: number): Promise<void> {
    const end = this.#now + ms;
    await settle();
    for (let next = this.#next(end); next; next = this.#next(end)) {
      this.#now = next.due;
      this.#timers.delete(next);
      next.callback();
      await settle();
    }
    this.#now = end;
  }

  /** Jumps from timer to timer until none is left. */
  async runAll(limit = 10_000): Promise<void> {
    await settle();
    for (let ran = 0; this.#timers.size > 0; ran++) {
      if (ran === limit)
        throw new Error(`The virtual clock still has timers after ${limit}: does something re-arm itself?`);
      const next = this.#next(Number.POSITIVE_INFINITY);
      if (next) await this.advance(next.due - this.#now);
    }
  }

  /** Sets the time without running timers, backwards too, as an operator might. */
  set(time: number | string): void {
    this.#now = typeof time === 'string' ? Date.parse(time) : time;
  }

  #next(end: number): Timer | undefined {
    const due = [...this.#timers].filter((timer) => timer.due <= end);
    return due.sort((a, b) => a.due - b.due || a.order - b.order)[0];
  }
}

/** Lets every promise that can settle do so: one turn of the event loop runs all microtasks. */
export function settle(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
