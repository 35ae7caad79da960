import { setTimeout as pause } from 'node:timers/promises';
import { BUSY_PATIENCE_MS, BUSY_RETRY_MS, COMMIT_BUDGET_MS, TRAILING_MS } from '../defaults.js';
import { SessionError } from '../session-error.js';
import { all, type Database, type Work, type WriteOptions } from './database.js';
import { ForeignCommits } from './foreign-commits.js';
import { type Connection, loadSqlite } from './load-sqlite.js';
import { configure, migrate } from './migrate.js';
import { isBusy, patiently, storageError } from './sqlite-error.js';
import { copyInto, makeFile } from './sqlite-file.js';
import { SqliteStatements } from './sqlite-statements.js';
import { Topics } from './topics.js';
import { WalSync } from './wal-sync.js';

export const IN_MEMORY = ':memory:';

interface Pending {
  work: () => Work<unknown>;
  options: WriteOptions;
  resolve: (value: unknown) => void;
  reject: (error: unknown) => void;
}

/** A SQLite file, or rows in memory. Work runs in one go: between its statements nothing else happens in this process. */
export class SqliteDatabase implements Database {
  readonly name: string;
  commits = 0;
  writes = 0;
  readonly #connection: Connection;
  readonly #statements: SqliteStatements;
  readonly #topics = new Topics();
  /** Listeners that need no file watch: they hear only of commits of this process. */
  readonly #ownTopics = new Topics();
  readonly #foreign: ForeignCommits | null;
  readonly #wal: WalSync | null;
  readonly #pending: Pending[] = [];
  /** The write that was asked for last. */
  #last: Promise<unknown> = Promise.resolve();
  /** How many pending writes there are about each topic. */
  readonly #awaited = new Map<string, number>();
  #soon: NodeJS.Immediate | undefined;
  #late: NodeJS.Timeout | undefined;
  #busySince: number | null = null;
  #version: unknown;
  #isClosed = false;
  /** So many of the next are committed one by one: one of them failed, and the others are not to blame. */
  #alone = 0;

  private constructor(name: string, connection: Connection) {
    this.name = name;
    this.#connection = connection;
    this.#statements = new SqliteStatements(connection);
    const [look, tell] = [() => this.#hasChanged(), () => this.#topics.tellAll()];
    this.#foreign = name === IN_MEMORY ? null : new ForeignCommits(`${name}-wal`, look, tell);
    this.#wal = name === IN_MEMORY ? null : new WalSync(`${name}-wal`);
  }

  /** Opens the file, which is made when it is missing, and brings its schema up to date. */
  static async open(file: string): Promise<SqliteDatabase> {
    const { DatabaseSync } = await loadSqlite();
    try {
      if (file !== IN_MEMORY) await makeFile(file);
      const connection = new DatabaseSync(file);
      try {
        await patiently(() => configure(connection));
        await patiently(() => migrate(connection, file));
        return new SqliteDatabase(file, connection);
      } catch (error) {
        connection.close();
        throw error;
      }
    } catch (error) {
      throw storageError(error, file);
    }
  }

  async read<T>(work: () => Work<T>, topics: readonly string[] | 'all' = []): Promise<T> {
    this.#requireOpen();
    while (this.#isAwaited(topics)) if (this.#flush() !== 'done') await pause(BUSY_RETRY_MS);
    return this.#patiently(() => this.#statements.execute(work()));
  }

  write<T>(work: () => Work<T>, options: WriteOptions = {}): Promise<T> {
    const { topics = [], trailing = false } = options;
    if (this.#isClosed) return Promise.reject(closed(this.name));
    if (this.#wal?.failure !== undefined) return Promise.reject(storageError(this.#wal.failure, this.name));
    this.writes++;
    for (const topic of topics) this.#awaited.set(topic, (this.#awaited.get(topic) ?? 0) + 1);
    const written = new Promise<T>((resolve, reject) => {
      this.#pending.push({ work, options, resolve: resolve as Pending['resolve'], reject });
    });
    this.#last = written;
    if (!trailing) this.commitSoon();
    else if (!this.#soon) this.#flushLater(TRAILING_MS);
    return written;
  }

  get statements(): number {
    return this.#statements.executed;
  }

  commitSoon(): void {
    this.#soon ??= setImmediate(() => void this.#flush());
  }

  async settled(): Promise<void> {
    if (this.#pending.length === 0) return;
    this.commitSoon();
    await this.#last.catch(() => {});
  }

  async sync(): Promise<void> {
    try {
      await this.#wal?.sync();
    } catch (error) {
      throw storageError(error, this.name);
    }
  }

  get syncs(): number {
    return this.#wal?.count ?? 0;
  }

  subscribe(topic: string, onNews: () => void, scope: 'all' | 'process' = 'all'): () => void {
    this.#requireOpen();
    if (scope === 'process') {
      this.#ownTopics.add(topic, onNews);
      return () => this.#ownTopics.remove(topic, onNews);
    }
    if (this.#topics.isEmpty) {
      this.#hasChanged();
      this.#foreign?.start();
    }
    this.#topics.add(topic, onNews);
    return () => {
      this.#topics.remove(topic, onNews);
      if (this.#topics.isEmpty) this.#foreign?.rest();
    };
  }

  tell(topics: Iterable<string>): void {
    this.#topics.tell(topics);
    this.#ownTopics.tell(topics);
  }

  async verify(): Promise<string[]> {
    const problems: string[] = [];
    for (const check of ['PRAGMA integrity_check', 'PRAGMA foreign_key_check']) {
      const found = await this.read(() => all<object>(check)).catch((error: Error) => [[error.message]]);
      problems.push(...found.map((row) => Object.values(row).join(' ')).filter((text) => text !== 'ok'));
    }
    return problems;
  }

  async backup(path: string): Promise<void> {
    await this.read(function* () {}, 'all');
    await copyInto(this.#connection, path);
  }

  async compact(): Promise<void> {
    await this.read(function* () {}, 'all');
    const fold =
      'PRAGMA temp_store = FILE; VACUUM; PRAGMA temp_store = MEMORY; PRAGMA wal_checkpoint(TRUNCATE); PRAGMA optimize';
    await this.#patiently(() => this.#connection.exec(fold));
  }

  async close(): Promise<void> {
    if (this.#isClosed) return;
    while (this.#pending.length > 0) if (this.#flush() !== 'done') await pause(BUSY_RETRY_MS);
    this.#isClosed = true;
    this.#foreign?.stop();
    clearImmediate(this.#soon);
    clearTimeout(this.#late);
    try {
      await this.sync();
    } finally {
      this.#connection.close();
      this.#wal?.close();
    }
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  /** A timer is not called off by a commit, which takes longer than all else of it: what came after the commit waits once more. */
  #flushLater(ms: number): void {
    const commits = this.commits;
    this.#late ??= setTimeout(() => {
      this.#late = undefined;
      if (commits === this.commits) this.#flush();
      else if (this.#pending.length > 0) this.#flushLater(ms);
    }, ms);
  }

  /** Commits what waits, as much as fits into one commit. Where it could not, another try comes soon. */
  #flush(): 'done' | 'busy' | 'refused' {
    clearImmediate(this.#soon);
    this.#soon = undefined;
    if (this.#pending.length === 0) return 'done';
    const outcome = this.#transaction();
    if (outcome === 'busy') {
      clearTimeout(this.#late);
      this.#late = undefined;
      this.#flushLater(BUSY_RETRY_MS);
    } else if (this.#pending.length > 0) this.commitSoon();
    return outcome;
  }

  #transaction(): 'done' | 'busy' | 'refused' {
    if (!this.#begin()) return 'busy';
    const started = performance.now();
    const outcomes: (() => void)[] = [];
    let [tried, isTaken, isChanged] = [0, true, false];
    try {
      for (const write of this.#pending) {
        tried++;
        isTaken = this.#execute(write, outcomes);
        isChanged ||= this.#statements.hasWritten;
        if (!isTaken || this.#alone > 0 || performance.now() - started > COMMIT_BUDGET_MS) break;
      }
      this.#statements.control('COMMIT');
    } catch (error) {
      this.#rollBack();
      // The others are not to blame, so each is tried by itself; a disk that is full refuses each of them in its own words.
      if (tried > 1) {
        this.#alone = tried;
        return 'done';
      }
      const refusal = storageError(error, this.name);
      this.#settle(this.#pending.slice(0, 1).map(({ reject }) => reject.bind(null, refusal)));
      return 'refused';
    }
    if (isChanged) {
      this.commits++;
      this.#wal?.touch();
    }
    this.#settle(outcomes);
    return isTaken ? 'done' : 'refused';
  }

  /** Adds how its caller is answered once the transaction is committed. False: it is refused. Throws when it failed after it had written. */
  #execute({ work, options, resolve, reject }: Pending, outcomes: (() => void)[]): boolean {
    this.#statements.hasWritten = false;
    try {
      const value = this.#statements.execute(work());
      const { durability = 'disk' } = options;
      const isDone = durability === 'process' || !this.#wal;
      outcomes.push(isDone ? () => resolve(value) : () => this.sync().then(() => resolve(value), reject));
      return true;
    } catch (error) {
      // A full disk ends the transaction by itself.
      if (this.#statements.hasWritten || !this.#connection.isTransaction) throw error;
      outcomes.push(() => reject(storageError(error, this.name)));
      return false;
    }
  }

  /** Takes writes off the line, tells their callers, and whoever waits for news of them. */
  #settle(outcomes: readonly (() => void)[]): void {
    const told = new Set<string>();
    this.#alone = Math.max(0, this.#alone - outcomes.length);
    for (const { options } of this.#pending.splice(0, outcomes.length)) {
      for (const topic of options.topics ?? []) {
        told.add(topic);
        const left = (this.#awaited.get(topic) ?? 1) - 1;
        if (left === 0) this.#awaited.delete(topic);
        else this.#awaited.set(topic, left);
      }
    }
    for (const tell of outcomes) tell();
    this.tell(told);
  }

  /** False while another process writes, unless it does so for too long: then everything that waits is refused. */
  #begin(): boolean {
    try {
      this.#statements.control('BEGIN IMMEDIATE');
      this.#busySince = null;
      return true;
    } catch (error) {
      this.#busySince ??= Date.now();
      if (isBusy(error) && Date.now() - this.#busySince < BUSY_PATIENCE_MS) return false;
      this.#busySince = null;
      const refusal = storageError(error, this.name);
      this.#settle(this.#pending.map(({ reject }) => reject.bind(null, refusal)));
      return false;
    }
  }

  #rollBack(): void {
    try {
      if (this.#connection.isTransaction) this.#statements.control('ROLLBACK');
    } catch {
      // SQLite has rolled back by itself.
    }
  }

  async #patiently<T>(work: () => T): Promise<T> {
    try {
      return await patiently(work);
    } catch (error) {
      throw storageError(error, this.name);
    }
  }

  #isAwaited(topics: readonly string[] | 'all'): boolean {
    if (this.#pending.length === 0) return false;
    return topics === 'all' || topics.some((topic) => this.#awaited.has(topic));
  }

  /** Has another process committed since the last time? */
  #hasChanged(): boolean {
    if (this.#isClosed) return false;
    const [version] = Object.values(this.#statements.prepare('PRAGMA data_version').get() as object);
    const isNew = version !== this.#version;
    this.#version = version;
    return isNew;
  }

  #requireOpen(): void {
    if (this.#isClosed) throw closed(this.name);
  }
}

function closed(name: string): SessionError {
  return new SessionError(`The record ${name} is closed; open it again.`, { code: 'LOG_CLOSED' });
}
