import { openSessionStore } from '@amplifier/sessions';
import { TempWorkspace, VirtualClock } from '@amplifier/testkit';
import { expect, it } from 'vitest';
import { LogPool } from './log-pool.js';

async function pool() {
  const workspace = await TempWorkspace.create();
  const clock = new VirtualClock();
  const store = await openSessionStore(workspace.resolve('record.db'), { clock });
  const logs = new LogPool(store, clock);
  logs.adopt(await store.create({ session_id: 's' }));
  return {
    store,
    logs,
    turns: logs.turnsIn(null),
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

it('lets nothing of a turn through once turns are revoked, and lets none begin', async () => {
  await using bench = await pool();
  const turn = await bench.turns.open('s');
  const child = await bench.turns.create({ session_id: 'c', parent_id: 's' });
  await bench.logs.revokeTurns();
  for (const log of [turn, child]) {
    await expect(log.appendEvents([{ name: 'late' }])).rejects.toMatchObject({ code: 'LOG_CLOSED' });
    await expect(log.transition('active')).rejects.toMatchObject({ code: 'LOG_CLOSED' });
    await log.close();
  }
  const late = await bench.turns.create({ session_id: 'late' });
  await expect(late.update({ name: 'x' })).rejects.toMatchObject({ code: 'LOG_CLOSED' });
  await late.close();
  await expect(bench.turns.open('s')).rejects.toMatchObject({ code: 'LOG_CLOSED' });
  expect(await bench.store.metadata('s')).toMatchObject({ status: 'created', name: null });
});

it('refuses what a turn writes after it has closed its log, and opens the session again after a revocation', async () => {
  await using bench = await pool();
  const turn = await bench.turns.open('s');
  await turn.close();
  await expect(note('late')(turn)).rejects.toMatchObject({ code: 'LOG_CLOSED' });
  const lost = await bench.turns.open('s');
  lost.revoke(new Error('lost'));
  await expect(bench.logs.share('s', note('fact'))).rejects.toThrow('lost');
  await lost.close();
  await bench.logs.share('s', note('fact'));
  const names = (await bench.store.events('s')).map(({ name }) => name);
  expect(names).toEqual(['session:created', 'fact']);
});

it('shows the store a newer lease', async () => {
  await using bench = await pool();
  const turn = await bench.turns.open('s', { lease: 5 });
  expect((await bench.store.owner('s'))?.lease).toBe(5);
  await turn.close();
});
