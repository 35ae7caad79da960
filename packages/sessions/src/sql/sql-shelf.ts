import {
  type Clock,
  type Liveness,
  type ProcessIdentity,
  systemClock,
  systemLiveness,
} from '@amplifier/core';
import { all, type Database, type Durability, get, run, type Work } from '../database/database.js';
import { isDead, ownIdentity, recordClock } from '../database/presence.js';
import { shelfTopic } from '../topic-names.js';

export interface ShelfOptions {
  clock?: Clock;
  liveness?: Liveness;
}

/** The result of an attempt to begin something that must be done by one process at a time. */
export interface Begun<T> {
  /** `new`: not begun before. `left`: its holder is dead or silent. `held`: its holder is at work. `done`: it has ended. */
  state: 'new' | 'left' | 'held' | 'done';
  body: T;
}

/** By whom, and until when. */
type Held = [holder: string, until: number] | [null, null];

/** Must do nothing else: it may be called again. */
type Change<T, Result> = (found: T | null) => { body?: T; until?: number | null; result: Result };

interface ShelfRow {
  body: string;
  until: number | null;
  holder: string | null;
  held_until: number | null;
}

/** It is not over. */
const LASTS = '(until IS NULL OR until > ?)';
const ROW = `SELECT body, until, holder, held_until FROM shelf WHERE kind = ? AND name = ? AND ${LASTS}`;
const ALL = `SELECT body FROM shelf WHERE kind = ? AND ${LASTS} ORDER BY name`;
const TAKE = `DELETE FROM shelf WHERE kind = ? AND name = ? AND ${LASTS} RETURNING body`;
const LEAVE = 'UPDATE shelf SET held_until = 0 WHERE kind = ? AND name = ?';
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
    return bodyOf(await this.#read(kind, () => this.#find(kind, name)));
  }

  /** In the order of their names. */
  async all<T>(kind: string): Promise<T[]> {
    const rows = await this.#read(kind, () => all<ShelfRow>(ALL, kind, this.now()));
    return rows.map(({ body }) => JSON.parse(body));
  }

  async names(kind: string): Promise<string[]> {
    const sql = 'SELECT name FROM shelf WHERE kind = ? ORDER BY name';
    return (await this.#read(kind, () => all<{ name: string }>(sql, kind))).map(({ name }) => name);
  }

  /** False when there is one already. */
  add<T>(kind: string, name: string, body: T, until: number | null = null): Promise<boolean> {
    return this.change<T, boolean>(kind, name, (found) =>
      found === null ? { body, until, result: true } : { result: false },
    );
  }

  /** Nobody is at it any more. */
  async put(kind: string, name: string, body: unknown, until: number | null = null): Promise<void> {
    await this.#write(kind, () => this.#put(kind, name, body, until));
  }

  /** The one that was there, for whoever removes it; null for everybody else. */
  async take<T>(kind: string, name: string): Promise<T | null> {
    return bodyOf(await this.#write(kind, () => get<ShelfRow>(TAKE, kind, name, this.now())));
  }

  async remove(kind: string, name: string): Promise<boolean> {
    return (await this.take(kind, name)) !== null;
  }

  /** Begins what `body` stands for, unless it is begun. Whoever holds it ends that with `put` or `take`, within `heldMs`. */
  begin<T>(kind: string, name: string, body: T, ends: { until: number; heldMs: number }): Promise<Begun<T>> {
    const shelf = this;
    return this.#write(kind, function* (): Work<Begun<T>> {
      const now = shelf.now();
      const row = yield* shelf.#find(kind, name);
      const found = bodyOf<T>(row) ?? body;
      if (row?.holder === null) return { state: 'done', body: found };
      const isLate = !row || (row.held_until ?? 0) <= now;
      if (!isLate && !(yield* isDead(shelf.#database, shelf.#liveness, JSON.parse(row.holder))))
        return { state: 'held', body: found };
      const held: Held = [JSON.stringify(shelf.self), now + ends.heldMs];
      yield* shelf.#put(kind, name, found, row ? row.until : ends.until, held);
      return { state: row ? 'left' : 'new', body: found };
    });
  }

  /** Changes one in a single step. `change` gets what is there; without a `body` that stays as it is. */
  change<T, Result>(
    kind: string,
    name: string,
    change: Change<T, Result>,
    durability: Durability = 'disk',
  ): Promise<Result> {
    const shelf = this;
    const work = function* () {
      const { body, until = null, result } = change(bodyOf(yield* shelf.#find(kind, name)));
      if (body !== undefined) yield* shelf.#put(kind, name, body, until);
      return result;
    };
    return this.#write(kind, work, durability);
  }

  /** Gives up what was begun: whoever comes next finds it left. */
  async leave(kind: string, name: string): Promise<void> {
    await this.#write(kind, () => run(LEAVE, kind, name));
  }

  /** Removes what is over. */
  async sweep(): Promise<void> {
    const remove = () => run('DELETE FROM shelf WHERE until <= ?', this.now());
    await this.#database.write(remove, { trailing: true });
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

  #find(kind: string, name: string): Work<ShelfRow | undefined> {
    return get(ROW, kind, name, this.now());
  }

  #put(kind: string, name: string, body: unknown, until: number | null, held: Held = [null, null]) {
    return run(PUT, kind, name, JSON.stringify(body), until, ...held, this.#database.tenant ?? '');
  }

  #read<T>(kind: string, work: () => Work<T>): Promise<T> {
    return this.#database.read(work, [shelfTopic(kind)]);
  }

  #write<T>(kind: string, work: () => Work<T>, durability: Durability = 'disk'): Promise<T> {
    return this.#database.write(work, { topics: [shelfTopic(kind)], durability });
  }
}

function bodyOf<T>(row: ShelfRow | undefined): T | null {
  return row ? JSON.parse(row.body) : null;
}
