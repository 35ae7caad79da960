import { type Clock, type Random, sleep, systemClock } from '../process/clock.js';
import { LLMError } from './errors/llm-errors.js';

export interface RetryConfig {
  /** Tries after the first one. Zero means try once. */
  max_retries: number;
  /** Seconds before the first retry. */
  initial_delay: number;
  /** Seconds the exponential part may reach. A server's own wish may exceed it. */
  max_delay: number;
  backoff: number;
  /** Spread waits over ×[0.5, 1.5), so that many clients do not come back at once. */
  jitter: boolean;
  honor_retry_after: boolean;
}

export const DEFAULT_RETRY: RetryConfig = {
  max_retries: 3,
  initial_delay: 1,
  max_delay: 60,
  backoff: 2,
  jitter: true,
  honor_retry_after: true,
};

export interface RetryOptions extends Partial<RetryConfig> {
  clock?: Clock;
  random?: Random;
  signal?: AbortSignal | undefined;
  /** Told before each wait. `attempt` counts from 1, `delay` is in seconds. */
  onRetry?: ((attempt: number, delay: number, error: LLMError) => void) | undefined;
  /** Waited for after each wait. */
  beforeRetry?: (() => Promise<void>) | undefined;
}

/** Calls `operation` until it succeeds, fails for good, or the retries are used up. Only a retryable LLMError is retried. */
export async function retry<T>(operation: () => Promise<T>, options: RetryOptions = {}): Promise<T> {
  const { clock = systemClock, random = Math.random, signal, onRetry, beforeRetry, ...overrides } = options;
  const config = { ...DEFAULT_RETRY, ...overrides };
  for (let attempt = 1; ; attempt++) {
    try {
      return await operation();
    } catch (error) {
      if (!(error instanceof LLMError) || !error.retryable || attempt > config.max_retries) throw error;
      const delay = retryDelay(attempt, error, config, random);
      onRetry?.(attempt, delay, error);
      await sleep(clock, delay * 1000, signal);
      await beforeRetry?.();
    }
  }
}

/** Seconds to wait: exponential, capped, multiplied (past the cap if need be), jittered, and never less than the server asked for. */
export function retryDelay(attempt: number, error: LLMError, config: RetryConfig, random: Random): number {
  const exponential = config.initial_delay * config.backoff ** (attempt - 1);
  const own = Math.min(exponential, config.max_delay) * error.delay_multiplier;
  const asked = config.honor_retry_after ? (error.retry_after ?? 0) : 0;
  if (!config.jitter) return Math.max(own, asked);
  const spread = random();
  return Math.max(own * (0.5 + spread), asked * (1 + spread / 2));
}
