import { randomInt } from 'node:crypto';
import type { LoopHealth } from '@amplifier/core';
import { get, type Presence, SessionError, type Work } from '@amplifier/sessions';
import type { Client, ClientConfig, QueryConfig } from 'pg';
import { connect, cut, holdsProcess } from './connect.js';
import {
  CONFIRM_MS,
  NOTIFY_BYTES,
  NOTIFY_MS,
  PRESENCE_ANSWER_MS,
  PRESENCE_LOCKS,
  PRESENCE_MS,
  RECONNECT_MS,
  RETURN_MS,
} from './defaults.js';
import { pooled, refusePooler } from './refuse-pooler.js';

const CHANNEL = 'amplifier_record';
const EVERYTHING = '*';

const LOCKS = `SELECT objid::bigint AS key FROM pg_locks WHERE locktype = 'advisory' AND classid = ${PRESENCE_LOCKS}
  AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`;
const LOOK = `SELECT pg_backend_pid() AS pid, (extract(epoch FROM clock_timestamp()) * 1000)::float8 AS now,
  ARRAY(${LOCKS}) AS keys`;
const IS_THERE = `${LOCKS} AND objid = ? UNION ALL
  SELECT 0 WHERE pg_postmaster_start_time() > clock_timestamp() - interval '${RETURN_MS} milliseconds' LIMIT 1`;

export interface Listener {
  /** News about these topics; null: about anything. */
  onNews(topics: readonly string[] | null): void;
  onTime(now: number): void;
}

/**
 * The one connection that must stay the same: a lock on it says that this process lives, and news come and go over it. When it
 * breaks, it is made again, and everybody looks at everything: so nothing is missed.
 */
export class SessionConnection implements Presence {
  readonly key = randomInt(1, 2 ** 31 - 1);
  readonly #config: ClientConfig;
  readonly #name: string;
  readonly #listener: Listener;
  #client: Client | null = null;
  #pid = 0;
  #present = new Set<number>();
  /** Since when those that were there are not. */
  readonly #missing = new Map<number, number>();
  readonly #untold = new Set<string>();
  #telling: NodeJS.Timeout | undefined;
  #look: NodeJS.Timeout | undefined;
  #asking: Promise<unknown> = Promise.resolve();
  #isClosed = false;
  #failures = 0;
  #lost = 0;
  #lastError: LoopHealth['last_error'] = null;

  private constructor(config: ClientConfig, name: string, listener: Listener) {
    this.#config = config;
    this.#name = name;
    this.#listener = listener;
  }

  /** `prepare` is done on the connection before anything else. */
  static async open(
    config: ClientConfig,
    name: string,
    listener: Listener,
    prepare: (client: Client) => Promise<void>,
  ): Promise<SessionConnection> {
    const connection = new SessionConnection(config, name, listener);
    await connection.#connect(prepare);
    return connection;
  }

  get health(): LoopHealth {
    return {
      name: 'connection to the record',
      state: this.#client ? 'serving' : 'retrying',
      set_aside: this.#lost,
      failures: this.#failures,
      last_error: this.#lastError,
    };
  }

  *isThere(key: number): Work<boolean> {
    if (key === this.key) return true;
    const since = this.#missing.get(key);
    // It may be about to come back.
    if (since !== undefined && Date.now() - since < CONFIRM_MS) return true;
    return (yield* get(IS_THERE, key)) !== undefined;
  }

  /** Tells the other processes, soon and together. */
  tell(topics: Iterable<string>): void {
    for (const topic of topics) this.#untold.add(topic);
    if (this.#untold.size > 0) this.#telling ??= setTimeout(() => void this.#tellNow(), NOTIFY_MS).unref();
  }

  async close(): Promise<void> {
    if (this.#client) holdsProcess(this.#client, true);
    await this.#tellNow();
    this.#isClosed = true;
    clearTimeout(this.#look);
    await this.#client?.end().catch(() => {});
    this.#client = null;
  }

  async #connect(prepare?: (client: Client) => Promise<void>): Promise<void> {
    const client = await connect(this.#config);
    try {
      await refusePooler(client, this.#config, this.#name);
      await prepare?.(client);
      await client.query(
        'SET tcp_keepalives_idle = 5; SET tcp_keepalives_interval = 2; SET tcp_keepalives_count = 3',
      );
      const { rows } = await client.query<{ taken: boolean; pid: number }>(
        `SELECT pg_try_advisory_lock(${PRESENCE_LOCKS}, $1) AS taken, pg_backend_pid() AS pid`,
        [this.key],
      );
      // The server has not noticed yet that the connection before is gone.
      if (!rows[0]?.taken)
        throw new SessionError('The former connection still has the lock.', { code: 'STORAGE_FAILED' });
      this.#pid = rows[0].pid;
      client.on('notification', ({ payload }) => this.#hear(payload ?? ''));
      await client.query(`LISTEN ${CHANNEL}`);
    } catch (error) {
      cut(client);
      throw error;
    }
    this.#client = client;
    this.#failures = 0;
    client.on('end', () => this.#lose(client, new Error('The server closed the connection.')));
    client.on('error', (error) => this.#lose(client, error));
    holdsProcess(client, false);
    this.#lookSoon();
  }

  #hear(payload: string): void {
    const [from, ...topics] = payload.split('\n');
    if (Number(from) === this.key) return;
    this.#listener.onNews(topics[0] === EVERYTHING ? null : topics);
  }

  #lookSoon(): void {
    clearTimeout(this.#look);
    this.#look = setTimeout(() => void this.#lookAround(), PRESENCE_MS).unref();
  }

  /** Who is there? Whoever is gone may have written something and not got to tell, and left work behind. */
  async #lookAround(): Promise<void> {
    const client = this.#client;
    if (!client || this.#isClosed) return;
    try {
      const { rows } = await this.#ask(() =>
        client.query<{ pid: number; now: number; keys: number[] }>({
          text: LOOK,
          query_timeout: PRESENCE_ANSWER_MS,
        } as QueryConfig),
      );
      const [row] = rows;
      if (row?.pid !== this.#pid) throw pooled(this.#name);
      this.#listener.onTime(row.now);
      this.#compare(new Set(row.keys.map(Number)));
      this.#lookSoon();
    } catch (error) {
      this.#lose(client, error);
    }
  }

  #compare(present: Set<number>): void {
    const now = Date.now();
    let isNews = false;
    for (const key of this.#present) if (!present.has(key)) this.#missing.set(key, now);
    for (const [key, since] of this.#missing) {
      if (present.has(key)) this.#missing.delete(key);
      else if (now - since >= CONFIRM_MS) {
        this.#missing.delete(key);
        isNews = true;
      }
    }
    this.#present = present;
    if (isNews) this.#listener.onNews(null);
  }

  #lose(client: Client, error: unknown): void {
    if (this.#client !== client || this.#isClosed) return;
    this.#client = null;
    this.#lost++;
    cut(client);
    this.#failed(error);
    void this.#reconnect();
  }

  async #reconnect(): Promise<void> {
    while (!this.#isClosed && !this.#client) {
      await pause(RECONNECT_MS[Math.min(this.#failures - 1, RECONNECT_MS.length - 1)] ?? 500);
      await this.#connect().catch((error) => this.#failed(error));
    }
    if (this.#isClosed) return;
    // What happened meanwhile, here and elsewhere.
    this.#listener.onNews(null);
    this.tell([EVERYTHING]);
  }

  #failed(error: unknown): void {
    this.#failures++;
    const { message, code } = error as Error & { code?: unknown };
    const time = new Date().toISOString();
    this.#lastError = { time, code: typeof code === 'string' ? code : null, message, item: null };
  }

  async #tellNow(): Promise<void> {
    clearTimeout(this.#telling);
    this.#telling = undefined;
    const client = this.#client;
    // Without a connection nothing is lost: after a new one everybody is told to look at everything.
    if (!client || this.#untold.size === 0) return;
    const topics = [...this.#untold];
    this.#untold.clear();
    const text = [this.key, ...topics].join('\n');
    const isLong = topics.includes(EVERYTHING) || Buffer.byteLength(text) > NOTIFY_BYTES;
    const payload = isLong ? `${this.key}\n${EVERYTHING}` : text;
    const told = this.#ask(() => client.query('SELECT pg_notify($1, $2)', [CHANNEL, payload]));
    await told.catch((error) => this.#lose(client, error));
  }

  /** One question at a time. */
  #ask<T>(question: () => Promise<T>): Promise<T> {
    const answer = this.#asking.then(question);
    this.#asking = answer.catch(() => {});
    return answer;
  }
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms).unref());
}
