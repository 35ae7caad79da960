import { quietClock } from '@amplifier/core';
import { type Database, openDatabase, SqlRunQueue, SqlSessionStore, SqlShelf } from '@amplifier/sessions';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { Deliveries } from './deliveries.js';
import { DELIVERY, type WebhookRecord } from './webhook-record.js';
import { Webhooks } from './webhooks.js';

let database: Database;
let shelf: SqlShelf;
let queue: SqlRunQueue;
const hook = { id: 'whk_1' } as WebhookRecord;
const common = { allow_private: true, version: '1', clock: quietClock };

beforeEach(async () => {
  database = await openDatabase(':memory:');
  shelf = new SqlShelf(database);
  queue = new SqlRunQueue(database);
});
afterEach(async () => {
  await queue.close();
  await database.close();
});

/** Those of one process. */
const deliveries = () => new Deliveries({ ...common, shelf, queue: new SqlRunQueue(database) });

/** The process that does the work is killed after so many writes. */
async function killedAfter(writes: number, work: () => Promise<unknown>): Promise<void> {
  const write = database.write.bind(database);
  let left = writes;
  const limited: Database['write'] = (...args) =>
    left-- > 0 ? write(...args) : Promise.reject(new Error('killed'));
  const spy = vi.spyOn(database, 'write').mockImplementation(limited);
  await work().catch(() => undefined);
  spy.mockRestore();
}

const event = { id: 'e', name: 'session:updated', session_id: 's', seq: 3, time: '2026' };

/** A delivery as earlier versions stored it. */
async function store(id: string, status: string, more: object = {}): Promise<void> {
  const payload = JSON.stringify({ of: id });
  const created_at = '2026-01-01T00:00:00.000Z';
  const body = { id, webhook_id: hook.id, status, attempts: [], created_at, event, payload };
  await shelf.put(DELIVERY, id, { ...body, next_attempt_at: null, ...more });
}

it('a delivery that waits is not lost when the process is killed while it is sent again by hand', async () => {
  const order = { event, body: '{}', attempts: [], created_at: '2026-01-01T00:00:00.000Z' };
  await deliveries().add(hook, { id: 'dlv_1', ...order });
  for (let writes = 0; writes < 3; writes++) {
    await killedAfter(writes, () => deliveries().again(hook, 'dlv_1'));
    expect(await queue.get('dlv_1')).toMatchObject({ status: 'queued', session_id: hook.id });
  }
  expect(await deliveries().list(hook)).toMatchObject([{ id: 'dlv_1', status: 'pending' }]);
});

it('what an earlier version delivered cannot be claimed, wherever a process that takes it in is killed', async () => {
  await store('dlv_sent', 'delivered');
  await store('dlv_waiting', 'pending');
  for (let writes = 0; writes < 5; writes++) {
    await killedAfter(writes, () => deliveries().adopt());
    expect(await queue.get('dlv_sent')).toBeNull();
  }
  expect((await queue.list()).map(({ run_id, status }) => [run_id, status])).toEqual([
    ['dlv_waiting', 'queued'],
  ]);
});

it('two daemons take in deliveries of an earlier version at once, each delivery once', async () => {
  for (let at = 0; at < 5; at++) {
    await store(`dlv_sent${at}`, 'delivered');
    await store(`dlv_waiting${at}`, 'pending');
  }
  await Promise.all([deliveries().adopt(), deliveries().adopt()]);
  expect((await queue.list()).map(({ run_id }) => run_id)).toEqual(
    [0, 1, 2, 3, 4].map((at) => `dlv_waiting${at}`),
  );
  await deliveries().adopt();
  expect(await queue.list()).toHaveLength(5);
});

it('ended deliveries of an earlier version cost no write, and pending ones wait in the lines of their webhook', async () => {
  for (let at = 0; at < 30; at++) await store(`dlv_sent${at}`, 'failed');
  const { writes } = database;
  await deliveries().adopt();
  expect(database.writes).toBe(writes);
  const attempt = { at: '2026', status: 500, error: null, ms: 1 };
  for (let at = 0; at < 40; at++) {
    const next_attempt_at = `2026-01-01T00:00:${59 - at}.000Z`;
    await store(`dlv_${at}`, 'pending', { attempts: [attempt], next_attempt_at });
  }
  await deliveries().adopt();
  const runs = await queue.list();
  expect(runs).toHaveLength(40);
  expect(new Set(runs.map(({ line }) => line))).toEqual(
    new Set(['whk_1_0_1', 'whk_1_1_1', 'whk_1_2_1', 'whk_1_3_1']),
  );
  // The first of a line is due first.
  const times = runs.map(({ not_before }) => not_before);
  expect(times).toEqual(times.toSorted());
});

it('binds the queue once for each tenant', async () => {
  const on = vi.spyOn(queue, 'on');
  const sender = new Deliveries({ ...common, shelf, queue });
  for (const [id, tenant] of [
    ['dlv_1', 'team-a'],
    ['dlv_2', 'team-b'],
    ['dlv_3', 'team-a'],
  ] as const)
    await sender.add({ ...hook, tenant }, { id, event, body: '{}', attempts: [], created_at: '2026' });
  expect(on).toHaveBeenCalledTimes(2);
  expect((await queue.list()).map(({ tenant }) => tenant)).toEqual(['team-a', 'team-b', 'team-a']);
});

it('a daemon forgets the lines of a webhook that is deleted', async () => {
  await using sessions = new SqlSessionStore(database);
  const report = () => {};
  const webhooks = new Webhooks({ ...common, shelf, queue, store: sessions, report });
  await using log = await sessions.create({ session_id: 's' });
  const wish = { url: 'http://127.0.0.1:1/', events: ['session:updated'], description: null };
  const lines: string[] = [];
  for (const name of ['one', 'two']) {
    const { id } = await webhooks.create(wish, 'same');
    await log.update({ name });
    await expect.poll(() => queue.list({ session_id: id, status: 'queued' })).toHaveLength(1);
    lines.push(...(await queue.list({ session_id: id, status: 'queued' })).map(({ line }) => line));
    await webhooks.remove(id);
  }
  expect(new Set(lines).size).toBe(1);
  await webhooks.close();
});
