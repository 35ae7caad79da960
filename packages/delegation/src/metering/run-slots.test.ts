import { CancellationToken } from '@amplifier/core';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { RunSlots } from './run-slots.js';

const turn = () => new Promise<void>((resolve) => setImmediate(resolve));

describe('run slots', () => {
  it('are given in the order of asking, and never more than there are', async () => {
    const slots = new RunSlots(2);
    const order: number[] = [];
    let working = 0;
    const work = async (index: number) => {
      const slot = await slots.acquire();
      order.push(index);
      expect(++working).toBeLessThanOrEqual(2);
      await turn();
      working--;
      slot.release();
    };
    await Promise.all(Array.from({ length: 20 }, (_, index) => work(index)));
    expect(order).toEqual(Array.from({ length: 20 }, (_, index) => index));
  });

  it('are not held by a parent that waits for its children, however deep', async () => {
    const slots = new RunSlots(1);
    let ran = 0;
    const session = async (depth: number): Promise<void> => {
      const slot = await slots.acquire();
      ran++;
      if (depth > 0) await slot.whileWaiting(() => Promise.all([session(depth - 1), session(depth - 1)]));
      slot.release();
    };
    await session(6);
    expect(ran).toBe(127);
    expect(slots.waiting).toBe(0);
  });

  it('never deadlock and never overfill, for any tree and any number of slots', async () => {
    type Shape = { children: Shape[]; parallel: boolean };
    const shape: (depth: number) => fc.Arbitrary<Shape> = (depth) =>
      fc.record({
        parallel: fc.boolean(),
        children: depth === 0 ? fc.constant([]) : fc.array(shape(depth - 1), { maxLength: 3 }),
      });
    await fc.assert(
      fc.asyncProperty(shape(4), fc.integer({ min: 1, max: 4 }), async (root, count) => {
        const slots = new RunSlots(count);
        let working = 0;
        const run = async ({ children, parallel }: Shape): Promise<void> => {
          const slot = await slots.acquire();
          expect(++working).toBeLessThanOrEqual(count);
          await Promise.resolve();
          const wait = (child: Shape) => {
            working--;
            return slot.whileWaiting(() => run(child)).then(() => void working++);
          };
          if (parallel && children.length > 0) {
            working--;
            await Promise.all(children.map((child) => slot.whileWaiting(() => run(child))));
            working++;
          } else for (const child of children) await wait(child);
          working--;
          slot.release();
        };
        await run(root);
        expect(working).toBe(0);
      }),
      { numRuns: 200 },
    );
  });

  it('leave the line when the wait is called off', async () => {
    const slots = new RunSlots(1);
    const held = await slots.acquire();
    const stop = new CancellationToken();
    const waiting = slots.acquire(stop);
    stop.request('immediate');
    await expect(waiting).rejects.toThrow('Stopped while waiting for a run slot');
    held.release();
    (await slots.acquire()).release();
    expect(slots.waiting).toBe(0);
  });
});
