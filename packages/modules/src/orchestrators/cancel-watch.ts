import type { Clock } from '@amplifier/core';

/** Waits for an immediate cancellation, gives running tools a moment to end by themselves, then says that it is over. */
export class CancelWatch implements Disposable {
  /** Resolves when the moment has passed. Never, when nothing is cancelled. */
  readonly over: Promise<void>;
  #stop: (() => void)[] = [];

  constructor(signal: AbortSignal, clock: Clock, graceSeconds: number) {
    this.over = new Promise((resolve) => {
      const onAbort = () => {
        this.#stop.push(clock.after(graceSeconds * 1000, resolve));
      };
      if (signal.aborted) onAbort();
      else signal.addEventListener('abort', onAbort, { once: true });
      this.#stop.push(() => signal.removeEventListener('abort', onAbort));
    });
  }

  [Symbol.dispose](): void {
    for (const stop of this.#stop.splice(0)) stop();
  }
}
