import { VirtualClock } from '@amplifier/testkit';
import { expect, it } from 'vitest';
import type { Diagnostic } from '../kernel/diagnostics.js';
import { everySoOften, SupervisedLoop } from './supervised-loop.js';

/** Items that a test puts in, as a source that can be made to fail. */
function source() {
  const items: (string | Error)[] = [];
  let wake = () => {};
  let opened = 0;
  return {
    get opened() {
      return opened;
    },
    put(...more: (string | Error)[]) {
      items.push(...more);
      wake();
    },
    async *open(signal: AbortSignal) {
      opened++;
      signal.addEventListener('abort', () => wake());
      while (!signal.aborted) {
        const item = items.shift();
        if (item instanceof Error) throw item;
        if (item !== undefined) yield item;
        else
          await new Promise<void>((resolve) => {
            wake = resolve;
          });
      }
    },
  };
}

/** Until everything that is ready to go on has gone on. */
const settle = () => new Promise<void>((resolve) => setImmediate(resolve));

function bench(serve: (item: string) => Promise<void> | void, limit = 1) {
  const clock = new VirtualClock();
  const from = source();
  const told: Diagnostic[] = [];
  const aside: string[] = [];
  const loop = new SupervisedLoop<string>({
    name: 'test',
    clock,
    report: (diagnostic) => told.push(diagnostic),
    items: (signal) => from.open(signal),
    serve,
    nameOf: (item) => `item ${item}`,
    setAside: async (item) => {
      aside.push(item);
      if (item === 'worst') throw new Error('cannot even be set aside');
    },
    limit,
  });
  const stop = new AbortController();
  const running = loop.run(stop.signal);
  return { clock, from, told, aside, loop, stop, running };
}

it('sets a bad item aside, tells of it and goes on, whether it fails at once or later', async () => {
  const served: string[] = [];
  const { from, told, aside, loop, stop, running } = bench((item) => {
    if (item === 'sync') throw new Error('bad at once');
    return (async () => {
      await settle();
      if (item === 'bad' || item === 'worst') throw new Error('bad');
      served.push(item);
    })();
  });
  from.put('a', 'sync', 'bad', 'worst', 'b');
  while (served.length < 2) await settle();
  expect(served).toEqual(['a', 'b']);
  expect(aside).toEqual(['sync', 'bad', 'worst']);
  expect(loop.health).toMatchObject({ set_aside: 3, failures: 0, last_error: { item: 'item worst' } });
  expect(told.map(({ code }) => code)).toEqual(Array(4).fill('ITEM_SET_ASIDE'));
  stop.abort();
  await running;
  expect(loop.health.state).toBe('stopped');
});

it('opens a failing source again, later and later, says so meanwhile, and is well when that lasts', async () => {
  const served: string[] = [];
  const { clock, from, told, loop, stop, running } = bench((item) => void served.push(item));
  const full = Object.assign(new Error('no space left'), { code: 'ENOSPC' });
  from.put('a', full, full, 'b');
  await settle();
  expect(loop.health).toMatchObject({
    state: 'retrying',
    failures: 1,
    last_error: { code: 'ENOSPC', item: null },
  });
  await clock.advance(199);
  expect(from.opened).toBe(1);
  await clock.advance(1);
  await settle();
  expect([from.opened, loop.health.failures]).toEqual([2, 2]);
  await clock.advance(399);
  expect(from.opened).toBe(2);
  await clock.advance(1);
  await settle();
  expect(served).toEqual(['a', 'b']);
  expect(loop.health).toMatchObject({ state: 'retrying', failures: 2 });
  await clock.advance(1_000);
  expect(loop.health).toMatchObject({ state: 'waiting', failures: 0 });
  expect(told.map(({ code }) => code)).toEqual(['LOOP_FAILED', 'LOOP_FAILED']);
  from.put(full);
  await settle();
  await clock.advance(200);
  expect(loop.health.state).toBe('retrying');
  await clock.advance(1_000);
  expect(loop.health.state).toBe('waiting');
  stop.abort();
  await running;
});

it('serves no more at once than it may, and ends while it waits for a place', async () => {
  let most = 0;
  let now = 0;
  const waiting: (() => void)[] = [];
  const { from, loop, stop, running } = bench(async () => {
    most = Math.max(most, ++now);
    await new Promise<void>((resolve) => waiting.push(resolve));
    now--;
  }, 2);
  from.put('a', 'b', 'c', 'd');
  await expect.poll(() => [most, loop.health.state]).toEqual([2, 'serving']);
  waiting.shift()?.();
  await expect.poll(() => [most, waiting.length]).toEqual([2, 2]);
  stop.abort();
  await running;
  for (const open of waiting) open();
  await Promise.all(loop.working);
  expect(loop.working.size).toBe(0);
});

it('looks at a list again and again', async () => {
  const clock = new VirtualClock();
  const stop = new AbortController();
  const seen: string[] = [];
  const looking = (async () => {
    for await (const item of everySoOften(clock, 100, () => ['x', 'y'], stop.signal)) seen.push(item);
  })();
  await clock.advance(100);
  await settle();
  await clock.advance(100);
  await settle();
  stop.abort();
  await looking;
  expect(seen).toEqual(['x', 'y', 'x', 'y']);
});

it('begins items that it serves at once in different turns of the event loop', async () => {
  let turn = 0;
  const count = () => {
    turn++;
    immediate = setImmediate(count);
  };
  let immediate = setImmediate(count);
  const began = new Set<number>();
  let all = () => {};
  const done = new Promise<void>((resolve) => {
    all = resolve;
  });
  const { from, stop, running } = bench((item) => {
    began.add(turn);
    if (item === 'last') all();
  }, 100);
  from.put(...Array.from({ length: 19 }, (_, index) => String(index)), 'last');
  await done;
  clearImmediate(immediate);
  expect(began.size).toBe(20);
  stop.abort();
  await running;
});
