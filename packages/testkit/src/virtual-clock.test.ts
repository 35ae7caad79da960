import { sleep } from '@amplifier/core';
import { describe, expect, it } from 'vitest';
import { seededIds, seededRandom } from './seeded-random.js';
import { VirtualClock } from './virtual-clock.js';

describe('virtual clock', () => {
  it('runs timers at their own moments, in order, also those set by timers', async () => {
    const clock = new VirtualClock(0);
    const log: [string, number][] = [];
    clock.after(20, () => log.push(['b', clock.now()]));
    clock.after(10, () => {
      log.push(['a', clock.now()]);
      clock.after(5, () => log.push(['a2', clock.now()]));
    });
    clock.after(10, () => log.push(['same time', clock.now()]));
    await clock.advance(30);
    expect(log).toEqual([
      ['a', 10],
      ['same time', 10],
      ['a2', 15],
      ['b', 20],
    ]);
    expect(clock.now()).toBe(30);
  });

  it('forgets cancelled timers', async () => {
    const clock = new VirtualClock(0);
    let ran = 0;
    const cancel = clock.after(10, () => ran++);
    cancel();
    cancel();
    await clock.advance(20);
    expect([ran, clock.pending]).toEqual([0, 0]);
  });

  it('lets a chain of sleeps run to its end', async () => {
    const clock = new VirtualClock(0);
    const sleeper = (async () => {
      for (let round = 0; round < 100; round++) await sleep(clock, 1000);
      return clock.now();
    })();
    await clock.runAll();
    expect(await sleeper).toBe(100_000);
  });

  it('says so when timers re-arm themselves for ever', async () => {
    const clock = new VirtualClock(0);
    const rearm = () => void clock.after(1, rearm);
    rearm();
    await expect(clock.runAll(50)).rejects.toThrow(/re-arm/);
  });

  it('can be set back, as an operator might', () => {
    const clock = new VirtualClock('2026-01-02T00:00:00Z');
    clock.set('2026-01-01T00:00:00Z');
    expect(new Date(clock.now()).toISOString()).toBe('2026-01-01T00:00:00.000Z');
  });
});

describe('sleep', () => {
  it('ends with the signal', async () => {
    const clock = new VirtualClock(0);
    const stop = new AbortController();
    const sleeping = sleep(clock, 1000, stop.signal);
    stop.abort();
    await expect(sleeping).rejects.toMatchObject({ name: 'AbortError' });
    await expect(sleep(clock, 1000, stop.signal)).rejects.toMatchObject({ name: 'AbortError' });
    expect(clock.pending).toBe(0);
  });
});

describe('seeded sources', () => {
  it('repeat for the same seed and differ for another', () => {
    const take = (seed: number) => Array.from({ length: 5 }, seededRandom(seed));
    expect(take(1)).toEqual(take(1));
    expect(take(1)).not.toEqual(take(2));
    expect(take(3).every((value) => value >= 0 && value < 1)).toBe(true);
    const ids = seededIds(1);
    expect(ids()).toMatch(/^[0-9a-f]{16}$/);
    expect(ids()).not.toBe(seededIds(1)());
  });
});
