import fc from 'fast-check';
import { expect, it } from 'vitest';
import { mayAct, TrustTrial, wouldAct } from '../../torture/trust-trials.js';

const { TRUST_TRIALS } = process.env;

it('nothing of a folder acts that nobody trusts, whatever is in it and however the yes cannot be read', async () => {
  let acts = 0;
  await fc.assert(
    fc.asyncProperty(TrustTrial, async (trial) => {
      const acted = await wouldAct(trial);
      if (!mayAct(trial)) expect(acted).toBe(false);
      if (acted) acts++;
    }),
    TRUST_TRIALS ? { numRuns: Number(TRUST_TRIALS) } : { numRuns: 30, seed: 18 },
  );
  // What never acts shows little.
  expect(acts).toBeGreaterThan(1);
});
