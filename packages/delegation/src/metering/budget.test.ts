import { addDecimals, compareDecimals } from '@amplifier/core';
import { seededRandom } from '@amplifier/testkit';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Budget, isRefusal } from './budget.js';

const turn = () => new Promise<void>((resolve) => setImmediate(resolve));
const UNLIMITED = { max_tokens: null, max_cost_usd: null, allow_unpriced: false };

describe('a budget', () => {
  it('is never exceeded by 64 children in parallel, whatever they use of what they reserved', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer(),
        fc.integer({ min: 0, max: 20_000 }),
        fc.boolean(),
        async (seed, max_tokens, priced) => {
          const random = seededRandom(seed);
          const max_cost_usd = (max_tokens / 1000).toFixed(3);
          const root = new Budget({ ...UNLIMITED, max_tokens, max_cost_usd: priced ? max_cost_usd : null });
          let spent = 0;
          const child = async () => {
            const budget = new Budget(random() < 0.3 ? { ...UNLIMITED, max_tokens: 1500 } : UNLIMITED, root);
            for (let call = 0; call < 3; call++) {
              const tokens = 1 + Math.floor(random() * 1000);
              const cost_usd = priced && random() < 0.8 ? (tokens / 1000).toFixed(3) : null;
              const held = await budget.reserve({ tokens, cost_usd });
              if (isRefusal(held)) return;
              if (random() < 0.5) await turn();
              const used = Math.floor(random() * (tokens + 1));
              spent += used;
              held.settle({ tokens: used, cost_usd: cost_usd === null ? null : (used / 1000).toFixed(3) });
              expect(root.spent.tokens).toBeLessThanOrEqual(max_tokens);
              expect(budget.spent.tokens).toBeLessThanOrEqual(1500 * (budget.caps.max_tokens ? 1 : 99));
            }
          };
          await Promise.all(Array.from({ length: 64 }, child));
          expect(root.spent.tokens).toBe(spent);
          expect(spent).toBeLessThanOrEqual(max_tokens);
          if (priced) expect(compareDecimals(root.spent.cost_usd, max_cost_usd)).toBeLessThanOrEqual(0);
        },
      ),
      { numRuns: 60 },
    );
  });

  it('makes a call wait for others to settle, and refuses one that would not fit even then', async () => {
    const budget = new Budget({ ...UNLIMITED, max_tokens: 100 });
    const first = await budget.reserve({ tokens: 80, cost_usd: null });
    const second = budget.reserve({ tokens: 50, cost_usd: null });
    expect(await budget.reserve({ tokens: 101, cost_usd: null })).toEqual({ refused: 'tokens' });
    if (isRefusal(first)) throw new Error('refused');
    first.settle({ tokens: 10, cost_usd: null });
    expect(isRefusal(await second)).toBe(false);
  });

  it('lets a call of unknown price run only alone, and none when nothing is left', async () => {
    const strict = new Budget({ ...UNLIMITED, max_cost_usd: '1' });
    expect(await strict.reserve({ tokens: 1, cost_usd: null })).toEqual({ refused: 'cost', unpriced: true });
    strict.restore({ tokens: 5, cost_usd: null });
    expect(await strict.reserve({ tokens: 1, cost_usd: '0.1' })).toEqual({ refused: 'cost', unpriced: true });
    const budget = new Budget({ ...UNLIMITED, max_cost_usd: '1', allow_unpriced: true });
    const alone = await budget.reserve({ tokens: 1, cost_usd: null });
    let waited = true;
    const other = budget.reserve({ tokens: 1, cost_usd: '0.1' }).then((held) => {
      waited = false;
      return held;
    });
    await turn();
    expect(waited).toBe(true);
    if (isRefusal(alone)) throw new Error('refused');
    alone.settle({ tokens: 1, cost_usd: '0.9' });
    const held = await other;
    if (isRefusal(held)) throw new Error('refused');
    held.settle({ tokens: 1, cost_usd: '0.1' });
    expect(budget.spent.cost_usd).toBe(addDecimals('0.9', '0.1'));
    expect(await budget.reserve({ tokens: 1, cost_usd: null })).toEqual({ refused: 'cost' });
  });

  it('asks every level above, and gives up waiting when told to', async () => {
    const root = new Budget({ ...UNLIMITED, max_tokens: 10 });
    const child = new Budget({ ...UNLIMITED, max_tokens: 1000 }, root);
    expect(await child.reserve({ tokens: 11, cost_usd: null })).toEqual({ refused: 'tokens' });
    expect(child.remaining.tokens).toBe(10);
    const held = await child.reserve({ tokens: 10, cost_usd: null });
    const stop = new AbortController();
    const waiting = child.reserve({ tokens: 5, cost_usd: null }, stop.signal);
    stop.abort();
    await expect(waiting).rejects.toThrow('Stopped while waiting');
    expect(isRefusal(held)).toBe(false);
  });
});
