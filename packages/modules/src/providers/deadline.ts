import type { Clock } from '@amplifier/core';

/** Ends a call when its caller or its time says so, and remembers which of the two it was. */
export class Deadline implements Disposable {
  #controller = new AbortController();
  #endedBy: 'caller' | 'timeout' | null = null;
  #disposers: (() => void)[] = [];

  constructor(clock: Clock, seconds: number, caller?: AbortSignal) {
    this.#disposers.push(clock.after(seconds * 1000, () => this.#end('timeout')));
    if (!caller) return;
    if (caller.aborted) this.#end('caller');
    const onAbort = () => this.#end('caller');
    caller.addEventListener('abort', onAbort, { once: true });
    this.#disposers.push(() => caller.removeEventListener('abort', onAbort));
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  get endedBy(): 'caller' | 'timeout' | null {
    return this.#endedBy;
  }

  /** Settles with `work`, or rejects at once when the call is ended: a stream may be slow to notice. */
  async race<T>(work: Promise<T>): Promise<T> {
    const { signal } = this;
    const ended = new Promise<never>((_, reject) => {
      const onAbort = () => reject(signal.reason);
      if (signal.aborted) onAbort();
      signal.addEventListener('abort', onAbort, { once: true });
      this.#disposers.push(() => signal.removeEventListener('abort', onAbort));
    });
    return Promise.race([work, ended]);
  }

  [Symbol.dispose](): void {
    for (const dispose of this.#disposers.splice(0)) dispose();
  }

  #end(by: 'caller' | 'timeout'): void {
    if (this.#endedBy) return;
    this.#endedBy = by;
    // A plain abort(): the model layer would report a reason of our own as a network failure.
    this.#controller.abort();
  }
}
