import type { Clock } from '@amplifier/core';
import type { RunQueue, RunRecord } from '@amplifier/sessions';
import { isOpen } from './run-record.js';

/** Those who wait for the end of a run. */
export class RunWaits {
  readonly #parts: { queue: RunQueue; clock: Clock };
  readonly #waiting = new Set<() => void>();
  #isStopping = false;

  constructor(parts: { queue: RunQueue; clock: Clock }) {
    this.#parts = parts;
  }

  /** The run when it has ended, or as it is after so many seconds. */
  async untilEnded(run: RunRecord, seconds: number | undefined, signal?: AbortSignal): Promise<RunRecord> {
    if (!seconds || !isOpen(run)) return run;
    // Not made of other signals: those would keep it for as long as they live.
    const enough = new AbortController();
    const stop = () => enough.abort();
    const cancelTimer = this.#parts.clock.after(seconds * 1000, stop);
    signal?.addEventListener('abort', stop, { once: true });
    if (this.#isStopping || signal?.aborted) stop();
    this.#waiting.add(stop);
    try {
      let last = run;
      for await (const state of this.#parts.queue.watch(run.run_id, enough.signal)) last = state;
      return last;
    } finally {
      cancelTimer();
      signal?.removeEventListener('abort', stop);
      this.#waiting.delete(stop);
    }
  }

  /** Nobody is to wait any longer: the daemon is about to stop. */
  stop(): void {
    this.#isStopping = true;
    for (const stop of this.#waiting) stop();
  }
}
