import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { TempWorkspace } from '@amplifier/testkit';
import { expect, it, vi } from 'vitest';
import { PowerCut } from '../../test-support/power-cut.js';
import { openSessionStore } from '../open-record.js';
import { SqliteDatabase } from './sqlite-database.js';

const said = (content: string) => [{ role: 'user' as const, content }];

/** The contents of a session as they are after a power cut. Null when there is no such session. */
async function after(cut: PowerCut, session_id: string): Promise<unknown[] | null> {
  await using store = await openSessionStore(cut.copy());
  if (!(await store.has(session_id))) return null;
  return (await store.messages(session_id)).map(({ content }) => content);
}

it('finds after a power cut what was on disk, and everything before it, and a consistent record', async () => {
  await using workspace = await TempWorkspace.create();
  const file = workspace.resolve('record.db');
  await using store = await openSessionStore(file);
  using cut = new PowerCut(file);
  const log = await store.create({ session_id: 's' }, { messages: said('created') });
  expect(await after(cut, 's')).toEqual(['created']);
  await log.appendMessages(said('committed'), { durability: 'process' });
  const other = await store.create({ session_id: 'other' }, {}, { durability: 'process' });
  expect(await after(cut, 's')).toEqual(['created']);
  expect(await after(cut, 'other')).toBeNull();
  await other.appendMessages(said('on disk'));
  expect(await after(cut, 's')).toEqual(['created', 'committed']);
  expect(await after(cut, 'other')).toEqual(['on disk']);
  const trailing = log.appendMessages(said('trailing'), { trailing: true });
  await log.flush('process');
  expect(await after(cut, 's')).toEqual(['created', 'committed']);
  await log.flush();
  expect(await after(cut, 's')).toEqual(['created', 'committed', 'trailing']);
  await trailing;
  await using database = await SqliteDatabase.open(cut.copy());
  expect(await database.verify()).toEqual([]);
});

it('syncs once for all that wait at the same time, and not at all where nothing was committed', async () => {
  await using workspace = await TempWorkspace.create();
  await using store = await openSessionStore(workspace.resolve('record.db'));
  const logs = await Promise.all(Array.from({ length: 20 }, () => store.create()));
  // A commit that exceeds its time budget on a busy machine is split, and each part is synced.
  using _ = vi.spyOn(performance, 'now').mockReturnValue(0);
  const { syncs } = store.counts;
  await Promise.all(logs.map((log) => log.appendMessages(said('x'))));
  expect(store.counts.syncs - syncs).toBe(1);
  await Promise.all(logs.map((log) => log.flush()));
  expect(store.counts.syncs - syncs).toBe(1);
});

it('accepts nothing more once the disk has failed to sync', async () => {
  await using workspace = await TempWorkspace.create();
  const store = await openSessionStore(workspace.resolve('record.db'));
  const log = await store.create({ session_id: 's' });
  const { fdatasync } = fs;
  const failing = (_: number, done: fs.NoParamCallback) =>
    setImmediate(() => done(Object.assign(new Error('EIO: i/o error, fdatasync'), { code: 'EIO' })));
  Object.assign(fs, { fdatasync: failing });
  syncBuiltinESMExports();
  try {
    await expect(log.appendMessages(said('lost'))).rejects.toMatchObject({ code: 'STORAGE_FAILED' });
  } finally {
    Object.assign(fs, { fdatasync });
    syncBuiltinESMExports();
  }
  await expect(log.appendMessages(said('more'))).rejects.toMatchObject({ code: 'LOG_BROKEN' });
  await expect(store.create()).rejects.toMatchObject({ code: 'STORAGE_FAILED' });
  await expect(store.close()).rejects.toMatchObject({ code: 'STORAGE_FAILED' });
});

it('refuses a session created without waiting whose id is taken at its first write', async () => {
  await using workspace = await TempWorkspace.create();
  await using store = await openSessionStore(workspace.resolve('record.db'));
  await (await store.create({ session_id: 's' }, { messages: said('first') })).close();
  const log = await store.create({ session_id: 's' }, { messages: said('second') }, { trailing: true });
  await expect(log.appendMessages(said('third'))).rejects.toMatchObject({ code: 'SESSION_EXISTS' });
  await expect(log.flush()).rejects.toMatchObject({ code: 'LOG_BROKEN' });
  await log.close();
  expect((await store.messages('s')).map(({ content }) => content)).toEqual(['first']);
});
