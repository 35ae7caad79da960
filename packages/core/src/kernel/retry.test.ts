import { seededRandom, VirtualClock } from '@amplifier/testkit';
import { describe, expect, it } from 'vitest';
import {
  AuthenticationError,
  LLMError,
  ProviderUnavailableError,
  QuotaExceededError,
  RateLimitError,
} from './errors/llm-errors.js';
import { DEFAULT_RETRY, retry, retryDelay } from './retry.js';

const steady = { ...DEFAULT_RETRY, jitter: false };
const noRandom = () => 0.5;

describe('delay before a retry', () => {
  it('doubles up to the cap', () => {
    const error = new ProviderUnavailableError('down');
    expect([1, 2, 3, 10].map((attempt) => retryDelay(attempt, error, steady, noRandom))).toEqual([
      1, 2, 4, 60,
    ]);
  });

  it('is at least what the server asked for, past the cap too', () => {
    expect(retryDelay(1, new RateLimitError('slow', { retry_after: 90 }), steady, noRandom)).toBe(90);
    expect(retryDelay(3, new RateLimitError('slow', { retry_after: 2 }), steady, noRandom)).toBe(4);
    expect(
      retryDelay(
        1,
        new RateLimitError('slow', { retry_after: 90 }),
        { ...steady, honor_retry_after: false },
        noRandom,
      ),
    ).toBe(1);
  });

  it('is never spread to less than the server asked for', () => {
    const error = new RateLimitError('slow', { retry_after: 90 });
    for (const random of [0, 0.25, 0.5, 0.999])
      expect(retryDelay(1, error, { ...steady, jitter: true }, () => random)).toBeGreaterThanOrEqual(90);
  });

  it('may be multiplied past the cap by the error', () => {
    expect(
      retryDelay(10, new ProviderUnavailableError('down', { delay_multiplier: 10 }), steady, noRandom),
    ).toBe(600);
  });

  it('is spread between half and one and a half times', () => {
    const random = seededRandom(1);
    const delays = Array.from({ length: 500 }, () =>
      retryDelay(1, new ProviderUnavailableError('down'), DEFAULT_RETRY, random),
    );
    expect(Math.min(...delays)).toBeGreaterThanOrEqual(0.5);
    expect(Math.max(...delays)).toBeLessThan(1.5);
    expect(new Set(delays).size).toBeGreaterThan(400);
  });
});

describe('retry', () => {
  async function attempts(error: unknown, options: object = {}) {
    const clock = new VirtualClock();
    const waits: [number, number][] = [];
    let calls = 0;
    const running = retry(
      async () => {
        calls++;
        throw error;
      },
      { clock, jitter: false, onRetry: (attempt, delay) => waits.push([attempt, delay]), ...options },
    ).catch((thrown) => thrown);
    await clock.runAll();
    expect(await running).toBe(error);
    return { calls, waits };
  }

  it('tries a retryable error three more times, telling of each wait', async () => {
    expect(await attempts(new ProviderUnavailableError('down'))).toEqual({
      calls: 4,
      waits: [
        [1, 1],
        [2, 2],
        [3, 4],
      ],
    });
  });

  it('tries once with zero retries', async () => {
    expect((await attempts(new ProviderUnavailableError('down'), { max_retries: 0 })).calls).toBe(1);
  });

  it.each([
    new AuthenticationError('key'),
    new QuotaExceededError('empty'),
    new LLMError('odd'),
    new TypeError('bug'),
    'thrown text',
  ])('does not retry %s', async (error) => {
    expect((await attempts(error)).calls).toBe(1);
  });

  it('returns the first success', async () => {
    const clock = new VirtualClock();
    let calls = 0;
    const running = retry(async () => (++calls < 3 ? Promise.reject(new RateLimitError('slow')) : 'answer'), {
      clock,
    });
    await clock.runAll();
    expect(await running).toBe('answer');
  });

  it('stops waiting when the signal aborts', async () => {
    const clock = new VirtualClock();
    const stop = new AbortController();
    const running = retry(() => Promise.reject(new RateLimitError('slow')), {
      clock,
      signal: stop.signal,
    }).catch((thrown) => thrown);
    await clock.advance(1);
    stop.abort();
    expect(await running).toMatchObject({ name: 'AbortError' });
    expect(clock.pending).toBe(0);
  });
});
