import { VirtualClock } from '@amplifier/testkit';
import { expect, it } from 'vitest';
import { Watchdog } from './watch-turn.js';

function watched(seconds: number) {
  const clock = new VirtualClock();
  const stalls: number[] = [];
  const begin = clock.now();
  const dog = new Watchdog(clock, seconds, () => stalls.push((clock.now() - begin) / 1000));
  return { clock, dog, stalls };
}

it('notices silence after its time, counted from the last sign of life', async () => {
  const { clock, dog, stalls } = watched(10);
  await clock.advance(9000);
  dog.touch();
  await clock.advance(9999);
  expect(stalls).toEqual([]);
  await clock.advance(1);
  expect(stalls).toEqual([19]);
});

it('does not count the time during which any tool runs', async () => {
  const { clock, dog, stalls } = watched(10);
  dog.toolStarted('a');
  dog.toolStarted('b');
  await clock.advance(3_600_000);
  dog.toolEnded('a');
  await clock.advance(3_600_000);
  expect(stalls).toEqual([]);
  dog.toolEnded('b');
  await clock.advance(10_000);
  expect(stalls).toHaveLength(1);
});

it('is silent once it was stopped', async () => {
  const { clock, dog, stalls } = watched(10);
  dog.stop();
  await clock.advance(60_000);
  expect(stalls).toEqual([]);
  expect(clock.pending).toBe(0);
});
