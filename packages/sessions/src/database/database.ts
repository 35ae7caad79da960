import type { LoopHealth } from '@amplifier/core';

/** What a statement takes. Documents are JSON text, times ISO text, flags 0 and 1. */
export type SqlValue = string | number | null;

export interface Statement {
  sql: string;
  values: readonly SqlValue[];
  wants: 'changes' | 'row' | 'rows';
  /** The columns of the rows, where there are many of both: a driver may bring them over in one piece. */
  columns?: readonly string[];
  /** Only so many of the first rows as have together at most `bytes` of text in these columns, but at least one. */
  within?: { bytes: number; columns: readonly string[] };
}

/**
 * A piece of work on the database: it yields statements and gets their results. A driver that has its database at hand runs
 * it in one go, one that talks to a server waits in between. It must not wait for anything else, must check before its first
 * write what it may refuse, and must be able to run again from the beginning.
 */
export type Work<T> = Generator<Statement, T, unknown>;

/** Answered with how many rows it changed, as `run` is. */
export function change(sql: string, ...values: SqlValue[]): Statement {
  return { sql, values, wants: 'changes' };
}

export function* run(sql: string, ...values: SqlValue[]): Work<number> {
  return (yield change(sql, ...values)) as number;
}

export function* get<Row>(sql: string, ...values: SqlValue[]): Work<Row | undefined> {
  return (yield { sql, values, wants: 'row' }) as Row | undefined;
}

export function* all<Row>(sql: string, ...values: SqlValue[]): Work<Row[]> {
  return (yield { sql, values, wants: 'rows' }) as Row[];
}

/** The first rows of a statement, as many as `within` allows. A driver must not read the others whole. */
export function* allWithin<Row>(
  within: Required<Statement>['within'],
  sql: string,
  ...values: SqlValue[]
): Work<Row[]> {
  return (yield { sql, values, wants: 'rows', within }) as Row[];
}

/** Rows of these columns; `rest` is the statement after them. */
export function* table<Row>(columns: readonly string[], rest: string, ...values: SqlValue[]): Work<Row[]> {
  return (yield { sql: `SELECT ${columns.join(', ')} ${rest}`, values, wants: 'rows', columns }) as Row[];
}

/** A WHERE that grows: the conditions so far and the values they take. */
export function conditions(first: string) {
  const where = [first];
  const values: SqlValue[] = [];
  const add = (condition: string, ...given: SqlValue[]) => {
    where.push(condition);
    values.push(...given);
  };
  return { where, values, add };
}

/**
 * What a write survives. `process`: SIGKILL of this process, and other processes see it. `disk`: a power cut as well, and
 * everything written before it does, too.
 */
export type Durability = 'process' | 'disk';

export interface WriteOptions {
  /** What the write is about: subscribers are notified, and later reads of these topics in this process see it. */
  topics?: readonly string[];
  /** The write is committed with the next one of this process, or after a moment. */
  trailing?: boolean;
  /** Default: `disk`. May be raised until the work runs. */
  durability?: Durability;
}

/** Who is connected, where the database itself can tell: it knows at once when a process has died, on whichever machine. */
export interface Presence {
  /** What this process is known by there. */
  readonly key: number;
  isThere(key: number): Work<boolean>;
}

/**
 * A place for rows. What a process wrote later is never found there without all it wrote before: there is one order of
 * its writes, and those that wait at the same time share a commit.
 */
export interface Database extends AsyncDisposable {
  /** For messages: the file, or the server. */
  readonly name: string;
  /** How many commits this process has made, and how many writes it has asked for. */
  readonly commits: number;
  readonly writes: number;
  /** Statements run, and waits for the disk, where the driver counts them. For measurements. */
  readonly statements?: number;
  readonly syncs?: number;
  /** Only where processes of several machines meet. */
  readonly presence?: Presence;
  /** The time there, where that is not the time of this machine. */
  now?(): number;
  /** How the connections are, where there are any. */
  readonly health?: LoopHealth;
  /** Whose rows these are, where it is bound to one tenant. */
  readonly tenant?: string;
  /** Where it is bound: all of it, for what is nobody's in particular. */
  readonly whole?: Database;
  /** The same, watched over by the server: rows of other tenants are out of reach, whatever a statement says. Only where it can. */
  bound?(tenant: string): Pick<Database, 'read' | 'write'>;
  /** Sees everything that was committed, and what this process has written about these topics. */
  read<T>(work: () => Work<T>, topics?: readonly string[] | 'all'): Promise<T>;
  /**
   * Runs in a transaction. Must resolve when the transaction has the durability that was asked for, must leave no trace when it
   * rejects, and must settle a rejected write before it runs a later one.
   */
  write<T>(work: () => Work<T>, options?: WriteOptions): Promise<T>;
  /** Somebody waits for what is to be written. */
  commitSoon(): void;
  /** Resolves when every write asked for so far is committed or was refused. Writes nothing itself. */
  settled(): Promise<void>;
  /** Resolves when every commit so far is on disk. */
  sync(): Promise<void>;
  /**
   * Calls `onNews` after every commit about the topic, and whenever another process may have written about it. With scope `process`
   * a driver may leave out commits of other processes, where following them costs more.
   */
  subscribe(topic: string, onNews: () => void, scope?: 'all' | 'process'): () => void;
  /** The same for what only a finished write can say. */
  tell(topics: readonly string[]): void;
  /** What is wrong with the database itself, in its own words. Empty when nothing is. */
  verify(): Promise<string[]>;
  /** Copies everything to a new file while others go on writing. */
  backup(path: string): Promise<void>;
  /** Rows were put in with numbers of their own: the next gets a higher one. Only where the database does not see to that itself. */
  numberFromHere?(): Promise<void>;
  /** Gives back the room of what was deleted. */
  compact(): Promise<void>;
  close(): Promise<void>;
}
