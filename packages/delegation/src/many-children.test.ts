import { it } from 'vitest';
import { runManyAtOnce } from '../test-support/many-children.js';

it.each([
  ['on files', false],
  ['in memory', true],
])('100 children in parallel complete, each with one end and one result, %s', async (_, memory) => {
  await runManyAtOnce(100, { memory });
});
