import type { Liveness, ProcessIdentity } from '@amplifier/core';
import {
  type QueueHarness,
  runQueueConformance,
  type StoreHarness,
  sessionStoreConformance,
} from '@amplifier/sessions/conformance';
import { TempWorkspace, VirtualClock } from '@amplifier/testkit';
import { describe, it } from 'vitest';
import { type Database, run } from './database/database.js';
import { IN_MEMORY, SqliteDatabase } from './database/sqlite-database.js';
import { MemoryRecord } from './memory/memory-record.js';
import { MemorySessionStore } from './memory/memory-session-store.js';
import { SqlRunQueue } from './sql/sql-run-queue.js';
import { SqlSessionStore } from './sql/sql-session-store.js';

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

/** Where processes meet: one database in memory, or a file that each opens for itself. */
interface Meeting extends AsyncDisposable {
  open(): Promise<Database>;
}

async function inMemory(): Promise<Meeting> {
  const database = await SqliteDatabase.open(IN_MEMORY);
  return { open: async () => database, [Symbol.asyncDispose]: () => database.close() };
}

async function inFile(): Promise<Meeting> {
  const folder = await TempWorkspace.create();
  const opened: Database[] = [];
  return {
    async open() {
      const database = await SqliteDatabase.open(folder.resolve('record.db'));
      opened.push(database);
      return database;
    },
    async [Symbol.asyncDispose]() {
      for (const database of opened) await database.close();
      await folder[Symbol.asyncDispose]();
    },
  };
}

async function storeHarness(meet: () => Promise<Meeting>): Promise<StoreHarness> {
  const meeting = await meet();
  const { livenessOf, kill } = pretendProcesses();
  const stores: SqlSessionStore[] = [];
  return {
    async open(process = 'main') {
      const store = new SqlSessionStore(await meeting.open(), { liveness: livenessOf(process) });
      stores.push(store);
      return store;
    },
    kill,
    async [Symbol.asyncDispose]() {
      for (const store of stores) await store.close();
      await meeting[Symbol.asyncDispose]();
    },
  };
}

async function memoryHarness(): Promise<StoreHarness> {
  const record = new MemoryRecord();
  const { livenessOf, kill } = pretendProcesses();
  const stores: MemorySessionStore[] = [];
  return {
    async open(process = 'main') {
      const store = new MemorySessionStore({ record, liveness: livenessOf(process) });
      stores.push(store);
      return store;
    },
    kill,
    async [Symbol.asyncDispose]() {
      for (const store of stores) await store.close();
    },
  };
}

describe('the session store in memory', () => {
  for (const each of sessionStoreConformance) it(each.name, () => each.run(memoryHarness));
});

async function queueHarness(meet: () => Promise<Meeting>): Promise<QueueHarness> {
  const meeting = await meet();
  const { livenessOf, kill } = pretendProcesses();
  const clock = new VirtualClock();
  const queues: SqlRunQueue[] = [];
  const leaseMs = 10_000;
  return {
    leaseMs,
    async open(process = 'main') {
      const liveness = livenessOf(process);
      const queue = new SqlRunQueue(await meeting.open(), { clock, leaseMs, liveness });
      queues.push(queue);
      return queue;
    },
    kill,
    async assign(run_id, tenant) {
      const set = () => run('UPDATE runs SET tenant = ? WHERE run_id = ?', tenant, run_id);
      await (await meeting.open()).write(set);
    },
    advance: (ms) => clock.advance(ms),
    async [Symbol.asyncDispose]() {
      for (const queue of queues) await queue.close();
      await meeting[Symbol.asyncDispose]();
    },
  };
}

for (const [place, meet] of [
  ['in a SQLite database in memory', inMemory],
  ['in a file', inFile],
] as const) {
  describe(`the session store ${place}`, () => {
    for (const each of sessionStoreConformance) it(each.name, () => each.run(() => storeHarness(meet)));
  });

  describe(`the run queue ${place}`, () => {
    for (const each of runQueueConformance) it(each.name, () => each.run(() => queueHarness(meet)));
  });
}
