import type { Clock } from '@amplifier/core';
import { BREAKER } from '../defaults.js';

/** Failures of the agent or its provider. Failures of the task, the model name or the request are not counted. */
const COUNTED: ReadonlySet<string> = new Set([
  'ACP_SPAWN_FAILED',
  'ACP_HANDSHAKE_FAILED',
  'AUTH_REQUIRED',
  'ACP_TURN_ERROR',
  'STALLED',
  'AUTHENTICATION',
  'ACCESS_DENIED',
  'CONFIGURATION',
  'RATE_LIMIT',
  'PROVIDER_UNAVAILABLE',
]);

/** Opens for an agent that fails repeatedly. A success clears the count but does not close an open breaker: only time does. */
export class CircuitBreaker {
  readonly #clock: Clock;
  readonly #failures = new Map<string, number[]>();
  readonly #openUntil = new Map<string, number>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** `code` is null for a success. */
  record(agent: string, code: string | null): void {
    if (code === null) this.#failures.delete(agent);
    if (code === null || !COUNTED.has(code)) return;
    const now = this.#clock.now();
    const recent = [...(this.#failures.get(agent) ?? []), now].filter(
      (time) => now - time < BREAKER.window_ms,
    );
    this.#failures.set(agent, recent);
    if (recent.length < BREAKER.failures) return;
    this.#openUntil.set(agent, now + BREAKER.open_ms);
    this.#failures.delete(agent);
  }

  isOpen(agent: string): boolean {
    return (this.#openUntil.get(agent) ?? 0) > this.#clock.now();
  }
}
