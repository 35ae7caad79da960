import fc from 'fast-check';
import { expect, it } from 'vitest';
import { mayAct, TrustTrial, wouldAct } from '../../test-support/trust-trials.js';

/** Trials wait for the disk most of the time, so several are under way. */
const AT_ONCE = 10;
const { TRUST_TRIALS } = process.env;

it('nothing of a folder acts that nobody trusts, whatever is in it and however the yes cannot be read', async () => {
  let acts = 0;
  const trials = fc.array(TrustTrial, { minLength: AT_ONCE, maxLength: AT_ONCE });
  await fc.assert(
    fc.asyncProperty(trials, async (some) => {
      const acted = await Promise.all(some.map(wouldAct));
      acts += acted.filter(Boolean).length;
      expect(some.filter((trial, at) => acted[at] && !mayAct(trial))).toEqual([]);
    }),
    TRUST_TRIALS ? { numRuns: Number(TRUST_TRIALS) / AT_ONCE } : { numRuns: 3, seed: 18 },
  );
  // What never acts shows little.
  expect(acts).toBeGreaterThan(1);
});
