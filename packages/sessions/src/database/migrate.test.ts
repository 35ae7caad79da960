import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { TempWorkspace } from '@amplifier/testkit';
import { expect, it } from 'vitest';
import { openSessionStore } from '../open-record.js';
import { get } from './database.js';
import { loadSqlite, sqliteModule } from './load-sqlite.js';
import { MIGRATIONS } from './schema.js';
import { SqliteDatabase } from './sqlite-database.js';

/** What the row of a session says that has nothing but its first event. */
const untouched = { status: 'created', event_count: 1, agent_invocations: 0, ended: null };

it('a record of a newer program is refused and left alone', async () => {
  await using folder = await TempWorkspace.create();
  const file = folder.resolve('record.db');
  const database = await SqliteDatabase.open(file);
  await database.read(() => get(`PRAGMA user_version = ${MIGRATIONS.length + 1}`));
  await database.compact();
  await database.close();
  const before = await readFile(file);
  await expect(openSessionStore(file)).rejects.toMatchObject({
    code: 'RECORD_TOO_NEW',
    message: expect.stringContaining('Use a newer amplifier'),
  });
  expect((await readFile(file)).equals(before)).toBe(true);
});

it('a process killed in the middle of a migration leaves a record that the next one migrates', async () => {
  await using folder = await TempWorkspace.create();
  const file = folder.resolve('record.db');
  const steps = MIGRATIONS.join('').replaceAll('{number}', 'INTEGER PRIMARY KEY').split(';');
  const script = `
    import { DatabaseSync } from '@photostructure/sqlite';
    const database = new DatabaseSync(process.argv[1]);
    database.exec('PRAGMA journal_mode = WAL; PRAGMA cache_size = 1; BEGIN IMMEDIATE');
    for (const step of JSON.parse(process.argv[2])) database.exec(step);
    process.kill(process.pid, 'SIGKILL');`;
  for (const half of [1, Math.floor(steps.length / 2), steps.length - 1]) {
    const args = ['--input-type=module', '-e', script, file, JSON.stringify(steps.slice(0, half))];
    const [, signal] = await once(spawn(process.execPath, args, { stdio: 'inherit' }), 'exit');
    expect(signal).toBe('SIGKILL');
  }
  await using store = await openSessionStore(file);
  await (await store.create({ session_id: 's' })).close();
  expect((await store.list()).sessions).toHaveLength(1);
  expect(await store.metadata('s')).toMatchObject({ ...untouched, message_count: 0, turn_count: 0 });
  await using database = await SqliteDatabase.open(file);
  expect(await database.verify()).toEqual([]);
});

it("a record of the first schema keeps its conversation, its documents and the app's data", async () => {
  await using folder = await TempWorkspace.create();
  const file = folder.resolve('record.db');
  const { DatabaseSync } = await loadSqlite();
  const earlier = new DatabaseSync(file);
  earlier.exec(MIGRATIONS[0]?.replaceAll('{number}', 'INTEGER PRIMARY KEY') ?? '');
  const creation = {
    session_id: 's',
    parent_id: null,
    root_id: 's',
    trace_id: '0',
    depth: 0,
    created: '2026',
  };
  const event = { seq: 1, id: 'e', time: '2026', name: 'session:created', session_id: 's', data: creation };
  const message = { id: 'm', seq: 1, turn: 1, timestamp: '2026', role: 'user', content: 'hello' };
  earlier.exec(`PRAGMA user_version = 1;
    INSERT INTO plans (hash, body) VALUES ('h', '{"tools":[]}');
    INSERT INTO sessions (n, session_id, root_id, created, status, interrupted, updated, message_count, turn_count, event_count,
      agent_invocations, mailbox_cursor, usage, epoch) VALUES (7, 's', 's', '2026', 'created', 0, '2026', 1, 1, 1, 0, 0, '{}', 1);
    INSERT INTO events (session, seq, body) VALUES (7, 1, '${JSON.stringify(event)}');
    INSERT INTO messages (log, seq, turn, body) VALUES (7, 1, 1, '${JSON.stringify(message)}');
    INSERT INTO documents (session, name, body, plan) VALUES (7, 'launch', '{"version":1,"grant":{"exec":"none"}}', 'h'), (7, 'mount_plan', NULL, 'h'),
      (7, 'bundle', 'text', NULL), (7, 'extra', '{"mine":1}', NULL)`);
  earlier.close();
  await using store = await openSessionStore(file);
  expect(await store.messages('s')).toEqual([message]);
  expect(await store.events('s')).toEqual([{ ...event, parent_id: null, root_id: 's' }]);
  const until = await store.feedCursor();
  for (const of of [{ session_id: 's' }, { root_id: 's' }])
    expect(await store.feedPage({ of, after: '0', until })).toMatchObject([{ event: { id: 'e' } }]);
  const launch = { version: 1, grant: { exec: 'none' }, plan: { tools: [] } };
  expect(await store.document('s', 'launch')).toEqual(launch);
  expect(await store.document('s', 'mount_plan')).toEqual({ tools: [] });
  expect(await store.document('s', 'bundle')).toBe('text');
  expect((await store.metadata('s')).extra).toEqual({ mine: 1 });
  const log = await store.open('s');
  await log.appendMessages([{ role: 'assistant', content: 'again' }]);
  await log.close();
  expect((await store.tail('s', 2)).map(({ content }) => content)).toEqual(['hello', 'again']);
  expect((await store.list()).sessions).toHaveLength(1);
  expect(await store.events('s')).toHaveLength(1);
  expect(await store.metadata('s')).toMatchObject({ ...untouched, message_count: 2, turn_count: 1 });
  await using database = await SqliteDatabase.open(file);
  expect(await database.verify()).toEqual([]);
});

it('the library is that of Node where Node has one', () => {
  expect(sqliteModule((name) => name === 'node:sqlite')).toBe('node:sqlite');
  expect(sqliteModule(() => false)).toBe('@photostructure/sqlite');
});
