import { TempWorkspace } from '@amplifier/testkit';
import { expect, it } from 'vitest';
import { killDaemon } from '../test-support/kill-daemon.js';

it.each([1, 2, 3, 4])('50 kills at random moments under mixed load (seed %i)', async (seed) => {
  await using workspace = await TempWorkspace.create();
  const { acknowledged, sessions } = await killDaemon({ home: workspace.resolve('home'), kills: 50, seed });
  console.log(`seed ${seed}: 50 kills, ${acknowledged} acknowledged writes, ${sessions} sessions left`);
  expect(acknowledged).toBeGreaterThan(500);
});
