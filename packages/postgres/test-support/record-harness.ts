import type { Liveness, ProcessIdentity } from '@amplifier/core';
import { run, SqlRunQueue, SqlSessionStore } from '@amplifier/sessions';
import type { QueueHarness, StoreHarness } from '@amplifier/sessions/conformance';
import { VirtualClock } from '@amplifier/testkit';
import pg from 'pg';
import { PostgresDatabase } from '../src/postgres-database.js';

/** Processes of a test: each is a name, alive until it is killed. */
function pretendProcesses(): { livenessOf(name: string): Liveness; kill(name: string): Promise<void> } {
  const dead = new Set<string | null>();
  const isAlive = ({ start }: ProcessIdentity) => !dead.has(start);
  const livenessOf = (start: string) => ({
    self: { pid: 1, start, host: 'test', boot: null, namespace: null },
    isAlive,
  });
  return { livenessOf, kill: async (name) => void dead.add(name) };
}

const TABLES = [
  'bases',
  'messages',
  'events',
  'documents',
  'mail',
  'runs',
  'facts',
  'shelf',
  'plans',
  'processes',
  'sessions',
];
const EMPTY = `${TABLES.map((table) => `DELETE FROM ${table};`).join(' ')}
  SELECT setval(pg_get_serial_sequence('runs', 'seq'), 1, false)`;

/** A database that is as good as new for each case: much faster than another one. */
export async function reusedRecord(
  address: string,
): Promise<{ empty(): Promise<void>; close(): Promise<void> }> {
  await (await PostgresDatabase.open(address)).close();
  const client = new pg.Client(address);
  await client.connect();
  return { empty: async () => void (await client.query(EMPTY)), close: () => client.end() };
}

/** Each process of a test has its own connections to one database. */
async function databases(address: string) {
  const opened: PostgresDatabase[] = [];
  return {
    async open() {
      const database = await PostgresDatabase.open(address);
      opened.push(database);
      return database;
    },
    async close() {
      for (const database of opened) await database.close();
    },
  };
}

export async function storeHarness(address: string): Promise<StoreHarness> {
  const { open, close } = await databases(address);
  const { livenessOf, kill } = pretendProcesses();
  const stores: SqlSessionStore[] = [];
  return {
    async open(process = 'main') {
      const store = new SqlSessionStore(await open(), { liveness: livenessOf(process) });
      stores.push(store);
      return store;
    },
    kill,
    async [Symbol.asyncDispose]() {
      for (const store of stores) await store.close();
      await close();
    },
  };
}

export async function queueHarness(address: string): Promise<QueueHarness> {
  const { open, close } = await databases(address);
  const { livenessOf, kill } = pretendProcesses();
  const clock = new VirtualClock();
  const queues: SqlRunQueue[] = [];
  const leaseMs = 10_000;
  return {
    leaseMs,
    async open(process = 'main') {
      const liveness = livenessOf(process);
      const queue = new SqlRunQueue(await open(), { clock, leaseMs, liveness });
      queues.push(queue);
      return queue;
    },
    kill,
    async assign(run_id, tenant) {
      const set = () => run('UPDATE runs SET tenant = ? WHERE run_id = ?', tenant, run_id);
      await (await open()).write(set);
    },
    advance: (ms) => clock.advance(ms),
    async [Symbol.asyncDispose]() {
      for (const queue of queues) await queue.close();
      await close();
    },
  };
}
