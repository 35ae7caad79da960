import fc from 'fast-check';
import { expect, it } from 'vitest';
import { LimitOptions, Limits, tightenLimits } from './limits.js';

const limits = fc
  .record({
    max_depth: fc.nat(5),
    max_children: fc.nat(100),
    max_concurrency: fc.integer({ min: 1, max: 10 }),
    max_turns: fc.integer({ min: 1, max: 100 }),
    max_tokens: fc.option(fc.nat(1000)),
    max_cost_usd: fc.option(fc.nat(1000).map((cents) => (cents / 100).toFixed(2))),
    timeout: fc.option(fc.integer({ min: 1, max: 900 })),
    stall: fc.option(fc.integer({ min: 1, max: 900 })),
  })
  .map((given) => Limits.parse(given));

it('limits are only ever tightened on the way down', () => {
  fc.assert(
    fc.property(limits, limits, (parent, wanted) => {
      const child = tightenLimits(parent, wanted);
      for (const key of Object.keys(parent) as (keyof Limits)[]) {
        const [above, below] = [parent[key], child[key]];
        if (above !== null) expect(Number(below)).toBeLessThanOrEqual(Number(above));
        if (above !== null) expect(below).not.toBeNull();
      }
    }),
  );
});

it('one limit that is asked for leaves the others as they are', () => {
  expect(LimitOptions.parse({ max_turns: 2 })).toEqual({ max_turns: 2 });
  const parent = Limits.parse({ max_depth: 9, timeout: null });
  expect(tightenLimits(parent, LimitOptions.parse({ max_turns: 2 }))).toEqual({ ...parent, max_turns: 2 });
});
