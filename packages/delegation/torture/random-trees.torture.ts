import { expect, it } from 'vitest';
import { growTrees } from '../test-support/random-trees.js';

it('10,000 random trees keep authority, cost and terminal events in order', async () => {
  const grown = await growTrees({ count: 10_000, at_once: 50, seed: 1, memory: true });
  console.log(JSON.stringify(grown));
  expect(grown.sessions).toBeGreaterThan(10_000);
}, 3_600_000);

it('so do 300 on files', async () => {
  const grown = await growTrees({ count: 300, at_once: 50, seed: 3, memory: false });
  console.log(JSON.stringify(grown));
  expect(grown.sessions).toBeGreaterThan(300);
}, 3_600_000);
