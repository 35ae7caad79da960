import { existsSync } from 'node:fs';
import { fixRecord, placeDatabase } from '@amplifier/host';
import {
  all,
  type Database,
  openDatabase,
  openSessionStore,
  SqlRunQueue,
  SqlSessionStore,
  SqlShelf,
  shareDatabase,
} from '@amplifier/sessions';
import { TempWorkspace } from '@amplifier/testkit';
import { expect, it } from 'vitest';
import { bindDatabase, bindStatement, openForTenant } from './bind-database.js';

const bound = (tenant: string) => (database: Database) => bindDatabase(database, tenant);

it('every form of statement is bound to the rows of the tenant', () => {
  const mine = (table: string) => `(SELECT * FROM ${table} WHERE tenant = 't')`;
  for (const [sql, bound] of [
    ['SELECT 1 FROM sessions WHERE n = ?', `SELECT 1 FROM ${mine('sessions')} sessions WHERE n = ?`],
    [
      'SELECT * FROM events e JOIN sessions s ON s.n = e.session LEFT JOIN runs ON 1 = 1',
      `SELECT * FROM events e JOIN ${mine('sessions')} s ON s.n = e.session LEFT JOIN ${mine('runs')} runs ON 1 = 1`,
    ],
    [
      'UPDATE runs SET a = (SELECT 1 FROM shelf WHERE b) WHERE seq = 1 OR seq = 2 RETURNING *',
      `UPDATE runs SET a = (SELECT 1 FROM ${mine('shelf')} shelf WHERE b) WHERE tenant = 't' AND (seq = 1 OR seq = 2) RETURNING *`,
    ],
    [
      'DELETE FROM sessions WHERE n NOT IN (SELECT log FROM bases)',
      "DELETE FROM sessions WHERE tenant = 't' AND (n NOT IN (SELECT log FROM bases))",
    ],
    ['DELETE FROM events WHERE session = ?', 'DELETE FROM events WHERE session = ?'],
  ] as const)
    expect(bindStatement(sql, 't')).toBe(bound);
  expect(() => bindStatement('UPDATE runs SET a = 1', 't')).toThrow('without a condition');
  for (const sql of [
    'SELECT 1 FROM events e, sessions s WHERE s.n = e.session',
    'SELECT 1 FROM main.sessions',
    'SELECT 1 FROM "sessions"',
    'SELECT 1 FROM\nsessions',
    'WITH one AS (SELECT 1) UPDATE sessions SET name = NULL WHERE n = 1',
    'SELECT 1; UPDATE sessions SET name = NULL WHERE n = 1',
  ])
    expect(() => bindStatement(sql, 't')).toThrow('cannot be bound');
  expect(() => bindStatement('SELECT 1', "t' OR '1")).toThrow('cannot be the name of a tenant');
});

it('what comes of a session is its tenant’s, and what a tenant uses in a day is counted for it and its token', async () => {
  await using database = await openDatabase(':memory:');
  await using store = new SqlSessionStore(database);
  await using queue = new SqlRunQueue(database, { limits: () => ({ all: 2, each: 1 }) });
  const [a, b] = [store.on(bound('a')), store.on(bound('b'))];
  const root = await a.create({ session_id: 'root' });
  // Whoever executes runs serves everybody.
  const child = await store.create({ session_id: 'child', parent_id: 'root' });
  const fork = await store.fork('root', { session: { session_id: 'fork' } });
  await store.create({ session_id: 'other' });
  expect((await a.list()).sessions.map(({ session_id }) => session_id).sort()).toEqual([
    'child',
    'fork',
    'root',
  ]);
  expect((await b.list()).sessions).toEqual([]);
  for (const attempt of [
    () => b.metadata('child'),
    () => b.open('root'),
    () => b.fork('root'),
    () => b.send({ to: 'root', kind: 'message', body: {} }),
    () => b.delete('fork', { force: true }),
    () => b.export('root'),
  ])
    await expect(attempt()).rejects.toMatchObject({ code: 'SESSION_NOT_FOUND' });
  await expect(b.create({ session_id: 'root' })).rejects.toMatchObject({ code: 'SESSION_EXISTS' });
  await queue.enqueue({ session_id: 'root', kind: 'run', run_id: 'r1', caller: 'x' });
  await queue.enqueue({ session_id: 'fork', kind: 'run', run_id: 'r2', caller: 'x' });
  await queue.enqueue({ session_id: 'child', kind: 'run', run_id: 'r3', caller: 'y' });
  expect(await queue.on(bound('b')).get('r1')).toBeNull();
  await expect(
    queue.on(bound('b')).enqueue({ session_id: 'x', kind: 'run', run_id: 'r1' }),
  ).rejects.toMatchObject({
    code: 'RUN_EXISTS',
  });
  const first = await queue.claim();
  const second = await queue.claim();
  // The second of token x waits although it came before.
  expect([first?.run, second?.run]).toMatchObject([
    { run_id: 'r1', tenant: 'a', caller: 'x' },
    { run_id: 'r3', tenant: 'a' },
  ]);
  expect(await queue.claim()).toBeNull();
  const usage = { input_tokens: 3, output_tokens: 4, total_tokens: 7, cost_usd: '0.25' };
  for (const log of [root, child]) await log.appendEvents([{ name: 'llm:response', data: { usage } }]);
  expect(await database.read(() => all('SELECT tenant, caller, tokens, cost FROM spent'), 'all')).toEqual([
    { tenant: 'a', caller: 'y', tokens: 14, cost: 500_000_000 },
  ]);
  const shelf = new SqlShelf(database);
  await shelf.on(bound('a')).put('thing', 'n', 1);
  await shelf.on(bound('b')).put('thing', 'n', 2);
  expect([await shelf.get('thing', 'n'), await shelf.on(bound('b')).get('thing', 'n')]).toEqual([1, null]);
  await fork.close();
});

it('a name that stands for what a tenant may see leads nowhere else, and the record is closed with its last user', async () => {
  await using folder = await TempWorkspace.create();
  const [record, name] = [folder.resolve('record.db'), folder.resolve('tenant.db')];
  const whole = await openSessionStore(record);
  const { database, release } = await shareDatabase(record);
  const read = () => database.read(() => all('SELECT 1 AS one'));
  await (await whole.create({ session_id: 'others' })).close();
  fixRecord(name, () => openForTenant(record, 'a'));
  for (const environment of [{}, { AMPLIFIER_DATABASE: 'postgres://127.0.0.1:1/none' }])
    await placeDatabase(name, environment);
  await using own = await openSessionStore(name);
  await (await own.create({ session_id: 'mine' })).close();
  expect((await own.list()).sessions.map(({ session_id }) => session_id)).toEqual(['mine']);
  expect(existsSync(name)).toBe(false);
  // Closed twice, it is given back once.
  const again = await openDatabase(name);
  await again.close();
  await again.close();
  await whole.close();
  await release();
  expect(await own.has('others')).toBe(false);
  expect(await read()).toEqual([{ one: 1 }]);
  await own.close();
  await expect(read()).rejects.toThrow();
});
