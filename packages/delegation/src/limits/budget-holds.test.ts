import fc from 'fast-check';
import { expect, it } from 'vitest';
import { BudgetTrial, openBudgetTrials } from '../../torture/budget-trials.js';

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

it('an answer stays an answer when the prices are gone by the time it is booked', async () => {
  await using trials = await openBudgetTrials();
  const trial = { max_tokens: null, max_cost_usd: '4', spend: null, allow_unpriced: false, price: 0.01 };
  const end = await trials.run({
    ...trial,
    lookups: ['known', 'known', 'known', 'throw'],
    acts: ['answer'],
    children: 0,
  });
  expect(end).toEqual({ calls: 1, faults: [], status: 'completed' });
});
