import { errorInfo } from '@amplifier/core';
import type { Delegator } from '@amplifier/delegation';
import { RunService, type RunServiceOptions } from './run-service.js';

/** Children in the background that the process of a host executes, from the first on. */
export class BackgroundWork {
  readonly #delegator: Delegator;
  readonly #record: Omit<RunServiceOptions, 'hosts'>;
  readonly #runs: (() => Promise<RunService>) | null;
  #serving: Promise<() => Promise<void>> | null = null;

  /** `runs`: the runs of this process. Default: this host has its own. */
  constructor(
    delegator: Delegator,
    record: Omit<RunServiceOptions, 'hosts'>,
    runs: (() => Promise<RunService>) | null = null,
  ) {
    this.#delegator = delegator;
    this.#record = record;
    this.#runs = runs;
  }

  wake(): void {
    this.#serving ??= this.#serve().catch((error) => {
      const { message } = errorInfo(error);
      this.#record.report({ level: 'error', code: 'BACKGROUND_FAILED', message, error });
      // The next child tries again.
      this.#serving = null;
      return async () => {};
    });
  }

  /** Claims no more until the next `wake`. Resolves when the last of them has ended. */
  async close(): Promise<void> {
    const serving = this.#serving;
    this.#serving = null;
    await (await serving)?.();
  }

  async #serve(): Promise<() => Promise<void>> {
    const { queue } = this.#record;
    if (this.#runs) return (await this.#runs()).serveBackground(queue, this.#delegator);
    const own = new RunService({ ...this.#record, hosts: NO_HOSTS });
    own.serveBackground(queue, this.#delegator);
    return () => own.close();
  }
}

/** Jobs are not submitted to it, so none of their sessions is looked for. */
const NO_HOSTS = {
  of: async (session_id: string) => {
    throw new Error(`Session ${session_id} does not belong to a host of this process.`);
  },
};
