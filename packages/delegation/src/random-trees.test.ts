import { expect, it } from 'vitest';
import { growTrees } from '../test-support/random-trees.js';

it.each([
  ['in memory', { count: 24, memory: true }],
  ['on files', { count: 12, memory: false }],
])('random trees keep authority, cost and terminal events in order, %s', async (_, { count, memory }) => {
  const grown = await growTrees({ count, memory, at_once: 40, seed: 2 });
  expect(grown.sessions).toBeGreaterThan(count);
  expect(grown.fallbacks).toBeGreaterThan(0);
});
