import { TempWorkspace } from '@amplifier/testkit';
import { expect, it } from 'vitest';
import { killTrees } from '../test-support/kill-trees.js';

it('trees killed at 500 random moments lose nothing and do nothing twice', async () => {
  await using workspace = await TempWorkspace.create();
  const { killed } = await killTrees({ folder: workspace.path, kills: 500, seed: 6 });
  expect(killed).toBeGreaterThanOrEqual(500);
}, 3_600_000);
