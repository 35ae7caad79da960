import { expect, it } from 'vitest';
import { tryEditScript, tryHostileApply } from '../torture/edit-scripts.js';
import { tryKilledApply } from '../torture/kill-apply.js';

it('random edit scripts: apply then undo is the identity', async () => {
  const problems = await Promise.all(Array.from({ length: 6 }, (_, index) => tryEditScript(5000 + index)));
  expect(problems).toEqual(problems.map(() => null));
});

it('an apply that is killed leaves the old or the new tree', async () => {
  const trials = await Promise.all(Array.from({ length: 2 }, (_, index) => tryKilledApply(7000 + index)));
  expect(trials.map(({ problem }) => problem)).toEqual(trials.map(() => null));
});

it('apply and undo never reach through a folder that turned into a link', async () => {
  const problems = await Promise.all(Array.from({ length: 6 }, (_, index) => tryHostileApply(9000 + index)));
  expect(problems.filter((problem) => problem !== null)).toEqual([]);
});
