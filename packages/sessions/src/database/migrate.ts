import { BUSY_WAIT_MS, CACHE_KB, CHECKPOINT_PAGES } from '../defaults.js';
import { refusal } from '../refusals.js';
import type { Connection } from './load-sqlite.js';
import { MIGRATIONS } from './schema.js';

/** One writer at a time, and readers that never wait. A commit survives the process; `WalSync` makes it survive a power cut. */
export function configure(connection: Connection): void {
  connection.exec(`PRAGMA busy_timeout = ${BUSY_WAIT_MS}`);
  connection.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA foreign_keys = ON');
  // The folder for temporary files may be full, gone or not writable; what a statement sets aside is small.
  connection.exec('PRAGMA trusted_schema = OFF; PRAGMA temp_store = MEMORY');
  connection.exec(`PRAGMA cache_size = -${CACHE_KB}; PRAGMA wal_autocheckpoint = ${CHECKPOINT_PAGES}`);
}

/** Brings the schema to the version of this program, one transaction for all steps. A newer one is refused untouched. */
export function migrate(connection: Connection, name: string): void {
  if (versionOf(connection, name) === MIGRATIONS.length) return;
  connection.exec('BEGIN IMMEDIATE');
  try {
    // Another process may have been faster.
    for (const step of MIGRATIONS.slice(versionOf(connection, name)))
      connection.exec(step.replaceAll('{number}', 'INTEGER PRIMARY KEY'));
    connection.exec(`PRAGMA user_version = ${MIGRATIONS.length}`);
    // "AMPL": what identifies the file as ours among all SQLite files.
    connection.exec('PRAGMA application_id = 0x414d504c');
    connection.exec('COMMIT');
  } catch (error) {
    if (connection.isTransaction) connection.exec('ROLLBACK');
    throw error;
  }
}

function versionOf(connection: Connection, name: string): number {
  const { user_version } = connection.prepare('PRAGMA user_version').get() as { user_version: number };
  if (user_version <= MIGRATIONS.length) return user_version;
  const message = `The record ${name} has schema ${user_version}, and this program knows schemas up to ${MIGRATIONS.length}. Use a newer amplifier; nothing was changed.`;
  throw refusal('RECORD_TOO_NEW', name, message);
}
