/** What a statement takes. Documents are JSON text, times ISO text, flags 0 and 1. */
export type SqlValue = string | number | null;

export interface Statement {
  sql: string;
  values: readonly SqlValue[];
  wants: 'changes' | 'row' | 'rows';
}

/**
 * A piece of work on the database: it yields statements and gets their results. A driver that has its database at hand runs
 * it in one go, one that talks to a server waits in between. It must not wait for anything else, must check before its first
 * write what it may refuse, and must be able to run again from the beginning.
 */
export type Work<T> = Generator<Statement, T, unknown>;

/** How many rows a statement changed. */
export function* run(sql: string, ...values: SqlValue[]): Work<number> {
  return (yield { sql, values, wants: 'changes' }) as number;
}

export function* get<Row>(sql: string, ...values: SqlValue[]): Work<Row | undefined> {
  return (yield { sql, values, wants: 'row' }) as Row | undefined;
}

export function* all<Row>(sql: string, ...values: SqlValue[]): Work<Row[]> {
  return (yield { sql, values, wants: 'rows' }) as Row[];
}

export interface WriteOptions {
  /** What it is about: whoever subscribed is told, and whoever reads about it in this process sees it. */
  topics?: readonly string[];
  /** Nobody waits for it: it is committed with the next write of this process, or after a moment. */
  trailing?: boolean;
}

export interface VerifyReport {
  /** What is wrong with the database itself, in its own words. Empty when nothing is. */
  problems: string[];
}

/**
 * A place for rows. What a process wrote later is never found there without all it wrote before: there is one order of
 * its writes, and those that wait at the same time share a commit.
 */
export interface Database extends AsyncDisposable {
  /** For messages: the file, or the server. */
  readonly name: string;
  /** How many commits this process has made. */
  readonly commits: number;
  /** Sees everything that was committed, and what this process has written about these topics. */
  read<T>(work: () => Work<T>, topics?: readonly string[] | 'all'): Promise<T>;
  /** Runs in a transaction. Resolves when that is durable. Must leave no trace when it rejects. */
  write<T>(work: () => Work<T>, options?: WriteOptions): Promise<T>;
  /** Calls `onNews` after every commit about the topic, and whenever another process may have written about it. */
  subscribe(topic: string, onNews: () => void): () => void;
  /** The same for what only a finished write can say. */
  tell(topics: readonly string[]): void;
  verify(): Promise<VerifyReport>;
  /** Copies everything to a new file while others go on writing. */
  backup(path: string): Promise<void>;
  /** Gives back the room of what was deleted. */
  compact(): Promise<void>;
  close(): Promise<void>;
}
