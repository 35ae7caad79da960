import { createHash } from 'node:crypto';
import { type Liveness, systemLiveness } from '@amplifier/core';
import { all, type Database, get, run, type SqlValue, type Work } from '../database/database.js';
import { SessionError } from '../session-error.js';
import { refuseBusy } from './refuse-busy.js';

interface CopyReport {
  /** Rows in the copy, by table. */
  rows: Record<string, number>;
  /** How many of them were there already, from an attempt before. */
  resumed: number;
}

interface Table {
  name: string;
  key: readonly string[];
  /** What of it is not copied. */
  but?: string;
  /** Columns that say who is at work there, and nobody is in a copy. */
  cleared?: readonly string[];
}

/** In an order in which each row finds what it refers to. Who has the record open is no part of it. */
const TABLES: readonly Table[] = [
  { name: 'plans', key: ['hash'] },
  { name: 'sessions', key: ['n'], cleared: ['owner', 'owned_since'] },
  { name: 'messages', key: ['place'] },
  { name: 'bases', key: ['session', 'last'] },
  { name: 'events', key: ['n'] },
  { name: 'documents', key: ['place'] },
  { name: 'mail', key: ['n'] },
  { name: 'runs', key: ['seq'] },
  { name: 'facts', key: ['name'], but: "name NOT LIKE 'lease %' AND name NOT LIKE 'copy of %'" },
  { name: 'shelf', key: ['kind', 'name'], cleared: ['holder', 'held_until'] },
  { name: 'audit', key: ['n'] },
  { name: 'spent', key: ['day', 'tenant', 'caller'] },
];

/** So many rows are read and written at once. */
const ROWS = 100;

type Row = Record<string, SqlValue>;

/**
 * Copies a record that nobody is at work in to an empty one, of whichever kind. Broken off, it goes on where it was; at the end both are
 * read again and compared.
 */
export async function copyRecord(
  from: Database,
  to: Database,
  { onTable, liveness = systemLiveness }: { onTable?: (name: string) => void; liveness?: Liveness } = {},
): Promise<CopyReport> {
  // A copy of what changes meanwhile would be neither the one nor the other.
  await refuseBusy(from, 'copy', liveness);
  const mark = `copy of ${createHash('sha256').update(from.name).digest('hex').slice(0, 16)}`;
  await refuseFull(to, mark);
  const report: CopyReport = { rows: {}, resumed: 0 };
  for (const table of TABLES) {
    onTable?.(table.name);
    report.resumed += await copyTable(from, to, table, mark);
  }
  await to.numberFromHere?.();
  for (const table of TABLES) report.rows[table.name] = await compareTable(from, to, table);
  await to.write(() => run('DELETE FROM facts WHERE name = ?', mark));
  return report;
}

async function copyTable(from: Database, to: Database, table: Table, mark: string): Promise<number> {
  const { last, count } = await lastOf(to, table);
  for await (const rows of batches(from, table, last))
    await to.write(function* () {
      yield* insertRows(table, rows);
      yield* run(
        'INSERT INTO facts (name, value) VALUES (?, ?) ON CONFLICT (name) DO NOTHING',
        mark,
        from.name,
      );
    });
  return count;
}

/** Both in the order of their keys, so that the first difference is one. */
async function compareTable(from: Database, to: Database, table: Table): Promise<number> {
  const [wanted, found] = await Promise.all([digestOf(from, table), digestOf(to, table)]);
  if (wanted.digest === found.digest) return wanted.count;
  throw new SessionError(
    `The copy differs from ${from.name} in ${table.name} (${wanted.count} rows there, ${found.count} in ${to.name}): something was written during the copy. Stop all programs that use either record, empty the copy, and copy again.`,
    { code: 'STORAGE_FAILED', origin: to.name },
  );
}

async function digestOf(database: Database, table: Table): Promise<{ digest: string; count: number }> {
  const hash = createHash('sha256');
  let count = 0;
  for await (const rows of batches(database, table, null)) {
    count += rows.length;
    for (const row of rows) {
      const names = Object.keys(row).sort();
      hash.update(`${JSON.stringify(names.map((name) => [name, row[name]]))}\n`);
    }
  }
  return { digest: hash.digest('hex'), count };
}

async function* batches(database: Database, table: Table, last: Row | null): AsyncGenerator<Row[]> {
  const { name, key, but = '1 = 1', cleared = [] } = table;
  const keys = key.join(', ');
  const after = `(${keys}) > (${key.map(() => '?').join(', ')})`;
  for (let end = last; ; ) {
    const where = end === null ? but : `${but} AND ${after}`;
    const values = end === null ? [] : key.map((each) => end?.[each] as SqlValue);
    const sql = `SELECT * FROM ${name} WHERE ${where} ORDER BY ${keys} LIMIT ${ROWS}`;
    const rows = await database.read(() => all<Row>(sql, ...values));
    if (rows.length === 0) return;
    end = rows.at(-1) ?? null;
    yield rows.map((row) => ({ ...row, ...Object.fromEntries(cleared.map((column) => [column, null])) }));
  }
}

function* insertRows({ name, key }: Table, rows: readonly Row[]): Work<void> {
  const columns = Object.keys(rows[0] ?? {});
  const places = rows.map(() => `(${columns.map(() => '?').join(', ')})`).join(', ');
  const values = rows.flatMap((row) => columns.map((column) => row[column] as SqlValue));
  yield* run(
    `INSERT INTO ${name} (${columns.join(', ')}) VALUES ${places} ON CONFLICT (${key.join(', ')}) DO NOTHING`,
    ...values,
  );
}

/** Up to where an attempt before has come: tables are filled in the order of their keys. */
async function lastOf(to: Database, { name, key, but = '1 = 1' }: Table) {
  const descending = key.map((each) => `${each} DESC`).join(', ');
  const sql = `SELECT ${key.join(', ')} FROM ${name} WHERE ${but} ORDER BY ${descending} LIMIT 1`;
  const counting = `SELECT count(*) AS count FROM ${name} WHERE ${but}`;
  return to.read(function* () {
    const last = (yield* get<Row>(sql)) ?? null;
    const count = (yield* get<{ count: number }>(counting))?.count ?? 0;
    return { last, count };
  });
}

/** What whoever opened it before noted of an empty record gives way to what the other one notes. */
async function refuseFull(to: Database, mark: string): Promise<void> {
  const isFull = await to.write(function* () {
    if (yield* get('SELECT 1 FROM facts WHERE name = ?', mark)) return false;
    const found = yield* get(
      'SELECT 1 FROM sessions UNION ALL SELECT 1 FROM runs UNION ALL SELECT 1 FROM shelf LIMIT 1',
    );
    if (found === undefined) yield* run("DELETE FROM facts WHERE name NOT LIKE 'lease %'");
    return found !== undefined;
  });
  if (isFull)
    throw new SessionError(`${to.name} already has sessions. Copy to an empty record.`, {
      code: 'SESSION_EXISTS',
      origin: to.name,
    });
}
