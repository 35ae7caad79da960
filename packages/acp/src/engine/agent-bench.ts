import type { Clock } from '@amplifier/core';
import { BENCH } from '../defaults.js';

/** Failures that speak against the agent, not against the task. */
const COUNTED: ReadonlySet<string> = new Set([
  'ACP_SPAWN_FAILED',
  'ACP_HANDSHAKE_FAILED',
  'AUTH_REQUIRED',
  'ACP_TURN_ERROR',
  'STALLED',
]);

/** Remembers which agents fail again and again. A benched agent is not chosen as an alternate; whoever names it still gets it. */
export class AgentBench {
  #clock: Clock;
  #failures = new Map<string, number[]>();
  #until = new Map<string, number>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  note(id: string, code: string | null): void {
    if (code === null) this.#failures.delete(id);
    if (code === null || !COUNTED.has(code)) return;
    const now = this.#clock.now();
    const recent = [...(this.#failures.get(id) ?? []), now].filter((time) => now - time < BENCH.window_ms);
    this.#failures.set(id, recent);
    if (recent.length < BENCH.failures) return;
    this.#until.set(id, now + BENCH.duration_ms);
    this.#failures.delete(id);
  }

  isBenched(id: string): boolean {
    return (this.#until.get(id) ?? 0) > this.#clock.now();
  }
}
