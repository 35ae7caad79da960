import type { SqlValue, Statement, Work } from './database.js';
import type { Connection } from './load-sqlite.js';

type Prepared = ReturnType<Connection['prepare']>;

const READS = /^\s*(SELECT|WITH|PRAGMA)/;

/** The statements of a connection, each prepared once. */
export class SqliteStatements {
  readonly #connection: Connection;
  readonly #prepared = new Map<string, Prepared>();
  /** Has work changed anything since this was last set to false? */
  hasWritten = false;
  /** Statements of work and transactions run so far. */
  executed = 0;

  constructor(connection: Connection) {
    this.#connection = connection;
  }

  /** Runs a piece of work in one go. */
  execute<T>(work: Work<T>): T {
    let step = work.next();
    while (!step.done) step = work.next(this.#answer(step.value));
    return step.value;
  }

  prepare(sql: string): Prepared {
    const known = this.#prepared.get(sql);
    if (known) return known;
    const prepared = this.#connection.prepare(sql);
    this.#prepared.set(sql, prepared);
    return prepared;
  }

  /** Begins or ends a transaction. */
  control(sql: 'BEGIN IMMEDIATE' | 'COMMIT' | 'ROLLBACK'): void {
    this.executed++;
    this.prepare(sql).run();
  }

  #answer({ sql, values, wants, columns, within }: Statement): unknown {
    this.executed++;
    if (columns) return this.#unpack(sql, values, columns);
    const prepared = this.prepare(sql);
    if (within) return firstRows(prepared, values, within);
    if (wants === 'changes') {
      const changes = Number(prepared.run(...values).changes);
      if (changes > 0) this.hasWritten = true;
      return changes;
    }
    const answer = wants === 'row' ? prepared.get(...values) : prepared.all(...values);
    if (answer !== undefined && !READS.test(sql)) this.hasWritten = true;
    return answer;
  }

  /** One text for all rows: a crossing for each value takes several times as long. */
  #unpack(sql: string, values: readonly SqlValue[], columns: readonly string[]): unknown[] {
    const packed = `SELECT json_group_array(json_array(${columns.join(', ')})) AS rows FROM (${sql})`;
    const { rows } = this.prepare(packed).get(...values) as { rows: string };
    return (JSON.parse(rows) as unknown[][]).map((values) => {
      const row: Record<string, unknown> = {};
      for (const [at, name] of columns.entries()) row[name] = values[at];
      return row;
    });
  }
}

/** Reads one row after the other and stops at the one that does not fit. */
function firstRows(
  prepared: Prepared,
  values: readonly SqlValue[],
  { bytes, columns }: Required<Statement>['within'],
): unknown[] {
  const rows: unknown[] = [];
  let size = 0;
  for (const row of prepared.iterate(...values) as Iterable<Record<string, unknown>>) {
    for (const name of columns) size += Buffer.byteLength(String(row[name] ?? ''));
    if (size > bytes && rows.length > 0) break;
    rows.push(row);
  }
  return rows;
}
