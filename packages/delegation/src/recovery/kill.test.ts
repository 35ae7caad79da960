import { TempWorkspace } from '@amplifier/testkit';
import { expect, it } from 'vitest';
import { killTrees } from '../../test-support/kill-trees.js';

it('trees killed at random moments lose nothing and do nothing twice', async () => {
  await using workspace = await TempWorkspace.create();
  const { killed } = await killTrees({ folder: workspace.path, kills: 3, seed: 3 });
  expect(killed).toBeGreaterThanOrEqual(3);
}, 600_000);
