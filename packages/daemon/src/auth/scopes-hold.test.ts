import fc from 'fast-check';
import { expect, it, vi } from 'vitest';
import { ScopeScene, ScopeTrial } from '../../test-support/scope-trials.js';
import { TestDaemon } from '../../test-support/test-daemon.js';

vi.mock('../defaults.js', async (original) => ({ ...(await original<object>()), TOKEN_LOOKUP_MS: 100 }));

const { SCOPE_TRIALS } = process.env;

it('no operation is done without a token of its scope, whatever tokens are sent and however their store fails', async () => {
  await using daemon = await TestDaemon.start({ flags: { rate_limit_per_second: 0 } });
  const scene = await ScopeScene.open(daemon);
  let entered = 0;
  await fc.assert(
    fc.asyncProperty(ScopeTrial, async (trial) => {
      const { isIn, mayBeIn, status } = await scene.run(trial);
      if (!mayBeIn) expect([status, isIn]).toEqual([status, false]);
      if (isIn) entered++;
    }),
    SCOPE_TRIALS ? { numRuns: Number(SCOPE_TRIALS) } : { numRuns: 150, seed: 18 },
  );
  // What is always refused shows little.
  expect(entered).toBeGreaterThan(5);
});
