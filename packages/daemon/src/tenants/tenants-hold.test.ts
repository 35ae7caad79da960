import fc from 'fast-check';
import { expect, it } from 'vitest';
import { RunBench } from '../../test-support/run-bench.js';
import { TenantScene, TenantTrial } from '../../test-support/tenant-trials.js';

const { TENANT_TRIALS } = process.env;
const BATCH = 30;

it('nothing of another tenant is ever seen or changed, whatever is asked for by whichever way', async () => {
  const flags = {
    rate_limit_per_second: 0,
    allow_private_webhooks: true,
    tenants: { 'team-a': {}, 'team-b': {} },
  };
  await using bench = await RunBench.start(flags, { AMPLIFIER_DATABASE: process.env.TENANT_DATABASE ?? '' });
  await using scene = await TenantScene.open(bench);
  const batches = Math.ceil(Number(TENANT_TRIALS ?? 120) / BATCH);
  const batch = fc.record({
    who: fc.constantFrom(0, 1),
    trials: fc.array(TenantTrial, { minLength: BATCH, maxLength: BATCH }),
  });
  await fc.assert(
    fc.asyncProperty(batch, async ({ who, trials }) => {
      const other = scene.teams[1 - who] ?? scene.teams[0];
      const before = await scene.stateOf(other);
      for (const trial of trials) expect(await scene.run(who as 0 | 1, trial)).toBeNull();
      expect(await scene.stateOf(other)).toBe(before);
    }),
    { numRuns: batches, ...(TENANT_TRIALS ? {} : { seed: 24 }), endOnFailure: true },
  );
  expect([scene.overheard(0), scene.overheard(1)]).toEqual([null, null]);
  expect(scene.teams.map(({ heard }) => heard.length > 0)).toEqual([true, true]);
  // What is always refused shows little.
  expect(scene.served).toBeGreaterThan(batches * 3);
});
