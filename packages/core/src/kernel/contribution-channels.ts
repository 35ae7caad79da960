import type { Report } from './diagnostics.js';
import { errorInfo } from './errors/amplifier-error.js';

export type Contributor = () => unknown | Promise<unknown>;

/** Named lists that any module can add to and any module can collect, such as the event names worth observing. */
export class ContributionChannels {
  #contributors = new Map<string, { name: string; contribute: Contributor }[]>();

  constructor(private readonly report: Report) {}

  /** The same name may register twice: contributions add up, they never replace. */
  register(channel: string, name: string, contribute: Contributor): () => void {
    const entry = { name, contribute };
    const entries = this.#contributors.get(channel) ?? [];
    this.#contributors.set(channel, entries);
    entries.push(entry);
    return () => {
      const index = entries.indexOf(entry);
      if (index !== -1) entries.splice(index, 1);
    };
  }

  /** Asks the contributors in order. Null and undefined are left out; one that fails is reported and passed over. */
  async collect(channel: string, signal?: AbortSignal): Promise<unknown[]> {
    const collected: unknown[] = [];
    for (const { name, contribute } of [...(this.#contributors.get(channel) ?? [])]) {
      if (signal?.aborted) break;
      try {
        const value = await contribute();
        if (value !== null && value !== undefined) collected.push(value);
      } catch (error) {
        this.report({
          level: 'warning',
          code: 'CONTRIBUTOR_FAILED',
          message: `Contributor '${name}' failed on channel '${channel}': ${errorInfo(error).message}`,
          error,
        });
      }
    }
    return collected;
  }
}
