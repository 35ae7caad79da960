import { TempWorkspace } from '@amplifier/testkit';
import { expect, it } from 'vitest';
import { killRuns } from '../test-support/kill-runs.js';

it.each([1, 2, 3, 4])('50 kills at random moments while sessions work (seed %i)', async (seed) => {
  await using workspace = await TempWorkspace.create();
  const { runs, answers, told } = await killRuns({ folder: workspace.path, kills: 50, seed });
  console.log(
    `seed ${seed}: 50 kills, ${runs} runs and ${answers} answers acknowledged, ${told} events told`,
  );
  expect(runs).toBeGreaterThan(50);
});
