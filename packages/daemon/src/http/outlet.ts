import type { ServerResponse } from 'node:http';
import type { Clock } from '@amplifier/core';

export interface OutletOptions {
  clock: Clock;
  /** Bytes that may wait for a reader. */
  limit: number;
  /** A reader that takes nothing for this long is cut off. */
  stall_ms: number;
}

/**
 * One open stream, on its way out. It never holds much more than `limit` bytes: whoever writes must look at `hasRoom`
 * first, and wait for `drained` when there is none. Frames of one turn of the event loop leave together.
 */
export class Outlet {
  readonly #response: ServerResponse;
  readonly #options: OutletOptions;
  #corked = false;
  #closed = false;
  #ended = false;

  constructor(response: ServerResponse, options: OutletOptions, onClose: () => void) {
    this.#response = response;
    this.#options = options;
    const close = () => {
      if (this.#closed) return;
      this.#closed = true;
      onClose();
    };
    response.once('close', close);
    // A reader that resets its connection has left, no more.
    response.on('error', close);
  }

  /** Nothing more can be said. */
  get closed(): boolean {
    return this.#closed || this.#ended;
  }

  get hasRoom(): boolean {
    return this.#response.writableLength < this.#options.limit;
  }

  write(frame: string | Uint8Array): void {
    if (this.#closed || this.#ended) return;
    if (!this.#corked) {
      this.#corked = true;
      this.#response.cork();
      process.nextTick(() => this.#uncork());
    }
    this.#response.write(frame);
  }

  /** Resolves when the reader has taken everything, or is gone. */
  drained(): Promise<void> {
    if (this.#corked) this.#uncork();
    if (this.#closed || !this.#response.writableNeedDrain) return Promise.resolve();
    return new Promise((resolve) => {
      const done = () => {
        cancel();
        this.#response.off('drain', done);
        this.#response.off('close', done);
        resolve();
      };
      const cancel = this.#options.clock.after(this.#options.stall_ms, () => this.#response.destroy());
      this.#response.once('drain', done);
      this.#response.once('close', done);
    });
  }

  /** Says a last thing and closes, without waiting for a reader that does not read. */
  end(frame: string): void {
    if (this.#closed || this.#ended) return;
    this.#ended = true;
    if (this.#corked) this.#uncork();
    const isStuck = this.#response.writableNeedDrain;
    this.#response.end(frame);
    if (isStuck) this.#response.destroy();
  }

  #uncork(): void {
    this.#corked = false;
    if (!this.#closed) this.#response.uncork();
  }
}
