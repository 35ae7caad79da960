import { expect, it } from 'vitest';
import { growTrees } from './random-trees.js';

it('10,000 random trees keep authority, cost and terminal events in order', async () => {
  const { sessions } = await growTrees({ count: 10_000, at_once: 50, seed: 1 });
  expect(sessions).toBeGreaterThan(10_000);
}, 3_600_000);
