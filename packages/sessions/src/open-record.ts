import { existsSync } from 'node:fs';
import type { Database } from './database/database.js';
import { IN_MEMORY, SqliteDatabase } from './database/sqlite-database.js';
import { MemorySessionStore, type MemoryStoreOptions } from './memory/memory-session-store.js';
import { openOrSetAside } from './set-aside.js';
import { SqlRunQueue, type SqlRunQueueOptions } from './sql/sql-run-queue.js';
import { SqlSessionStore } from './sql/sql-session-store.js';
import { type ShelfOptions, SqlShelf } from './sql/sql-shelf.js';
import type { SqlSessionStoreOptions } from './sql/store-context.js';

interface Shared {
  database: Promise<Database>;
  users: Set<symbol>;
}

/** Records that are not files, by the names that stand for them. */
const elsewhere = new Map<string, () => Promise<Database>>();

/** From now on `name` is the record that `open` opens, wherever that is, and no file; with null it is a file again. */
export function placeRecord(name: string, open: (() => Promise<Database>) | null): void {
  if (open) elsewhere.set(name, open);
  else elsewhere.delete(name);
}

/** Is there a record by that name? A file is looked for; what is elsewhere is not asked. */
export function recordExists(name: string): boolean {
  return elsewhere.has(name) || existsSync(name);
}

/** The files that are open in this process: all who use one share its connection, and their writes share commits. */
const shared = new Map<string, Shared>();

/** A database for one user, who gives it back with `release`, which counts once; the last one closes it. */
export async function shareDatabase(
  file: string,
): Promise<{ database: Database; release: () => Promise<void> }> {
  const entry = shared.get(file) ?? {
    database: (elsewhere.get(file) ?? (() => openOrSetAside(file)))(),
    users: new Set<symbol>(),
  };
  // Whoever asks for one in memory has it alone.
  if (file !== IN_MEMORY) shared.set(file, entry);
  const user = Symbol();
  entry.users.add(user);
  const release = async () => {
    if (!entry.users.delete(user) || entry.users.size > 0) return;
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

/** The sessions in a file, which is made when it is missing, and made anew, and empty, when it is no database any more. */
export async function openSessionStore(
  file: string,
  options: SqlSessionStoreOptions = {},
): Promise<SqlSessionStore> {
  const { database, release } = await shareDatabase(file);
  return new SqlSessionStore(database, options, release);
}

/** The queue of runs in a file, which is made when it is missing. */
export async function openRunQueue(file: string, options: SqlRunQueueOptions = {}): Promise<SqlRunQueue> {
  const { database, release } = await shareDatabase(file);
  return new SqlRunQueue(database, options, release);
}

/** What all who serve the record in a file share beside its sessions. */
export async function openShelf(file: string, options: ShelfOptions = {}): Promise<SqlShelf> {
  const { database, release } = await shareDatabase(file);
  return new SqlShelf(database, options, release);
}

/** Sessions in memory, for tests and for programs that store nothing. */
export async function openMemoryStore(options: MemoryStoreOptions = {}): Promise<MemorySessionStore> {
  return new MemorySessionStore(options);
}

/** What can be done with the file as a whole. Whoever opens it closes it. */
export async function openDatabase(file: string): Promise<Database> {
  return elsewhere.get(file)?.() ?? SqliteDatabase.open(file);
}
