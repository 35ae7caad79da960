import { copyFile, readFile, writeFile } from 'node:fs/promises';
import { TempWorkspace } from '@amplifier/testkit';
import { expect, it } from 'vitest';
import { openSessionStore } from '../open-record.js';
import { SqliteDatabase } from './sqlite-database.js';

it('a power cut anywhere in a transaction leaves all of it or nothing', async () => {
  await using workspace = await TempWorkspace.create();
  const file = workspace.resolve('record.db');
  await using store = await openSessionStore(file);
  const log = await store.create({ session_id: 's' }, { messages: [{ role: 'user', content: 'before' }] });
  const place = { root_id: 's', depth: 1, trace_id: '0'.repeat(32) };
  const start = (await readFile(`${file}-wal`)).length;
  await Promise.all([
    log.appendMessages([{ role: 'assistant', content: 'x'.repeat(3_000) }]),
    log.appendEvents([{ name: 'with it' }]),
    store.create({ session_id: 'child', parent_id: 's', tool_call_id: 'c', ...place }),
  ]);
  const wal = await readFile(`${file}-wal`);
  expect(wal.length).toBeGreaterThan(start);
  const outcomes = new Set<string>();
  // Every frame's edges and a sample within: what is torn is never taken for whole.
  const frame = 4_096 + 24;
  const places = new Set<number>([start, wal.length, wal.length - 1]);
  for (let at = start; at < wal.length; at += frame)
    for (const by of [0, 1, 23, 24, 25, 2_000]) places.add(at + by);
  for (const length of [...places].filter((place) => place <= wal.length)) {
    const cut = workspace.resolve(`cut-${length}.db`);
    await copyFile(file, cut);
    await writeFile(`${cut}-wal`, wal.subarray(0, length));
    await using after = await openSessionStore(cut);
    const messages = (await after.messages('s')).length;
    const has = await after.has('child');
    const events = (await after.events('s')).map(({ name }) => name);
    outcomes.add(JSON.stringify([messages, has, events]));
    await using database = await SqliteDatabase.open(cut);
    expect(await database.verify()).toEqual([]);
  }
  expect([...outcomes].sort()).toEqual([
    JSON.stringify([1, false, ['session:created']]),
    JSON.stringify([2, true, ['session:created', 'with it']]),
  ]);
});
