import { type Clock, systemClock } from '@amplifier/core';
import { RUN_RETENTION_MS } from '../defaults.js';
import { FoldedRunQueue, type RunLines, type RunQueueOptions } from '../folded-run-queue.js';
import { RunFold, type RunLine } from '../run-fold.js';

/** What several queues of one program share. */
export class MemoryRuns implements RunLines {
  readonly fold: RunFold;
  readonly #listeners = new Set<() => void>();

  constructor(clock: Clock = systemClock) {
    this.fold = new RunFold(() => new Date(clock.now() - RUN_RETENTION_MS).toISOString());
  }

  async refresh(): Promise<void> {}

  /** The line is copied: what a caller does to its objects later is nobody's business. */
  async append(line: RunLine): Promise<void> {
    this.fold.apply(structuredClone(line));
    if (line.op === 'enqueue') this.fold.forgetOld();
    for (const tell of this.#listeners) tell();
  }

  listen(onNews: () => void): () => void {
    this.#listeners.add(onNews);
    return () => this.#listeners.delete(onNews);
  }

  async close(): Promise<void> {}
}

export interface MemoryRunQueueOptions extends RunQueueOptions {
  /** Shared with other queues of this program. Default: runs of its own. */
  runs?: MemoryRuns;
}

/** Turns that wait in the memory of one program, for whoever wants no disk. */
export class MemoryRunQueue extends FoldedRunQueue {
  constructor(options: MemoryRunQueueOptions = {}) {
    super(options.runs ?? new MemoryRuns(options.clock), options);
  }
}
