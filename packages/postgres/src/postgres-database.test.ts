import { type ChildProcess, execFileSync, fork } from 'node:child_process';
import { chmod, chown, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Liveness, systemLiveness } from '@amplifier/core';
import {
  all,
  type Database,
  get,
  run,
  SqlRunQueue,
  SqlSessionStore,
  SqlShelf,
  type Work,
} from '@amplifier/sessions';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bareClient } from '../test-support/bare-client.js';
import {
  installedVersion,
  NOBODY,
  startPostgres,
  type TestPostgres,
} from '../test-support/start-postgres.js';
import { tcpProxy } from '../test-support/tcp-proxy.js';
import { transactionPooler } from '../test-support/transaction-pooler.js';
import { PRESENCE_LOCKS, RECORD_LOCKS, WRITE_LOCK } from './defaults.js';
import { PostgresDatabase } from './postgres-database.js';

let server: TestPostgres;
let keys: string;
beforeAll(async () => {
  keys = await serverKeys();
  server = await startPostgres(installedVersion, [
    'ssl=on',
    `ssl_cert_file=${keys}/server.crt`,
    `ssl_key_file=${keys}/server.key`,
  ]);
});
afterAll(async () => {
  await server?.[Symbol.asyncDispose]();
  await rm(keys, { recursive: true, force: true });
});

/** A certificate for localhost that nobody else vouches for, where only the server's user can read its key. */
async function serverKeys(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'tls-'));
  const [key, certificate] = [join(folder, 'server.key'), join(folder, 'server.crt')];
  const kind = ['-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2'];
  const names = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost'];
  execFileSync('openssl', ['req', ...kind, ...names, '-keyout', key, '-out', certificate], {
    stdio: 'ignore',
  });
  await chmod(key, 0o600);
  if (process.getuid?.() === 0) for (const path of [folder, key]) await chown(path, NOBODY, NOBODY);
  return folder;
}

const asked = (sql: string) => () => get<Record<string, unknown>>(sql);
const put = (name: string) => () =>
  run('INSERT INTO facts (name, value) VALUES (?, ?)', name, 'x') as Work<number>;
const through = (address: string, port: number) => address.replace(/:\d+\//, `:${port}/`);

it('subscribers get the last write of a process that died before it notified them, however late it commits', async () => {
  const address = await server.createDatabase();
  await using database = await PostgresDatabase.open(address);
  await using store = new SqlSessionStore(database);
  await (await store.create({ session_id: 's' })).close();
  const feed = store.feed();
  const next = feed.next();
  // The connections of the process that dies: one shows that it is alive, the other writes.
  const [presence, writer] = [await bareClient(address), await bareClient(address)];
  const count = async (sql: string) => (await writer.query<{ count: number }>(sql)).rows[0]?.count;
  const { rows } = await presence.query<{ at: string }>(
    `SELECT clock_timestamp()::text AS at, pg_advisory_lock(${PRESENCE_LOCKS}, 1)`,
  );
  const looks = `SELECT count(*)::int AS count FROM pg_stat_activity
    WHERE datname = current_database() AND query LIKE '%${PRESENCE_LOCKS}%keys' AND query_start > '${rows[0]?.at}'`;
  await expect.poll(() => count(looks)).toBe(1);
  await writer.query(`BEGIN; SELECT pg_advisory_xact_lock(${RECORD_LOCKS}, ${WRITE_LOCK})`);
  await writer.query('INSERT INTO events (session, seq, body) SELECT session, seq + 1, body FROM events');
  await presence.end();
  const waiting = `SELECT count(*)::int AS count FROM pg_locks WHERE classid = ${RECORD_LOCKS} AND NOT granted`;
  await expect.poll(() => count(waiting)).toBe(1);
  await writer.query('COMMIT');
  expect((await next).value?.event.seq).toBe(2);
  await feed.return(undefined);
  await writer.end();
});

describe('a record on a server', () => {
  it('is made by whoever comes first, and left alone by a program that is older', async () => {
    const address = await server.createDatabase();
    const opened = await Promise.all([1, 2, 3].map(() => PostgresDatabase.open(address)));
    for (const database of opened) await database.close();
    const client = new pg.Client(address);
    await client.connect();
    await client.query("UPDATE amplifier_schema SET version = 99 WHERE part = 'record'");
    await client.end();
    await expect(PostgresDatabase.open(address)).rejects.toMatchObject({ code: 'RECORD_TOO_NEW' });
  });

  it('stores long texts once, and texts that the server cannot take', async () => {
    const address = await server.createDatabase();
    await using database = await PostgresDatabase.open(address);
    await using store = new SqlSessionStore(database);
    const long = 'a'.repeat(1_500_000);
    const log = await store.create(
      { session_id: 's', name: 'nul \u0000' },
      { documents: { bundle: `\u0001${long}` } },
    );
    await log.putDocument('bundle', `\u0001${long}`);
    await log.appendMessages([{ role: 'user', content: long }]);
    expect(await store.document('s', 'bundle')).toBe(`\u0001${long}`);
    expect((await store.messages('s'))[0]?.content).toBe(long);
    expect((await store.metadata('s')).name).toBe('nul \u0000');
    expect(await database.read(asked('SELECT count(*) AS count FROM blobs'))).toEqual({ count: 2 });
    await log.putDocument('bundle', 'short');
    await database.compact();
    expect(await database.read(asked('SELECT count(*) AS count FROM blobs'))).toEqual({ count: 1 });
    expect(await database.verify()).toEqual([]);
  });

  it('keeps tenants apart by itself, also where a statement forgets whose rows it means', async () => {
    await using database = await PostgresDatabase.open(await server.createDatabase());
    await using store = new SqlSessionStore(database);
    await using queue = new SqlRunQueue(database);
    for (const tenant of ['team-a', 'team-b']) {
      const session_id = `of-${tenant}`;
      const view = () => guardedByServer(database, tenant);
      const log = await store.on(view).create({ session_id }, { documents: { bundle: tenant } });
      await log.appendMessages([{ role: 'user', content: tenant }]);
      await store.on(view).send({ to: session_id, kind: 'message', body: {} });
      await queue.on(view).enqueue({ session_id, kind: 'run' });
      await new SqlShelf(database).on(view).put('thing', tenant, {});
      await log.close();
    }
    const bound = database.bound('team-a');
    const tables = ['sessions', 'messages', 'events', 'documents', 'mail', 'runs', 'shelf'];
    for (const table of tables) {
      const rows = () => all<{ row: string }>(`SELECT to_json(t)::text AS row FROM ${table} t`);
      const [mine, everybodys] = [await bound.read(rows), await database.read(rows)];
      expect([table, mine.length > 0, mine.length < everybodys.length]).toEqual([table, true, true]);
      expect(JSON.stringify(mine)).not.toContain('team-b');
    }
    expect(await bound.write(() => run("UPDATE sessions SET name = 'taken'"))).toBe(1);
    expect(await bound.write(() => run('DELETE FROM mail'))).toBe(1);
    const forged = () =>
      run("INSERT INTO shelf (kind, name, body, tenant) VALUES ('x', 'y', '{}', 'team-b')");
    await expect(bound.write(forged)).rejects.toThrow('row-level security');
    // What comes after it in the same commit is not bound by it.
    const both = [
      bound.write(() => run('UPDATE runs SET priority = 1')),
      database.write(() => run('UPDATE runs SET priority = 2')),
    ];
    expect(await Promise.all(both)).toEqual([1, 2]);
    expect((await store.metadata('of-team-b')).name).toBeNull();
  });

  it('keeps the order of writes, whoever they are for, and takes none when it is closed', async () => {
    const database = await PostgresDatabase.open(await server.createDatabase());
    const bound = database.bound('team-a');
    const ran: string[] = [];
    const noted = (name: string) =>
      function* (): Work<void> {
        ran.push(name);
        yield* put(name)();
      };
    for (const round of ['first', 'second']) {
      const { writes } = database;
      const own = bound.write(noted(`own ${round}`));
      expect(database.writes).toBe(writes + 1);
      await own;
    }
    await Promise.all([bound.write(noted('own')), database.write(noted('whole'))]);
    expect(ran).toEqual(['own first', 'own second', 'own', 'whole']);
    await database.close();
    await expect(bound.write(put('late'))).rejects.toMatchObject({ code: 'LOG_CLOSED' });
  });

  it('is not kept waiting by a refusal that only sounds like a server that does not answer', async () => {
    await using database = await PostgresDatabase.open(await server.createDatabase());
    await using store = new SqlSessionStore(database);
    const started = Date.now();
    const refused = expect(store.open('child_timeout')).rejects.toMatchObject({ code: 'SESSION_NOT_FOUND' });
    await Promise.all([refused, database.write(put('other'))]);
    await expect(store.metadata('child_timeout')).rejects.toMatchObject({ code: 'SESSION_NOT_FOUND' });
    expect(Date.now() - started).toBeLessThan(10_000);
  });

  it('goes by the clock of the server', async () => {
    const address = await server.createDatabase();
    await using database = await PostgresDatabase.open(address);
    const row = await database.read(asked('SELECT (extract(epoch FROM now()) * 1000)::float8 AS now'));
    expect(Math.abs(database.now() - Number(row?.now))).toBeLessThan(5_000);
  });

  it('is reached encrypted, and only where its certificate is known, unless the address says otherwise', async () => {
    const address = (await server.createDatabase()).replace('127.0.0.1', 'localhost');
    const isEncrypted = async (options: string) => {
      await using database = await PostgresDatabase.open(address + options);
      return database.read(asked('SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()'));
    };
    const known = `&sslrootcert=${keys}/server.crt`;
    expect(await isEncrypted('')).toEqual({ ssl: false });
    expect(await isEncrypted('?sslmode=require')).toEqual({ ssl: true });
    expect(await isEncrypted(`?sslmode=verify-full${known}`)).toEqual({ ssl: true });
    await expect(isEncrypted('?sslmode=verify-full')).rejects.toThrow(/self-signed|certificate/);
    const other = address.replace('localhost', '127.0.0.1');
    await expect(PostgresDatabase.open(`${other}?sslmode=verify-full${known}`)).rejects.toThrow(/altnames/);
    await (await PostgresDatabase.open(`${other}?sslmode=verify-ca${known}`)).close();
  });

  it('never says a password, and says what is wrong with an address', async () => {
    const open = (address: string) => PostgresDatabase.open(address).catch((error: Error) => error);
    const secret = `postgres://postgres:hunter2@127.0.0.1:${server.port}/nothing?password=hunter3`;
    const refused = (await open(secret)) as Error;
    expect(refused).toMatchObject({ code: 'STORAGE_FAILED' });
    expect(String(refused.message)).not.toMatch(/hunter/);
    expect(String(((await open('mysql://u:hunter2@h/d')) as Error).message)).not.toMatch(/hunter/);
    expect(await open('postgres://u:hunter2@h')).toMatchObject({
      message: expect.stringMatching(/no database/),
    });
  });
});

describe('a connection that breaks', () => {
  it('loses no write, writes none twice, and misses no news', async () => {
    const address = await server.createDatabase();
    await using proxy = await tcpProxy(server.port);
    await using shaky = await PostgresDatabase.open(through(address, proxy.port));
    await using steady = await PostgresDatabase.open(address);
    let news = () => {};
    const heard = () => new Promise<void>((resolve) => (news = resolve));
    shaky.subscribe('topic', () => news());
    await shaky.write(put('first'));
    const lost = proxy.loseAnswerTo('COMMIT');
    const [, again] = await Promise.all([lost, shaky.write(put('once'))]);
    expect(again).toBe(1);
    proxy.cut();
    const [told] = await Promise.all([
      heard(),
      steady.write(put('meanwhile'), { topics: ['topic'] }),
      shaky.write(put('after')),
      shaky.read(asked('SELECT 1 AS one')),
    ]);
    expect(told).toBeUndefined();
    const names = await steady.read(() => all<{ name: string }>('SELECT name FROM facts ORDER BY name'));
    expect(names.map(({ name }) => name)).toEqual(['after', 'first', 'meanwhile', 'once']);
    expect(shaky.health).toMatchObject({ set_aside: 0, last_error: { item: null } });
  });
});

describe('a process that is killed', () => {
  it('loses its run and its session at once, though nobody can look at its machine', async () => {
    const address = await server.createDatabase();
    await using database = await PostgresDatabase.open(address);
    const liveness: Liveness = { self: systemLiveness.self, isAlive: () => true };
    await using store = new SqlSessionStore(database, { liveness });
    await using queue = new SqlRunQueue(database, { liveness });
    await (await store.create({ session_id: 's' })).close();
    await queue.enqueue({ session_id: 's', run_id: 'r', kind: 'turn' });
    const doomed = startOwner(address);
    await new Promise((resolve) => doomed.stdout?.once('data', resolve));
    expect(await queue.claim()).toBeNull();
    await expect(store.open('s')).rejects.toMatchObject({ code: 'SESSION_LOCKED' });
    doomed.kill('SIGKILL');
    for await (const claim of queue.claims()) {
      expect(claim.run).toMatchObject({ run_id: 'r', attempts: 2 });
      await (await store.open('s', { lease: claim.token })).close();
      break;
    }
  });
});

describe('a pooler', () => {
  it('in transaction mode is refused for what needs a connection of its own, and serves the rest', async () => {
    const address = await server.createDatabase();
    await using pooler = await transactionPooler(server.port, new URL(address).pathname.slice(1));
    const pooled = through(address, pooler.port);
    await expect(PostgresDatabase.open(pooled)).rejects.toMatchObject({
      message: expect.stringMatching(/pooler in transaction mode.*AMPLIFIER_DATABASE_DIRECT/),
    });
    await using database = await PostgresDatabase.open(pooled, { direct: address });
    await database.write(put('through the pooler'));
    expect(await database.read(asked('SELECT count(*) AS count FROM facts'))).toEqual({ count: 1 });
  });
});

// The last one: for a while after a start of the server nobody counts as dead.
describe('a server that is restarted', () => {
  it('is waited for, and nobody loses anything by it', async () => {
    const address = await server.createDatabase();
    await using database = await PostgresDatabase.open(address);
    const isAlive = () => true;
    const self = { ...systemLiveness.self, start: 'other', boot: 'another' };
    await using other = await PostgresDatabase.open(address);
    const queue = new SqlRunQueue(other, { liveness: { self, isAlive } });
    await queue.enqueue({ session_id: 's', run_id: 'r', kind: 'turn' });
    const claim = await queue.claim();
    const restarted = server.restart();
    const written = database.write(put('through the restart'));
    await Promise.all([restarted, written]);
    // Nobody is dead only because all have to come back.
    const heir = new SqlRunQueue(database, { liveness: { self: systemLiveness.self, isAlive } });
    expect(await heir.claim()).toBeNull();
    expect(claim && (await queue.finish(claim, { text: 'done' }))).toMatchObject({ status: 'finished' });
  });
});

function startOwner(address: string): ChildProcess {
  const script = fileURLToPath(new URL('../test-support/doomed-owner.mjs', import.meta.url));
  return fork(script, [address], { stdio: ['ignore', 'pipe', 'inherit', 'ipc'] });
}

/** The database for one tenant, with nothing but the server between that and the others. */
function guardedByServer(database: PostgresDatabase, tenant: string): Database {
  const own: Partial<Database> = { tenant, ...database.bound(tenant) };
  return new Proxy<Database>(database, {
    get(target, name) {
      const value = Reflect.get(name in own ? own : target, name);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
}
