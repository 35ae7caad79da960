import type { Clock } from '@amplifier/host';
import { BENCH } from '../defaults.js';

/** Remembers which agents keep failing before they even begin. A benched one is skipped as a fallback, never when asked for by name. */
export class Bench {
  #clock: Clock;
  #failures = new Map<string, number[]>();
  #until = new Map<string, number>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  isBenched(cli: string): boolean {
    return (this.#until.get(cli) ?? 0) > this.#clock.now();
  }

  failed(cli: string): void {
    const now = this.#clock.now();
    const recent = [...(this.#failures.get(cli) ?? []), now].filter((time) => now - time < BENCH.window_ms);
    if (recent.length < BENCH.failures) {
      this.#failures.set(cli, recent);
      return;
    }
    this.#failures.delete(cli);
    this.#until.set(cli, now + BENCH.rest_ms);
  }

  succeeded(cli: string): void {
    this.#failures.delete(cli);
  }
}
