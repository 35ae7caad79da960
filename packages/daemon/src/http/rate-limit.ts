import { DaemonError } from '../daemon-error.js';
import { RATE_WINDOW_S } from '../defaults.js';
import type { Caller } from './scope.js';
import type { SharedCounts } from './shared-counts.js';

/** Lets a caller through, or refuses with how long to wait. */
export type RateLimit = (caller: Caller) => Promise<void>;

/**
 * So many requests per second and account, averaged over a few seconds so that a page may load in one go. Daemons that share a record
 * count together.
 */
export async function openRateLimit(
  per_second: number,
  shared: SharedCounts | null,
): Promise<RateLimit | null> {
  if (per_second === 0) return null;
  const points = per_second * RATE_WINDOW_S;
  if (shared)
    return async ({ account }) => {
      const { count, leftMs } = shared.add(account);
      if (count > points) throw tooMany(per_second, leftMs);
    };
  const { RateLimiterMemory, RateLimiterRes } = await import('rate-limiter-flexible');
  const limiter = new RateLimiterMemory({ points, duration: RATE_WINDOW_S });
  return async ({ account }) => {
    try {
      await limiter.consume(account);
    } catch (refused) {
      if (!(refused instanceof RateLimiterRes)) throw refused;
      throw tooMany(per_second, refused.msBeforeNext);
    }
  };
}

function tooMany(per_second: number, ms: number): DaemonError {
  const retry_after = Math.max(1, Math.ceil(ms / 1_000));
  return new DaemonError(
    'RATE_LIMITED',
    `This token has sent more than ${per_second} requests per second. Wait ${retry_after} s, then continue.`,
    { members: { retry_after } },
  );
}
