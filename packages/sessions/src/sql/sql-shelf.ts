import {
  type Clock,
  type Liveness,
  type ProcessIdentity,
  systemClock,
  systemLiveness,
} from '@amplifier/core';
import { all, type Database, get, run, type Work } from '../database/database.js';
import { isDead, ownIdentity, recordClock } from '../database/presence.js';
import { shelfTopic } from './topic-names.js';

export interface ShelfOptions {
  clock?: Clock;
  liveness?: Liveness;
}

/** What became of an attempt to begin something that must be done by one process at a time. */
export interface Begun<T> {
  /** `new`: nobody had begun it. `left`: whoever had is dead or silent. `held`: somebody is at it. `done`: nobody is. */
  state: 'new' | 'left' | 'held' | 'done';
  body: T;
}

/** Must do nothing else: it may be called again. */
type Change<T, Result> = (found: T | null) => { body?: T; until?: number | null; result: Result };

interface ShelfRow {
  body: string;
  until: number | null;
  holder: string | null;
  held_until: number | null;
}

const ROW = 'SELECT body, until, holder, held_until FROM shelf WHERE kind = ? AND name = ?';
const PUT = `INSERT INTO shelf (kind, name, body, until, holder, held_until, tenant) VALUES (?, ?, ?, ?, ?, ?, ?)
  ON CONFLICT (kind, name) DO UPDATE SET body = excluded.body, until = excluded.until, holder = excluded.holder,
    held_until = excluded.held_until WHERE excluded.tenant IN ('', shelf.tenant)`;

/** Small documents by kind and name, which all who serve a record share. One with an end is gone when that has come. */
export class SqlShelf implements AsyncDisposable {
  readonly #database: Database;
  readonly #clock: Clock;
  readonly #liveness: Liveness;
  readonly #release: () => Promise<void>;

  constructor(database: Database, options: ShelfOptions = {}, release = async () => {}) {
    this.#database = database;
    this.#clock = recordClock(database, options.clock ?? systemClock);
    this.#liveness = options.liveness ?? systemLiveness;
    this.#release = release;
  }

  /** Through another view of the database, for as long as this one is open. */
  on(view: (database: Database) => Database): SqlShelf {
    return new SqlShelf(view(this.#database), { clock: this.#clock, liveness: this.#liveness });
  }

  async get<T>(kind: string, name: string): Promise<T | null> {
    const row = await this.#database.read(() => get<ShelfRow>(ROW, kind, name), [shelfTopic(kind)]);
    return this.#bodyOf(row);
  }

  /** In the order of their names. */
  async all<T>(kind: string): Promise<T[]> {
    const sql = 'SELECT body, until FROM shelf WHERE kind = ? ORDER BY name';
    const rows = await this.#database.read(() => all<ShelfRow>(sql, kind), [shelfTopic(kind)]);
    return rows.filter((row) => !this.#isOver(row)).map(({ body }) => JSON.parse(body) as T);
  }

  async names(kind: string): Promise<string[]> {
    const sql = 'SELECT name FROM shelf WHERE kind = ? ORDER BY name';
    const rows = await this.#database.read(() => all<{ name: string }>(sql, kind), [shelfTopic(kind)]);
    return rows.map(({ name }) => name);
  }

  /** False when there is one already. */
  add<T>(kind: string, name: string, body: T, until: number | null = null): Promise<boolean> {
    return this.change<T, boolean>(kind, name, (found) =>
      found === null ? { body, until, result: true } : { result: false },
    );
  }

  /** Nobody is at it any more. */
  async put(kind: string, name: string, body: unknown, until: number | null = null): Promise<void> {
    await this.#write(kind, () => this.#put(kind, name, JSON.stringify(body), until));
  }

  /** The one that was there, for whoever removes it; null for everybody else. */
  async take<T>(kind: string, name: string): Promise<T | null> {
    const sql = 'DELETE FROM shelf WHERE kind = ? AND name = ? RETURNING body, until';
    return this.#bodyOf(await this.#write(kind, () => get<ShelfRow>(sql, kind, name)));
  }

  async remove(kind: string, name: string): Promise<boolean> {
    return (await this.take(kind, name)) !== null;
  }

  /** Begins what `body` stands for, unless it is begun. Whoever holds it ends that with `put` or `take`, within `heldMs`. */
  begin<T>(kind: string, name: string, body: T, ends: { until: number; heldMs: number }): Promise<Begun<T>> {
    const now = this.#clock.now();
    const shelf = this;
    return this.#write(kind, function* (): Work<Begun<T>> {
      const row = yield* get<ShelfRow>(ROW, kind, name);
      const found = shelf.#bodyOf<T>(row);
      if (row && found !== null) {
        if (row.holder === null) return { state: 'done', body: found };
        if (yield* shelf.#isHeld(row, now)) return { state: 'held', body: found };
      }
      const until = row && found !== null ? row.until : ends.until;
      const holder = { self: JSON.stringify(shelf.self), until: now + ends.heldMs };
      yield* shelf.#put(kind, name, JSON.stringify(found ?? body), until, holder);
      return found === null ? { state: 'new', body } : { state: 'left', body: found };
    });
  }

  /** Changes one in a single step. `change` gets what is there; without a `body` that stays as it is. */
  change<T, Result>(kind: string, name: string, change: Change<T, Result>): Promise<Result> {
    const shelf = this;
    return this.#write(kind, function* () {
      const found = shelf.#bodyOf<T>(yield* get<ShelfRow>(ROW, kind, name));
      const { body, until = null, result } = change(found);
      if (body !== undefined) yield* shelf.#put(kind, name, JSON.stringify(body), until);
      return result;
    });
  }

  /** Gives up what was begun: whoever comes next finds it left. */
  async leave(kind: string, name: string): Promise<void> {
    const sql = 'UPDATE shelf SET held_until = 0 WHERE kind = ? AND name = ?';
    await this.#write(kind, () => run(sql, kind, name));
  }

  /** Removes what is over. */
  async sweep(): Promise<void> {
    const now = this.#clock.now();
    await this.#database.write(() => run('DELETE FROM shelf WHERE until <= ?', now), { trailing: true });
  }

  /** The time that ends are measured in. */
  now(): number {
    return this.#clock.now();
  }

  /** This process as the others know it. */
  get self(): ProcessIdentity {
    return ownIdentity(this.#database, this.#liveness);
  }

  /** Can it be proved that the process is dead? */
  isGone(process: ProcessIdentity): Promise<boolean> {
    return this.#database.read(() => isDead(this.#database, this.#liveness, process));
  }

  /** Calls back whenever something of the kind may have changed, here or elsewhere. */
  watch(kind: string, onNews: () => void): () => void {
    return this.#database.subscribe(shelfTopic(kind), onNews);
  }

  close(): Promise<void> {
    return this.#release();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  #put(kind: string, name: string, text: string, until: number | null, by?: { self: string; until: number }) {
    const { tenant = '' } = this.#database;
    return run(PUT, kind, name, text, until, by?.self ?? null, by?.until ?? null, tenant);
  }

  #bodyOf<T>(row: ShelfRow | undefined): T | null {
    return row && !this.#isOver(row) ? (JSON.parse(row.body) as T) : null;
  }

  #write<T>(kind: string, work: () => Work<T>): Promise<T> {
    return this.#database.write(work, { topics: [shelfTopic(kind)] });
  }

  #isOver({ until }: Pick<ShelfRow, 'until'>): boolean {
    return until !== null && until <= this.#clock.now();
  }

  *#isHeld({ holder, held_until }: ShelfRow, now: number): Work<boolean> {
    if (holder === null || (held_until ?? 0) <= now) return false;
    return !(yield* isDead(this.#database, this.#liveness, JSON.parse(holder) as ProcessIdentity));
  }
}
