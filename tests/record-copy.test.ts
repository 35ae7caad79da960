import { copyRecord } from '@amplifier/host';
import { type Database, openDatabase, openSessionStore, run } from '@amplifier/sessions';
import { TempWorkspace } from '@amplifier/testkit';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { CliSandbox } from '../packages/cli/test-support/run-cli.js';
import { PostgresDatabase } from '../packages/postgres/src/postgres-database.js';
import {
  installedVersion,
  startPostgres,
  type TestPostgres,
} from '../packages/postgres/test-support/start-postgres.js';

let server: TestPostgres;
beforeAll(async () => {
  server = await startPostgres(installedVersion);
});
afterAll(() => server?.[Symbol.asyncDispose]());

it('amplifier record copy brings a record to a server and back, and says what is in the way', async () => {
  await using box = await CliSandbox.create({ 'a.txt': 'A' });
  const ran = (await box.run(['run', '--offline', '--json', 'read a.txt'])).json();
  const address = await server.createDatabase();
  const copy = (from: string, to: string) =>
    box.run(['record', 'copy', '--json', '--from', from, '--to', to]);
  const file = box.home.resolve('amplifier.db');
  const there = await copy(`sqlite:${file}`, address);
  expect([there.code, there.json()]).toEqual([
    0,
    expect.objectContaining({ rows: expect.objectContaining({ sessions: 1 }), resumed: 0 }),
  ]);
  const env = { AMPLIFIER_DATABASE: address };
  const shown = (await box.run(['session', 'show', ran.session_id, '--json'], { env })).json();
  expect(shown).toEqual((await box.run(['session', 'show', ran.session_id, '--json'])).json());
  // Whoever works there next gets numbers after those that were brought along.
  expect((await box.run(['run', '--offline', '--json', 'read a.txt'], { env })).code).toBe(0);
  expect((await box.run(['record', 'verify', '--json'], { env })).json()).toMatchObject({
    sessions: 2,
    problems: [],
  });
  const back = await copy(address, 'back.db');
  expect(back.json()).toMatchObject({ rows: { sessions: 2 } });
  for (const [from, to, why] of [
    [file, address, 'already has sessions'],
    ['nowhere.db', address, 'There is no record'],
  ] as const) {
    const refused = await copy(from, to);
    expect([refused.code, refused.stderr + refused.stdout]).toEqual([1, expect.stringContaining(why)]);
  }
});

it('a copy that is broken off goes on where it was, and one that differs is not called a copy', async () => {
  await using folder = await TempWorkspace.create();
  const file = folder.resolve('record.db');
  const long = 'x'.repeat(1_100_000);
  {
    await using store = await openSessionStore(file);
    for (let at = 0; at < 30; at++) {
      const log = await store.create({ session_id: `s${at}`, name: `nul \u0000 ${at}` });
      const messages = Array.from({ length: 12 }, (_, n) => ({
        role: 'user' as const,
        content: `${at} ${n}`,
      }));
      await log.appendMessages(at === 3 ? [...messages, { role: 'user', content: long }] : messages);
      await log.close();
    }
    const log = await store.open('s1');
    await expect(copied(file, await server.createDatabase())).rejects.toMatchObject({
      code: 'SESSION_LOCKED',
    });
    await log.close();
  }
  const address = await server.createDatabase();
  for (const most of [1, 4]) await expect(copied(file, address, most)).rejects.toThrow('broken off');
  const { rows, resumed } = await copied(file, address);
  expect([rows.sessions, rows.messages]).toEqual([30, 361]);
  expect(resumed).toBeGreaterThan(100);
  const changed = await server.createDatabase();
  await expect(copied(file, changed, 4)).rejects.toThrow('broken off');
  {
    await using database = await PostgresDatabase.open(changed);
    await database.write(() => run("UPDATE sessions SET name = 'another' WHERE session_id = 's7'"));
  }
  await expect(copied(file, changed)).rejects.toThrow(/differs .* in sessions/);
});

/** `most`: after so many writes it is broken off. */
async function copied(file: string, address: string, most = Number.POSITIVE_INFINITY) {
  await using from = await openDatabase(file);
  await using to = await PostgresDatabase.open(address);
  let writes = 0;
  const breaking = new Proxy<Database>(to, {
    get(target, name) {
      const value = Reflect.get(target, name, target);
      if (name !== 'write') return typeof value === 'function' ? value.bind(target) : value;
      return (...args: Parameters<Database['write']>) =>
        ++writes > most ? Promise.reject(new Error('broken off')) : target.write(...args);
    },
  });
  return await copyRecord(from, breaking);
}
