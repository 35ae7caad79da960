import { existsSync } from 'node:fs';
import type { LoopHealth, Report } from '@amplifier/core';
import type { CopyLayout } from './copies/copy-layout.js';
import type { Database } from './database/database.js';
import { IN_MEMORY, SqliteDatabase } from './database/sqlite-database.js';
import { liveFolder } from './live/live-folder.js';
import { serveLiveText } from './live/serve-live-text.js';
import { type Liveness, type ProcessIdentity, systemLiveness } from './process-identity.js';
import { openOrSetAside, type Rebuilt, replaceRecord } from './set-aside.js';
import { NamedLease } from './sql/named-lease.js';
import { SqlRunQueue, type SqlRunQueueOptions } from './sql/sql-run-queue.js';
import { SqlSessionStore } from './sql/sql-session-store.js';
import { type ShelfOptions, SqlShelf } from './sql/sql-shelf.js';
import type { SqlSessionStoreOptions } from './sql/store-context.js';

interface Shared {
  database: Promise<Database>;
  users: number;
}

/** Records that are not files, by the names that stand for them. */
const elsewhere = new Map<string, () => Promise<Database>>();

/** From now on `name` is the record that `open` opens, wherever that is, and no file; with null it is a file again. */
export function placeRecord(name: string, open: (() => Promise<Database>) | null): void {
  if (open) elsewhere.set(name, open);
  else elsewhere.delete(name);
}

/** Is there anything under this name? */
function mayExist(name: string): boolean {
  return elsewhere.has(name) || existsSync(name);
}

/** The files that are open in this process: all who use one share its connection, and their writes share commits. */
const shared = new Map<string, Shared>();

/** A database for one user, who gives it back with `release`; the last one closes it. */
async function share(file: string): Promise<{ database: Database; release: () => Promise<void> }> {
  if (file === IN_MEMORY) {
    const database = await SqliteDatabase.open(IN_MEMORY);
    return { database, release: () => database.close() };
  }
  const entry = shared.get(file) ?? {
    database: (elsewhere.get(file) ?? (() => openOrSetAside(file)))(),
    users: 0,
  };
  shared.set(file, entry);
  entry.users++;
  const release = async () => {
    if (--entry.users > 0) return;
    if (shared.get(file) === entry) shared.delete(file);
    await (await entry.database).close();
  };
  try {
    return { database: await entry.database, release };
  } catch (error) {
    shared.delete(file);
    throw error;
  }
}

/** The sessions in a file, which is made when it is missing, and made anew from the readable copies when it is damaged. */
export async function openSessionStore(
  file: string,
  options: SqlSessionStoreOptions = {},
): Promise<SqlSessionStore> {
  const { database, release } = await share(file);
  const hush = { close: async () => {} };
  const store = new SqlSessionStore(database, options, () => hush.close().finally(release));
  const folder = elsewhere.has(file) ? null : liveFolder(file);
  if (folder !== null) hush.close = serveLiveText(store.live, folder);
  try {
    await store.takeIn(options);
    return store;
  } catch (error) {
    await store.close();
    throw error;
  }
}

/** Sets a damaged record aside and brings its sessions back from the readable copies. Nobody else may have it open. */
export async function rebuildRecord(file: string, copies: CopyLayout, report: Report): Promise<Rebuilt> {
  const database = await replaceRecord(file);
  await using store = new SqlSessionStore(database, { report }, () => database.close());
  return (await store.takeIn({ copies, report })) ?? { set_aside: null, sessions: 0 };
}

/** The queue of runs in a file, which is made when it is missing. */
export async function openRunQueue(file: string, options: SqlRunQueueOptions = {}): Promise<SqlRunQueue> {
  const { database, release } = await share(file);
  return new SqlRunQueue(database, options, release);
}

/** What all who serve the record in a file share beside its sessions. */
export async function openShelf(file: string, options: ShelfOptions = {}): Promise<SqlShelf> {
  const { database, release } = await share(file);
  return new SqlShelf(database, options, release);
}

/** Sessions in memory, for tests and for programs that keep nothing. They are gone when the store is closed. */
export function openMemoryStore(options: SqlSessionStoreOptions = {}): Promise<SqlSessionStore> {
  return openSessionStore(IN_MEMORY, options);
}

export interface Lease {
  /** Whoever held it before did not give it back. */
  wasLeft: boolean;
  isHeld(): Promise<boolean>;
  health(): LoopHealth;
  release(): Promise<void>;
}

/** The right to be the one process that does something on the record in a file. `release` gives it back. */
export async function takeLease(
  file: string,
  name: string,
  liveness: Liveness = systemLiveness,
): Promise<Lease> {
  const { database, release } = await share(file);
  try {
    const lease = await NamedLease.take(database, name, { liveness });
    return {
      wasLeft: lease.wasLeft,
      isHeld: () => lease.isHeld(),
      health: () => lease.health,
      release: () => lease.release().finally(release),
    };
  } catch (error) {
    await release();
    throw error;
  }
}

/** Who has that right; null when nobody does, or there is no such file. */
export async function leaseHolder(
  file: string,
  name: string,
  liveness: Liveness = systemLiveness,
): Promise<ProcessIdentity | null> {
  if (!mayExist(file)) return null;
  const { database, release } = await share(file);
  try {
    return await NamedLease.holder(database, name, liveness);
  } finally {
    await release();
  }
}

/** What can be done with the file as a whole. Whoever opens it closes it. */
export async function openDatabase(file: string): Promise<Database> {
  return elsewhere.get(file)?.() ?? SqliteDatabase.open(file);
}
