import type { Work, WriteOptions } from '@amplifier/sessions';
import type { Client, ClientConfig } from 'pg';
import { connect, cut, holdsProcess } from './connect.js';
import {
  COMMIT_BUDGET_MS,
  PATIENCE_MS,
  RECONNECT_MS,
  RECORD_LOCKS,
  SILENT_WRITER_MS,
  STATEMENT_MS,
  TRAILING_MS,
  WRITE_LOCK,
} from './defaults.js';
import { execute, type Line } from './execute.js';
import { isPassing, storageError } from './postgres-error.js';
import { isPooled } from './refuse-pooler.js';
import { bindSql, UNBIND } from './row-security.js';

interface Pending {
  work: () => Work<unknown>;
  /** Whose rows alone it may reach. */
  tenant: string | undefined;
  options: WriteOptions;
  resolve: (value: unknown) => void;
  reject: (error: unknown) => void;
  /** Resolves when it was committed or refused. */
  settled: Promise<void>;
  settle: () => void;
}

/**
 * One writer at a time over all processes: then what is numbered later is also committed later, so whoever follows the numbers misses
 * nothing, and what work has checked still holds when it writes. Who holds the line and falls silent loses it.
 */
const BEGIN = `BEGIN; SET LOCAL idle_in_transaction_session_timeout = ${SILENT_WRITER_MS};
  SET LOCAL statement_timeout = ${STATEMENT_MS}; SELECT pg_advisory_xact_lock(${RECORD_LOCKS}, ${WRITE_LOCK});
  SELECT pg_current_xact_id()::text AS xid, (extract(epoch FROM clock_timestamp()) * 1000)::float8 AS now`;

export interface WriteListener {
  onCommitted(topics: ReadonlySet<string>): void;
  onTime(now: number): void;
}

/** The writes of this process, in order. Those that wait at the same time share a commit. */
export class WriteLine {
  readonly #config: ClientConfig;
  readonly #name: string;
  readonly #listener: WriteListener;
  readonly #pending: Pending[] = [];
  #line: (Line & { client: Client }) | null = null;
  #soon: NodeJS.Immediate | undefined;
  #late: NodeJS.Timeout | undefined;
  #isWorking = false;
  /** So many of the next are committed one by one: one of them failed, and the others are not to blame. */
  #alone = 0;
  #failingSince: number | null = null;
  #failures = 0;
  /** The last commit, and so every one before it, is on the server's disk. */
  #isSynced = true;
  commits = 0;
  writes = 0;

  constructor(config: ClientConfig, name: string, listener: WriteListener) {
    this.#config = config;
    this.#name = name;
    this.#listener = listener;
  }

  add<T>(work: () => Work<T>, options: WriteOptions, tenant?: string): Promise<T> {
    const { trailing = false } = options;
    this.writes++;
    return new Promise<T>((resolve, reject) => {
      let settle = () => {};
      const settled = new Promise<void>((done) => {
        settle = done;
      });
      const told = { resolve: resolve as Pending['resolve'], reject, settled, settle };
      this.#pending.push({ work, tenant, options, ...told });
      if (!trailing) this.commitSoon();
      else if (!this.#soon) this.#late ??= setTimeout(() => void this.#work(), TRAILING_MS);
    });
  }

  commitSoon(): void {
    this.#soon ??= setImmediate(() => void this.#work());
  }

  /** Resolves when what was added about these topics is committed or refused. */
  async written(topics: readonly string[] | 'all'): Promise<void> {
    const isAbout = (write: Pending) =>
      topics === 'all' || (write.options.topics ?? []).some((topic) => topics.includes(topic));
    const last = this.#pending.findLast(isAbout);
    if (!last) return;
    void this.#work();
    await last.settled;
  }

  /** Resolves when every commit so far is on the server's disk: a commit that waits covers those before it. */
  async sync(): Promise<void> {
    if (!this.#isSynced) await this.add(nothing, {});
  }

  async close(): Promise<void> {
    await this.written('all');
    await this.sync();
    const line = this.#line;
    this.#line = null;
    if (line) holdsProcess(line.client, true);
    await line?.client.end().catch(() => {});
  }

  async #work(): Promise<void> {
    if (this.#isWorking) return;
    this.#isWorking = true;
    try {
      while (this.#pending.length > 0) await this.#commitSome();
    } finally {
      this.#isWorking = false;
      // Those who rang meanwhile have been served.
      clearImmediate(this.#soon);
      clearTimeout(this.#late);
      this.#soon = this.#late = undefined;
      if (this.#line) holdsProcess(this.#line.client, false);
    }
  }

  /** Commits the first of what waits. While the server cannot be reached they keep their place, until patience ends. */
  async #commitSome(): Promise<void> {
    try {
      await this.#transaction(await this.#connected());
      this.#failingSince = null;
      this.#failures = 0;
    } catch (error) {
      this.#drop();
      this.#failingSince ??= Date.now();
      if (isPassing(error) && Date.now() - this.#failingSince < PATIENCE_MS) {
        await pause(RECONNECT_MS[Math.min(this.#failures++, RECONNECT_MS.length - 1)] ?? 500);
        return;
      }
      this.#failingSince = null;
      const refusal = storageError(error, this.#name);
      this.#settle(this.#pending.length, (write) => write.reject(refusal));
    }
  }

  async #connected(): Promise<Line & { client: Client }> {
    if (!this.#line) {
      const client = await connect(this.#config);
      client.once('end', () => {
        if (this.#line?.client === client) this.#line = null;
      });
      this.#line = { client, prepares: !(await isPooled(client)), hasWritten: false };
    }
    holdsProcess(this.#line.client, true);
    return this.#line;
  }

  #drop(): void {
    if (this.#line) cut(this.#line.client);
    this.#line = null;
  }

  async #transaction(line: Line): Promise<void> {
    const begun = (await line.client.query(BEGIN)) as unknown as { rows: { xid: string; now: number }[] }[];
    const { xid, now } = begun.at(-1)?.rows[0] ?? { xid: '', now: Date.now() };
    this.#listener.onTime(now);
    const started = performance.now();
    const outcomes: ((write: Pending) => void)[] = [];
    for (let at = 0; at < this.#pending.length; at++) {
      const write = this.#pending[at] as Pending;
      try {
        line.hasWritten = false;
        const value = await executeFor(line, write);
        outcomes.push(({ resolve }) => resolve(value));
      } catch (error) {
        if (isPassing(error)) throw error;
        if (line.hasWritten || isBroken(error)) {
          await line.client.query('ROLLBACK');
          this.#blame(at, error);
          return;
        }
        outcomes.push(({ reject }) => reject(storageError(error, this.#name)));
        // Whoever asked hears of it before more is done.
        break;
      }
      if (this.#alone > 0 || performance.now() - started > COMMIT_BUDGET_MS) break;
    }
    const isForDisk = this.#pending.slice(0, outcomes.length).some(isDurable);
    if (await this.#commit(line, xid, isForDisk))
      this.#settle(outcomes.length, (write, at) => outcomes[at]?.(write));
  }

  /** One that fails by itself is refused; one that failed among others is tried again by itself, and so are those before it. */
  #blame(at: number, error: unknown): void {
    if (at > 0) this.#alone = at + 1;
    else this.#settle(1, ({ reject }) => reject(storageError(error, this.#name)));
  }

  /** Commits with the durability that its writes need. False when it did not come about and is to be tried again. */
  async #commit(line: Line, xid: string, isForDisk: boolean): Promise<boolean> {
    try {
      await line.client.query(isForDisk ? 'COMMIT' : 'SET LOCAL synchronous_commit = off; COMMIT');
    } catch (error) {
      if (!isPassing(error)) throw error;
      this.#drop();
      if ((await this.#fateOf(xid)) !== 'committed') return false;
    }
    this.commits++;
    this.#isSynced = isForDisk;
    return true;
  }

  /** What became of a commit whose answer was lost: the server remembers. */
  async #fateOf(xid: string): Promise<string> {
    for (const started = Date.now(); ; ) {
      try {
        const { client } = await this.#connected();
        const { rows } = await client.query<{ fate: string | null }>(
          'SELECT pg_xact_status($1::xid8) AS fate',
          [xid],
        );
        const fate = rows[0]?.fate ?? 'forgotten';
        if (fate !== 'in progress') return fate;
      } catch (error) {
        this.#drop();
        // Not to be tried again: it may have come about.
        if (!isPassing(error) || Date.now() - started > PATIENCE_MS) throw storageError(error, this.#name);
      }
      await pause(100);
    }
  }

  #settle(count: number, tell: (write: Pending, at: number) => void): void {
    const told = new Set<string>();
    const done = this.#pending.splice(0, count);
    this.#alone = Math.max(0, this.#alone - count);
    for (const [at, write] of done.entries()) {
      for (const topic of write.options.topics ?? []) told.add(topic);
      tell(write, at);
      write.settle();
    }
    this.#listener.onCommitted(told);
  }
}

/** An empty transaction. `BEGIN` takes a transaction id, so that it writes a commit record. */
function* nothing(): Work<void> {}

function isDurable({ options: { durability = 'disk' } }: Pending): boolean {
  return durability === 'disk';
}

async function executeFor(line: Line, { work, tenant }: Pending): Promise<unknown> {
  if (tenant === undefined) return execute(line, work());
  await line.client.query(bindSql(tenant));
  try {
    const value = await execute(line, work());
    await line.client.query(UNBIND);
    return value;
  } catch (error) {
    // Whatever comes next in this transaction is for others.
    if (!isPassing(error) && !isBroken(error)) await line.client.query(UNBIND);
    throw error;
  }
}

/** A statement that failed leaves the whole transaction of no use. */
function isBroken(error: unknown): boolean {
  return typeof (error as { severity?: unknown } | null)?.severity === 'string';
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
