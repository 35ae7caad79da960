import type { Liveness } from '@amplifier/core';
import { TempWorkspace, VirtualClock } from '@amplifier/testkit';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { SqliteDatabase } from '../database/sqlite-database.js';
import { openSessionStore, openShelf } from '../open-record.js';
import { SqlShelf } from './sql-shelf.js';

const identity = { host: 'test', boot: null, namespace: null, start: null };

describe('a shelf', () => {
  const clock = new VirtualClock();
  const dead = new Set<number>();
  const living = (pid: number): Liveness => ({
    self: { pid, ...identity },
    isAlive: (other) => !dead.has(other.pid),
  });
  let folder: TempWorkspace;
  let database: SqliteDatabase;
  beforeEach(async () => {
    folder = await TempWorkspace.create();
    database = await SqliteDatabase.open(folder.resolve('record.db'));
  });
  afterEach(async () => {
    await database.close();
    await folder[Symbol.asyncDispose]();
  });
  const shelf = (pid: number) => new SqlShelf(database, { clock, liveness: living(pid) });

  it('keeps what is put there until it is taken or over', async () => {
    const [one, other] = [shelf(1), shelf(2)];
    expect(await one.add('hook', 'a', { n: 1 })).toBe(true);
    expect(await other.add('hook', 'a', { n: 2 })).toBe(false);
    await other.put('hook', 'b', { n: 3 }, clock.now() + 1_000);
    expect(await one.all('hook')).toEqual([{ n: 1 }, { n: 3 }]);
    await clock.advance(1_000);
    expect([await one.get('hook', 'b'), await one.all('hook')]).toEqual([null, [{ n: 1 }]]);
    await one.sweep();
    expect([await one.take('hook', 'a'), await other.take('hook', 'a')]).toEqual([{ n: 1 }, null]);
  });

  it('lets one process at a time do something, and the next when that one is dead or silent', async () => {
    const [one, other] = [shelf(1), shelf(2)];
    const ends = { until: clock.now() + 100_000, heldMs: 1_000 };
    const begin = (who: SqlShelf, name: string) => who.begin('key', name, { by: 'first' }, ends);
    expect(await begin(one, 'a')).toMatchObject({ state: 'new' });
    expect(await begin(other, 'a')).toMatchObject({ state: 'held' });
    dead.add(1);
    expect(await begin(other, 'a')).toEqual({ state: 'left', body: { by: 'first' } });
    await other.put('key', 'a', { by: 'done' }, ends.until);
    expect(await begin(one, 'a')).toEqual({ state: 'done', body: { by: 'done' } });
    expect(await begin(other, 'b')).toMatchObject({ state: 'new' });
    await clock.advance(1_000);
    expect(await begin(shelf(3), 'b')).toMatchObject({ state: 'left' });
    await shelf(3).leave('key', 'b');
    expect(await begin(other, 'b')).toMatchObject({ state: 'left' });
  });
});

it('a shelf that is closed twice closes the record for nobody else', async () => {
  await using folder = await TempWorkspace.create();
  const file = folder.resolve('record.db');
  await using store = await openSessionStore(file);
  const shelf = await openShelf(file);
  await shelf.close();
  await shelf.close();
  expect(await store.has('none')).toBe(false);
});
