import { expect, it } from 'vitest';
import { tryEditScript, tryHostileApply } from '../test-support/edit-scripts.js';
import { tryKilledApply } from '../test-support/kill-apply.js';

const AT_ONCE = 4;

async function inGroups<T>(
  count: number,
  attempt: (seed: number) => Promise<T>,
  atOnce = AT_ONCE,
): Promise<T[]> {
  const results: T[] = [];
  for (let start = 0; start < count; start += atOnce) {
    const seeds = Array.from({ length: Math.min(atOnce, count - start) }, (_, index) => start + index);
    results.push(...(await Promise.all(seeds.map(attempt))));
  }
  return results;
}

it('1,000 random edit scripts: apply then undo is the identity', async () => {
  const problems = (await inGroups(1000, tryEditScript)).filter((problem) => problem !== null);
  expect(problems).toEqual([]);
});

it('300 applies while folders turn into links that lead out change nothing out there', async () => {
  const problems = (await inGroups(300, tryHostileApply)).filter((problem) => problem !== null);
  expect(problems).toEqual([]);
});

it('200 applies killed at random moments leave the old or the new tree', async () => {
  // Recovery waits for the dead process's lock to go stale, so many may wait at once.
  const trials = await inGroups(200, tryKilledApply, 20);
  console.log(
    `${trials.filter((trial) => trial.in_the_middle).length} of 200 kills came in the middle of a change`,
  );
  expect(trials.flatMap(({ problem }) => problem ?? [])).toEqual([]);
});
