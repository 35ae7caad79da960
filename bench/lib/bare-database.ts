import { DatabaseSync } from '@photostructure/sqlite';

/** What a commit costs at best: rows of 1 KB in a table with a key, in a file with the settings of the record. */
export class BareDatabase {
  readonly #connection: InstanceType<typeof DatabaseSync>;
  readonly #begin;
  readonly #insert;
  readonly #commit;

  constructor(file: string) {
    this.#connection = new DatabaseSync(file);
    this.#connection.exec(
      'PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; CREATE TABLE IF NOT EXISTS rows (n INTEGER PRIMARY KEY, body TEXT NOT NULL)',
    );
    this.#begin = this.#connection.prepare('BEGIN IMMEDIATE');
    this.#insert = this.#connection.prepare('INSERT INTO rows (body) VALUES (?)');
    this.#commit = this.#connection.prepare('COMMIT');
  }

  /** One commit of so many rows. */
  commit(bodies: readonly string[]): void {
    this.#begin.run();
    for (const body of bodies) this.#insert.run(body);
    this.#commit.run();
  }

  close(): void {
    this.#connection.close();
  }
}
