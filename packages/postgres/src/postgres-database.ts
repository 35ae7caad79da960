import type { LoopHealth } from '@amplifier/core';
import {
  type Database,
  type Presence,
  SessionError,
  Topics,
  type Work,
  type WriteOptions,
} from '@amplifier/sessions';
import pg, { type Client, type ClientConfig, type Pool, type PoolClient } from 'pg';
import { clientConfig, connect } from './connect.js';
import { OPEN_PATIENCE_MS, PATIENCE_MS, READ_CONNECTIONS, RECONNECT_MS, STATEMENT_MS } from './defaults.js';
import { execute } from './execute.js';
import { SWEEP_BLOBS } from './long-text.js';
import { migrate } from './migrate.js';
import { readAddress } from './postgres-address.js';
import { isPassing, storageError } from './postgres-error.js';
import { bindSql, prepareRole } from './row-security.js';
import { SessionConnection } from './session-connection.js';
import { WriteLine } from './write-line.js';

/** Tables whose keys the server counts up. */
const NUMBERED = [
  ['sessions', 'n'],
  ['events', 'n'],
  ['mail', 'n'],
  ['runs', 'seq'],
  ['audit', 'n'],
] as const;

export interface PostgresOptions {
  /** The server's own address, where the other one is that of a pooler. */
  direct?: string | undefined;
  /** Connections for reading. */
  connections?: number | undefined;
}

/** The record on a PostgreSQL server, which any number of machines share. */
export class PostgresDatabase implements Database {
  readonly name: string;
  readonly #config: ClientConfig;
  readonly #pool: Pool;
  readonly #line: WriteLine;
  readonly #session: SessionConnection;
  readonly #topics: Topics;
  readonly #clock: ServerClock;
  /** That there is a role which row-level security holds for; looked at when the first tenant comes. */
  #role: Promise<void> | undefined;
  #hasRole = false;
  #isClosed = false;

  private constructor(
    name: string,
    config: ClientConfig,
    connections: number,
    { session, topics, clock }: { session: SessionConnection; topics: Topics; clock: ServerClock },
  ) {
    this.name = name;
    this.#config = config;
    this.#session = session;
    this.#topics = topics;
    this.#clock = clock;
    this.#pool = new pg.Pool({ ...clientConfig(config), max: connections, allowExitOnIdle: true });
    this.#pool.on('error', () => {});
    // One that breaks while it is used is met by whoever uses it.
    this.#pool.on('connect', (client) => client.on('error', () => {}));
    this.#line = new WriteLine(config, name, {
      onTime: (now) => clock.set(now),
      onCommitted: (told) => this.tell([...told]),
    });
  }

  /** Connects, and brings the schema up to date. */
  static async open(address: string, options: PostgresOptions = {}): Promise<PostgresDatabase> {
    const { name, client: config } = readAddress(address);
    const direct = options.direct === undefined ? config : readAddress(options.direct).client;
    const topics = new Topics();
    const clock = new ServerClock();
    const listener = {
      onNews: (told: readonly string[] | null) => (told ? topics.tell(told) : topics.tellAll()),
      onTime: (now: number) => clock.set(now),
    };
    try {
      const session = await patiently(OPEN_PATIENCE_MS, () =>
        SessionConnection.open(direct, name, listener, (client) => prepare(client, name, clock)),
      );
      const connections = options.connections ?? READ_CONNECTIONS;
      return new PostgresDatabase(name, config, connections, { session, topics, clock });
    } catch (error) {
      throw storageError(error, name);
    }
  }

  get commits(): number {
    return this.#line.commits;
  }

  get writes(): number {
    return this.#line.writes;
  }

  commitSoon(): void {
    this.#line.commitSoon();
  }

  async settled(): Promise<void> {
    // Until the role is prepared, writes bound to a tenant are not in the line yet.
    if (!this.#hasRole) await this.#role?.catch(() => {});
    await this.#line.written('all');
  }

  sync(): Promise<void> {
    return this.#line.sync();
  }

  get presence(): Presence {
    return this.#session;
  }

  get health(): LoopHealth {
    return this.#session.health;
  }

  now(): number {
    return this.#clock.now();
  }

  read<T>(work: () => Work<T>, topics: readonly string[] | 'all' = []): Promise<T> {
    return this.#read(work, topics);
  }

  bound(tenant: string): Pick<Database, 'read' | 'write'> {
    const ready = () => {
      this.#role ??= prepareRole(this.#config, this.name).then(
        () => {
          this.#hasRole = true;
        },
        (error) => {
          this.#role = undefined;
          throw storageError(error, this.name);
        },
      );
      return this.#role;
    };
    return {
      read: async (work, topics = []) => ready().then(() => this.#read(work, topics, tenant)),
      write: (work, options = {}) => {
        if (this.#hasRole) return this.#write(work, options, tenant);
        // Until it has its place in the line, it counts: nothing later may join what came before it.
        this.#line.writes++;
        return ready().then(() => this.#write(work, options, tenant));
      },
    };
  }

  async #read<T>(work: () => Work<T>, topics: readonly string[] | 'all', tenant?: string): Promise<T> {
    this.#requireOpen();
    await this.#line.written(topics);
    try {
      return await patiently(PATIENCE_MS, () => this.#readOnce(work, tenant));
    } catch (error) {
      throw storageError(error, this.name);
    }
  }

  write<T>(work: () => Work<T>, options: WriteOptions = {}): Promise<T> {
    return this.#write(work, options);
  }

  #write<T>(work: () => Work<T>, options: WriteOptions, tenant?: string): Promise<T> {
    if (this.#isClosed) return Promise.reject(closed(this.name));
    return this.#line.add(work, options, tenant);
  }

  subscribe(topic: string, onNews: () => void): () => void {
    this.#requireOpen();
    this.#topics.add(topic, onNews);
    return () => this.#topics.remove(topic, onNews);
  }

  tell(topics: readonly string[]): void {
    this.#topics.tell(topics);
    this.#session.tell(topics);
  }

  /** The server checks its own pages; what we can ask is whether it still answers for every table. */
  async verify(): Promise<string[]> {
    const problems: string[] = [];
    for (const table of ['sessions', 'messages', 'events', 'documents', 'mail', 'runs', 'shelf', 'audit']) {
      const count = () => this.read(() => only(`SELECT count(*) AS count FROM ${table}`));
      await count().catch((error: Error) => problems.push(error.message));
    }
    return problems;
  }

  async backup(): Promise<void> {
    throw new SessionError(`The record ${this.name} is on a server: back it up with pg_dump.`, {
      code: 'STORAGE_FAILED',
      origin: this.name,
    });
  }

  async numberFromHere(): Promise<void> {
    await this.write(function* () {
      for (const [table, key] of NUMBERED) {
        const highest = `(SELECT coalesce(max(${key}), 0) + 1 FROM ${table})`;
        yield* only(`SELECT setval(pg_get_serial_sequence('${table}', '${key}'), ${highest}, false)`);
      }
    });
  }

  async compact(): Promise<void> {
    await this.write(() => only(SWEEP_BLOBS));
    const client = await connect(this.#config);
    try {
      await client.query('VACUUM (ANALYZE)');
    } catch (error) {
      throw storageError(error, this.name);
    } finally {
      await client.end();
    }
  }

  async close(): Promise<void> {
    if (this.#isClosed) return;
    await this.#line.close();
    this.#isClosed = true;
    await this.#session.close();
    await this.#pool.end();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  async #readOnce<T>(work: () => Work<T>, tenant?: string): Promise<T> {
    const client: PoolClient = await this.#pool.connect();
    let failure: unknown;
    try {
      const line = { client, prepares: false, hasWritten: false };
      if (tenant === undefined) return await execute(line, work());
      await client.query(`BEGIN READ ONLY; ${bindSql(tenant)}`);
      return await execute(line, work()).finally(() => client.query('ROLLBACK'));
    } catch (error) {
      failure = error;
      throw error;
    } finally {
      client.release(isPassing(failure));
    }
  }

  #requireOpen(): void {
    if (this.#isClosed) throw closed(this.name);
  }
}

/** The time of the server, by how much it differed from ours when it was last asked. */
class ServerClock {
  #ahead = 0;

  set(now: number): void {
    this.#ahead = now - Date.now();
  }

  now(): number {
    return Math.round(Date.now() + this.#ahead);
  }
}

async function prepare(client: Client, name: string, clock: ServerClock): Promise<void> {
  await client.query(`SET statement_timeout = ${STATEMENT_MS}`);
  await migrate(client, name);
  const { rows } = await client.query<{ now: number }>(
    'SELECT (extract(epoch FROM clock_timestamp()) * 1000)::float8 AS now',
  );
  clock.set(rows[0]?.now ?? Date.now());
}

/** Tries again while the server cannot be reached, is starting, or is full. */
async function patiently<T>(ms: number, work: () => Promise<T>): Promise<T> {
  for (let attempt = 0, started = Date.now(); ; attempt++) {
    try {
      return await work();
    } catch (error) {
      if (!isPassing(error) || Date.now() - started > ms) throw error;
      const wait = RECONNECT_MS[Math.min(attempt, RECONNECT_MS.length - 1)];
      await new Promise((resolve) => setTimeout(resolve, wait));
    }
  }
}

function* only(sql: string): Work<unknown> {
  return yield { sql, values: [], wants: 'row' };
}

function closed(name: string): SessionError {
  return new SessionError(`The record ${name} is closed; open it again.`, { code: 'LOG_CLOSED' });
}
