import { closeSync, fdatasyncSync, openSync } from 'node:fs';
import { DatabaseSync } from '@photostructure/sqlite';

/** What a commit costs at best: rows in a table with a key, in a file with the settings of the record. */
export class BareDatabase {
  readonly #connection: InstanceType<typeof DatabaseSync>;
  readonly #begin;
  readonly #insert;
  readonly #commit;
  readonly #wal: number;

  /** With `NORMAL` a commit is on disk after `sync`; with `FULL` each is synced. */
  constructor(file: string, synchronous: 'FULL' | 'NORMAL' = 'FULL') {
    this.#connection = new DatabaseSync(file);
    this.#connection.exec(
      `PRAGMA journal_mode = WAL; PRAGMA synchronous = ${synchronous}; CREATE TABLE IF NOT EXISTS rows (n INTEGER PRIMARY KEY, body TEXT NOT NULL)`,
    );
    this.#begin = this.#connection.prepare('BEGIN IMMEDIATE');
    this.#insert = this.#connection.prepare('INSERT INTO rows (body) VALUES (?)');
    this.#commit = this.#connection.prepare('COMMIT');
    this.#wal = openSync(`${file}-wal`, 'r');
  }

  /** One commit of so many rows. */
  commit(bodies: readonly string[]): void {
    this.#begin.run();
    for (const body of bodies) this.#insert.run(body);
    this.#commit.run();
  }

  sync(): void {
    fdatasyncSync(this.#wal);
  }

  close(): void {
    closeSync(this.#wal);
    this.#connection.close();
  }
}
