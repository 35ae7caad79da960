import fc from 'fast-check';
import { expect, it } from 'vitest';
import { GrantScene, GrantTrial } from '../../test-support/grant-trials.js';

const { GRANT_TRIALS } = process.env;

it('no tool reads or changes what the grant does not say, whatever paths, links, grants and sandboxes are', async () => {
  await using scene = await GrantScene.open();
  let acts = 0;
  await fc.assert(
    fc.asyncProperty(GrantTrial, async (trial) => {
      const { faults, acted } = await scene.run(trial);
      expect(faults).toEqual([]);
      if (acted) acts++;
    }),
    GRANT_TRIALS ? { numRuns: Number(GRANT_TRIALS) } : { numRuns: 150, seed: 18 },
  );
  // What is always refused shows little.
  expect(acts).toBeGreaterThan(10);
});
