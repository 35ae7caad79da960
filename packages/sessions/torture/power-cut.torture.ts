import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { TempWorkspace } from '@amplifier/testkit';
import { expect, it } from 'vitest';
import { loadSqlite } from '../src/database/load-sqlite.js';
import { openSessionStore } from '../src/open-record.js';

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

const FOUND = `SELECT (SELECT count(*) FROM messages) AS messages, (SELECT count(*) FROM events) AS events,
  (SELECT count(*) FROM sessions) AS sessions, (SELECT max(message_count) FROM sessions) AS counted`;

it('a power cut at every single byte of a transaction leaves all of it or nothing', async () => {
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
  const { DatabaseSync } = await loadSqlite();
  const [database, wal] = [readFileSync(file), readFileSync(`${file}-wal`)];
  const cut = workspace.resolve('cut.db');
  const outcomes = new Map<string, number>();
  for (let length = start; length <= wal.length; length++) {
    for (const tail of ['', '-wal', '-shm']) rmSync(`${cut}${tail}`, { force: true });
    writeFileSync(cut, database);
    writeFileSync(`${cut}-wal`, wal.subarray(0, length));
    const after = new DatabaseSync(cut);
    // Nothing hangs on what becomes of the copy.
    after.exec('PRAGMA synchronous = OFF');
    const found = JSON.stringify(after.prepare(FOUND).get());
    if (length % 100 === 0)
      expect(after.prepare('PRAGMA integrity_check').get()).toEqual({ integrity_check: 'ok' });
    after.close();
    // The library gives up its files when its statements are collected.
    if (length % 500 === 0) {
      collect();
      await new Promise(setImmediate);
    }
    outcomes.set(found, (outcomes.get(found) ?? 0) + 1);
  }
  console.log(`${wal.length - start} bytes: ${JSON.stringify([...outcomes])}`);
  // A message has an entry in the feed, which is a row of `events`.
  expect([...outcomes]).toEqual([
    [JSON.stringify({ messages: 1, events: 2, sessions: 1, counted: 1 }), wal.length - start],
    [JSON.stringify({ messages: 2, events: 5, sessions: 2, counted: 2 }), 1],
  ]);
});
