import type { ChatRequest } from '@amplifier/core';
import { seededRandom } from '@amplifier/testkit';
import { describe, expect, it } from 'vitest';
import { delegating, delegationBench, type Scene } from '../../test-support/delegation-bench.js';

/** A model that keeps the bound it is given and otherwise uses what it likes. */
function usageWithin({ messages, tools, max_output_tokens = 0 }: ChatRequest, random: () => number) {
  const input = Math.floor((JSON.stringify(messages).length + JSON.stringify(tools ?? []).length) / 4);
  return {
    input_tokens: Math.floor(random() * input),
    output_tokens: Math.floor(random() * (max_output_tokens + 1)),
  };
}

describe('the budget of a tree', () => {
  it.each([1, 2, 3])('holds with 64 children in parallel, seed %i', async (seed) => {
    const random = seededRandom(seed);
    const max_tokens = 60_000;
    let spent = 0;
    const scene: Scene = (request, { system, calls }) => {
      const usage = usageWithin(request, random);
      spent += usage.input_tokens + usage.output_tokens;
      const task = { agent: 'explorer', instruction: 'Look.', context_depth: 'none' };
      if (system.includes('root') && calls === 0)
        return {
          ...delegating(...Array.from({ length: 64 }, () => task)),
          usage: { ...usage, output_tokens: 1 },
        };
      return calls < 2 && !system.includes('root')
        ? { text: 'More.', tool_calls: [{ name: 'echo' }], usage }
        : { text: 'Done.', usage };
    };
    await using bench = await delegationBench({ scene });
    const { session_id } = await bench.root('Go.', { limits: { max_tokens, max_concurrency: 64 } });
    const { total_tokens } = await bench.delegator.control.subtreeUsage(session_id);
    expect(total_tokens).toBeLessThanOrEqual(max_tokens);
    expect(total_tokens).toBeLessThanOrEqual(spent);
    const children = await bench.store.children(session_id);
    const ends = await Promise.all(
      children.map(async (child) => (await bench.delegator.control.status(child.session_id)).outcome),
    );
    expect(ends).toHaveLength(64);
    for (const outcome of ends) expect(['completed', 'limit']).toContain(outcome?.status);
    expect(ends.some((outcome) => outcome?.status === 'limit')).toBe(true);
  });

  it('a grant that limits spending limits the budget', async () => {
    const scene: Scene = (_, { calls }) => ({
      text: 'x',
      tool_calls: calls < 5 ? [{ name: 'echo' }] : [],
      usage: { input_tokens: 1, output_tokens: 1, cost_usd: '0.4' },
    });
    await using bench = await delegationBench({ scene });
    const { FULL_GRANT } = await import('@amplifier/workspace');
    const { outcome } = await bench.root('Go.', {
      grant: { ...FULL_GRANT, spend: '1' },
      limits: { allow_unpriced: true },
    });
    expect(outcome).toMatchObject({
      status: 'limit',
      limit: { kind: 'cost' },
      turn_count: expect.any(Number),
    });
    expect(Number(outcome.cost)).toBeLessThan(1.5);
  });
});
