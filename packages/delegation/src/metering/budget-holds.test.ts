import fc from 'fast-check';
import { expect, it, vi } from 'vitest';
import { BudgetTrial, type Lookup, openBudgetTrials } from '../../test-support/budget-trials.js';

/** Nobody waits here for a price that does not come; one that does comes at once. */
vi.mock('../defaults.js', async (original) => ({ ...(await original<object>()), PRICE_LOOKUP_MS: 1 }));

const { BUDGET_TRIALS } = process.env;

it('no model is called without money and tokens set aside for it, whatever prices, limits and models do', async () => {
  await using trials = await openBudgetTrials();
  let called = 0;
  const ends = new Set<string>();
  await fc.assert(
    fc.asyncProperty(BudgetTrial, async (trial) => {
      const { calls, faults, status } = await trials.run(trial);
      expect(faults).toEqual([]);
      called += calls;
      ends.add(status);
    }),
    BUDGET_TRIALS ? { numRuns: Number(BUDGET_TRIALS) } : { numRuns: 60, seed: 18 },
  );
  // What is always refused shows little.
  expect(called).toBeGreaterThan(60);
  expect([...ends]).toEqual(expect.arrayContaining(['completed', 'limit']));
});

it.each(['throw', 'hang'] as const)(
  'an answer stays an answer when prices %s by the time it is booked, and without a price there is none',
  async (lookup) => {
    await using trials = await openBudgetTrials();
    const trial = { max_tokens: null, max_cost_usd: '4', spend: null, allow_unpriced: false, price: 0.01 };
    const end = (...lookups: Lookup[]) => trials.run({ ...trial, lookups, acts: ['answer'], children: 0 });
    expect(await end('known', 'known', 'known', lookup)).toEqual({
      calls: 1,
      faults: [],
      status: 'completed',
    });
    expect(await end(lookup)).toEqual({ calls: 0, faults: [], status: 'limit' });
  },
);
