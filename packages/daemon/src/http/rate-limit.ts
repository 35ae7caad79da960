import { DaemonError } from '../daemon-error.js';
import type { Caller } from './scope.js';

/** Lets a caller through, or refuses with how long to wait. */
export type RateLimit = (caller: Caller) => Promise<void>;

/** So many requests per second and token, averaged over a few seconds so that a page may load in one go. */
export async function openRateLimit(per_second: number): Promise<RateLimit | null> {
  if (per_second === 0) return null;
  const { RateLimiterMemory, RateLimiterRes } = await import('rate-limiter-flexible');
  const limiter = new RateLimiterMemory({ points: per_second * WINDOW_S, duration: WINDOW_S });
  return async ({ id }) => {
    try {
      await limiter.consume(id);
    } catch (refused) {
      if (!(refused instanceof RateLimiterRes)) throw refused;
      const retry_after = Math.max(1, Math.ceil(refused.msBeforeNext / 1_000));
      throw new DaemonError(
        'RATE_LIMITED',
        `This token has sent more than ${per_second} requests per second. Wait ${retry_after} s, then go on.`,
        { members: { retry_after } },
      );
    }
  };
}

const WINDOW_S = 5;
