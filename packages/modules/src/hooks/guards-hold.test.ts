import fc from 'fast-check';
import { expect, it } from 'vitest';
import { GuardTrial, isCertain, mayAct, runGuardTrial } from '../../test-support/guard-trials.js';

const { GUARD_TRIALS } = process.env;

it('nothing acts without the yes of every guard, whatever guards, people, memory and arguments do', async () => {
  await fc.assert(
    fc.asyncProperty(GuardTrial, async (trial) => {
      const { acts } = await runGuardTrial(trial);
      const most = mayAct(trial) ? 1 : 0;
      expect(acts).toBeLessThanOrEqual(most);
      if (isCertain(trial)) expect(acts).toBe(most);
    }),
    GUARD_TRIALS ? { numRuns: Number(GUARD_TRIALS) } : { numRuns: 100, seed: 18 },
  );
});
