import type { Clock } from '@amplifier/core';

/** Notices that nothing moves. Time during which a tool runs does not count: a build may take an hour. */
export class Watchdog {
  #clock: Clock;
  #ms: number;
  #onStall: () => void;
  #runningTools = new Set<string>();
  #cancel: () => void = () => {};
  #lastSign: number;
  #stopped = false;

  constructor(clock: Clock, seconds: number, onStall: () => void) {
    this.#clock = clock;
    this.#ms = seconds * 1000;
    this.#onStall = onStall;
    this.#lastSign = clock.now();
    this.#arm(this.#ms);
  }

  /** A sign of life. Cheap: the timer is not touched. */
  touch(): void {
    this.#lastSign = this.#clock.now();
  }

  toolStarted(id: string): void {
    this.#runningTools.add(id);
    this.touch();
  }

  toolEnded(id: string): void {
    this.#runningTools.delete(id);
    this.touch();
  }

  stop(): void {
    this.#stopped = true;
    this.#cancel();
  }

  #arm(ms: number): void {
    this.#cancel = this.#clock.after(ms, () => this.#check());
  }

  #check(): void {
    if (this.#stopped) return;
    const quiet = this.#runningTools.size > 0 ? 0 : this.#clock.now() - this.#lastSign;
    if (quiet >= this.#ms) this.#onStall();
    else this.#arm(this.#ms - Math.max(0, quiet));
  }
}
