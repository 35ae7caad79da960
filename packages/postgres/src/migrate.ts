import { MIGRATIONS, SessionError } from '@amplifier/sessions';
import type { Client } from 'pg';
import { MIGRATE_LOCK, RECORD_LOCKS } from './defaults.js';
import { LONG_COLUMNS } from './long-text.js';
import { ROW_SECURITY } from './row-security.js';
import { schemaDialect } from './translate.js';

/** What only this driver needs. A step that was released never changes. */
const OWN_STEPS: readonly string[] = [
  `CREATE TABLE blobs (hash TEXT COLLATE "C" PRIMARY KEY, body TEXT COLLATE "C" NOT NULL);
${LONG_COLUMNS.slice(0, 8).map(indexOfBlobs).join('\n')}`,
  LONG_COLUMNS.slice(8, 9).map(indexOfBlobs).join('\n'),
  ROW_SECURITY,
];

function indexOfBlobs([table, column]: readonly [string, string]): string {
  return `CREATE INDEX ${table}_${column}_blob ON ${table} (${column}) WHERE left(${column}, 1) = E'\\x01';`;
}

/** Brings the schema to the version of this program, one process at a time. A newer one is refused untouched. */
export async function migrate(client: Client, name: string): Promise<void> {
  if (await isPresent(client, name)) return;
  // Before the transaction begins: one that began earlier would not see what another process made meanwhile.
  const lock = [RECORD_LOCKS, MIGRATE_LOCK];
  await client.query('SELECT pg_advisory_lock($1, $2)', lock);
  await client.query('BEGIN');
  try {
    const at = await versionsOf(client, name);
    await client.query(
      `CREATE TABLE IF NOT EXISTS amplifier_schema (part TEXT PRIMARY KEY, version INTEGER NOT NULL)`,
    );
    for (const step of MIGRATIONS.slice(at.record)) await client.query(schemaDialect(step));
    for (const step of OWN_STEPS.slice(at.own)) await client.query(step);
    await client.query(
      `INSERT INTO amplifier_schema (part, version) VALUES ('record', $1), ('postgres', $2)
        ON CONFLICT (part) DO UPDATE SET version = excluded.version`,
      [MIGRATIONS.length, OWN_STEPS.length],
    );
    await client.query('COMMIT');
  } catch (error) {
    await client.query('ROLLBACK').catch(() => {});
    throw error;
  } finally {
    await client.query('SELECT pg_advisory_unlock($1, $2)', lock).catch(() => {});
  }
}

async function isPresent(client: Client, name: string): Promise<boolean> {
  const { record, own } = await versionsOf(client, name);
  return record === MIGRATIONS.length && own === OWN_STEPS.length;
}

async function versionsOf(client: Client, name: string): Promise<{ record: number; own: number }> {
  const made = await client.query("SELECT to_regclass('amplifier_schema') AS name");
  if (made.rows[0]?.name === null) return { record: 0, own: 0 };
  const { rows } = await client.query<{ part: string; version: number }>(
    'SELECT part, version FROM amplifier_schema',
  );
  const versionOf = (part: string) => rows.find((row) => row.part === part)?.version ?? 0;
  const [record, own] = [versionOf('record'), versionOf('postgres')];
  if (record <= MIGRATIONS.length && own <= OWN_STEPS.length) return { record, own };
  throw new SessionError(
    `The record ${name} has schema ${record}.${own}, and this program knows schemas up to ${MIGRATIONS.length}.${OWN_STEPS.length}. Use a newer amplifier; nothing was changed.`,
    { code: 'RECORD_TOO_NEW', origin: name },
  );
}
