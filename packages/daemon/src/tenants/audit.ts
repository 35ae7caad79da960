import { type Clock, isoTime } from '@amplifier/core';
import { all, type Database, type Durability, get, run, shareDatabase } from '@amplifier/sessions';
import type { Caller } from '../auth/scope.js';
import { bindDatabase } from './bind-database.js';

/** A line of the audit. */
export interface AuditLine {
  n: number;
  time: string;
  /** Whose token it was; '' for the operator's own. */
  tenant: string;
  /** The id of the token. */
  caller: string;
  operation: string;
  target: string;
  /** The status of the answer; 0 where the daemon died before there was one. */
  outcome: number;
}

const ADD = `INSERT INTO audit (time, tenant, caller, operation, target, outcome) VALUES (?, ?, ?, ?, ?, 0) RETURNING n`;
/** Old lines are looked for with every so many new ones. */
const SWEEP_EVERY = 1_000;

/**
 * Who changed what. A line is in the record before the change is carried out; where it cannot be written, the change is refused. A change
 * of the record that survives a power cut has its line, which was written before it.
 */
export class Audit {
  readonly #database: Database;
  readonly #clock: Clock;
  readonly #days: number;
  #added = 0;

  private constructor(database: Database, clock: Clock, days: number) {
    this.#database = database;
    this.#clock = clock;
    this.#days = days;
  }

  static async open(
    record: string,
    clock: Clock,
    days: number,
  ): Promise<{ audit: Audit; release: () => Promise<void> }> {
    const { database, release } = await shareDatabase(record);
    return { audit: new Audit(database, clock, days), release };
  }

  /** The lines of one tenant. */
  of(tenant: string): Audit {
    return new Audit(bindDatabase(this.#database, tenant), this.#clock, this.#days);
  }

  /**
   * Carries out a change with its line. `statusOf` returns the status of the answer. `durability`: that of the line; `process`
   * suffices for changes that are in the record only.
   */
  async during<T>(
    { id, tenant = '' }: Caller,
    { operation, target }: Pick<AuditLine, 'operation' | 'target'>,
    work: () => Promise<T>,
    statusOf: (answer: { value: T } | { error: unknown }) => number,
    durability: Durability = 'disk',
  ): Promise<T> {
    const line = await this.#database.write(
      () => get<{ n: number }>(ADD, isoTime(this.#clock), tenant, id, operation, target),
      { durability },
    );
    let status = 500;
    try {
      const value = await work();
      status = statusOf({ value });
      return value;
    } catch (error) {
      status = statusOf({ error });
      throw error;
    } finally {
      if (line) this.#end(line.n, status);
    }
  }

  /** Newest first. */
  list({ before, limit }: { before?: number | undefined; limit: number }): Promise<AuditLine[]> {
    const sql = `SELECT n, time, tenant, caller, operation, target, outcome FROM audit WHERE n < ? ORDER BY n DESC LIMIT ?`;
    return this.#database.read(() => all<AuditLine>(sql, before ?? Number.MAX_SAFE_INTEGER, limit), 'all');
  }

  /** What the answer was is no part of the change: it is written with what comes next. */
  #end(n: number, status: number): void {
    const isDue = this.#added++ % SWEEP_EVERY === 0;
    const cutoff = new Date(this.#clock.now() - this.#days * 86_400_000).toISOString();
    const ended = this.#database.write(
      function* () {
        yield* run('UPDATE audit SET outcome = ? WHERE n = ?', status, n);
        if (isDue) yield* run('DELETE FROM audit WHERE time < ?', cutoff);
      },
      { trailing: true, durability: 'process' },
    );
    // The line itself is there.
    ended.catch(() => {});
  }
}
