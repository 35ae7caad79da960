import { expect, it } from 'vitest';
import { growTrees } from '../torture/random-trees.js';

it('random trees keep authority, cost and terminal events in order', async () => {
  const { sessions } = await growTrees({ count: 120, at_once: 40, seed: 2 });
  expect(sessions).toBeGreaterThan(120);
}, 60_000);
