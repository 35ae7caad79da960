import { openSessionStore } from '@amplifier/sessions';
import { TempWorkspace, VirtualClock } from '@amplifier/testkit';
import { expect, it } from 'vitest';
import { LogPool } from './log-pool.js';
import { pooledStore } from './pooled-store.js';

async function pool() {
  const workspace = await TempWorkspace.create();
  const clock = new VirtualClock();
  const store = await openSessionStore(workspace.resolve('record.db'), { clock });
  const logs = new LogPool(store, clock);
  logs.adopt(await store.create({ session_id: 's' }));
  return {
    store,
    logs,
    turns: pooledStore(store, logs, null),
    async [Symbol.asyncDispose]() {
      await logs.close();
      await store.close();
      await workspace[Symbol.asyncDispose]();
    },
  };
}
const note = (name: string) => (log: { appendEvents(events: { name: string }[]): Promise<unknown> }) =>
  log.appendEvents([{ name }]);

it('lets facts be added while a turn runs, and nothing that gets in its way', async () => {
  await using bench = await pool();
  const turn = await bench.turns.open('s');
  await turn.appendEvents([{ name: 'turn:one' }]);
  await bench.logs.share('s', note('fact'));
  await expect(bench.logs.use('s', note('message'))).rejects.toMatchObject({ code: 'SESSION_LOCKED' });
  await expect(bench.turns.open('s')).rejects.toMatchObject({ code: 'SESSION_LOCKED' });
  await expect(bench.logs.release('s')).rejects.toMatchObject({ code: 'SESSION_LOCKED' });
  const free = bench.logs.free('s');
  await turn.close();
  await free;
  await bench.logs.use('s', note('message'));
  const names = (await bench.store.events('s')).map(({ name }) => name);
  expect(names).toEqual(['session:created', 'turn:one', 'fact', 'message']);
});

it('begins a turn only when requests under way are done', async () => {
  await using bench = await pool();
  let finish = () => {};
  let request: Promise<void> = Promise.resolve();
  await new Promise<void>((entered) => {
    request = bench.logs.use('s', () => {
      entered();
      return new Promise<void>((resolve) => {
        finish = resolve;
      });
    });
  });
  let began = false;
  const turn = bench.turns.open('s').then((log) => {
    began = true;
    return log;
  });
  await bench.logs.share('s', note('fact'));
  expect(began).toBe(false);
  finish();
  await request;
  await (await turn).close();
});

it('lets nothing of a turn through once it is cut off, as if its process had died', async () => {
  await using bench = await pool();
  const turn = await bench.turns.open('s');
  const child = await bench.turns.create({ session_id: 'c', parent_id: 's' });
  bench.logs.cutOff();
  for (const log of [turn, child]) {
    await expect(log.appendEvents([{ name: 'late' }])).rejects.toMatchObject({ code: 'LOG_CLOSED' });
    await expect(log.transition('active')).rejects.toMatchObject({ code: 'LOG_CLOSED' });
    await log.close();
  }
  const next = await bench.turns.open('s');
  await expect(next.update({ name: 'x' })).rejects.toMatchObject({ code: 'LOG_CLOSED' });
  await next.close();
  expect(await bench.store.metadata('s')).toMatchObject({ status: 'created', name: null });
});

it('shows the store a newer lease', async () => {
  await using bench = await pool();
  const turn = await bench.turns.open('s', { lease: 5 });
  expect((await bench.store.owner('s'))?.lease).toBe(5);
  await turn.close();
});

it('cuts off a child that is created or opened below a turn that was cut off, and no other', async () => {
  await using bench = await pool();
  const parent = await bench.turns.open('s');
  await (await bench.turns.create({ session_id: 'before', parent_id: 's' })).close();
  bench.logs.cutOff(['s']);
  const created = await bench.turns.create({ session_id: 'during', parent_id: 's' });
  const opened = await bench.turns.open('before');
  const other = await bench.turns.create({ session_id: 'other' });
  for (const log of [parent, created, opened])
    await expect(note('late')(log)).rejects.toMatchObject({ code: 'LOG_CLOSED' });
  await note('fact')(other);
  for (const log of [created, opened, other, parent]) await log.close();
  const again = await bench.turns.open('s');
  const next = await bench.turns.create({ session_id: 'next', parent_id: 's' });
  await note('fact')(next);
  await next.close();
  await again.close();
});
