import { expect, it } from 'vitest';
import { delegating, delegationBench } from '../test-support/delegation-bench.js';

it('a new root with one delegation takes four commits: root, call with child, outcome with result, answer', async () => {
  await using bench = await delegationBench({
    scene: (_, { system, results }) =>
      system.includes('root') && results.length === 0
        ? delegating({ agent: 'explorer', instruction: 'Look.' })
        : { text: 'Done.' },
  });
  await bench.root('Go.');
  // Facts that may trail, and the lease of the process, are committed by time: on a busy machine one of these may come between.
  const commits: number[] = [];
  for (let round = 0; round < 8; round++) {
    const before = bench.store.commits;
    const { outcome } = await bench.root('Go.');
    expect(outcome).toMatchObject({ status: 'completed' });
    commits.push(bench.store.commits - before);
  }
  expect(Math.min(...commits)).toBeLessThanOrEqual(4);
});
