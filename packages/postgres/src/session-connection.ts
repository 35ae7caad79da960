import { randomInt } from 'node:crypto';
import { type LoopHealth, quietClock, SupervisedLoop, sleep } from '@amplifier/core';
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
  RECORD_LOCKS,
  RETURN_MS,
  WRITE_LOCK,
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

/** Waits until the transaction that has the write lock ends. */
const UNTIL_WRITTEN = `SELECT pg_advisory_xact_lock_shared(${RECORD_LOCKS}, ${WRITE_LOCK})`;

export interface Listener {
  /** News about these topics; null: about anything. */
  onNews(topics: readonly string[] | null): void;
  onTime(now: number): void;
}

/** A connection while it lasts. */
interface Link {
  client: Client;
  pid: number;
  /** Aborted with the reason when it does not last any more. */
  gone: AbortController;
}

interface Look {
  now: number;
  present: Set<number>;
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
  readonly #loop: SupervisedLoop<Look>;
  readonly #stop = new AbortController();
  #link: Link | null = null;
  #present = new Set<number>();
  /** Since when those that were there are not. */
  readonly #missing = new Map<number, number>();
  readonly #untold = new Set<string>();
  #telling: NodeJS.Timeout | undefined;
  #asking: Promise<unknown> = Promise.resolve();

  private constructor(config: ClientConfig, name: string, listener: Listener) {
    this.#config = config;
    this.#name = name;
    this.#listener = listener;
    this.#loop = new SupervisedLoop<Look>({
      name: 'connection to the record',
      clock: quietClock,
      pauses: RECONNECT_MS,
      // Whoever reads or writes meanwhile tells of it; how it is, health says.
      report: () => {},
      items: (signal) => this.#looks(signal),
      serve: ({ now, present }) => {
        listener.onTime(now);
        return this.#compare(present);
      },
      nameOf: () => 'a look at who is there',
    });
  }

  /** `prepare` is done on the connection before anything else. */
  static async open(
    config: ClientConfig,
    name: string,
    listener: Listener,
    prepare: (client: Client) => Promise<void>,
  ): Promise<SessionConnection> {
    const connection = new SessionConnection(config, name, listener);
    connection.#link = await connection.#connect(prepare);
    void connection.#loop.run(connection.#stop.signal);
    return connection;
  }

  get health(): LoopHealth {
    return this.#loop.health;
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
    if (this.#link) holdsProcess(this.#link.client, true);
    await this.#tellNow();
    const link = this.#link;
    this.#link = null;
    this.#stop.abort();
    link?.gone.abort();
    await link?.client.end().catch(() => {});
  }

  async #connect(prepare?: (client: Client) => Promise<void>): Promise<Link> {
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
      const [row] = rows;
      // The server has not noticed yet that the connection before is gone.
      if (!row?.taken)
        throw new SessionError('The former connection still has the lock.', { code: 'STORAGE_FAILED' });
      client.on('notification', ({ payload }) => this.#hear(payload ?? ''));
      await client.query(`LISTEN ${CHANNEL}`);
      const gone = new AbortController();
      client.on('end', () => gone.abort(new Error('The server closed the connection.')));
      client.on('error', (error) => gone.abort(error));
      holdsProcess(client, false);
      return { client, pid: row.pid, gone };
    } catch (error) {
      cut(client);
      throw error;
    }
  }

  /** Who is there, again and again for as long as the connection lasts. One that broke is made again first. */
  async *#looks(stop: AbortSignal): AsyncGenerator<Look> {
    const link = this.#link ?? (await this.#reconnect(stop));
    const { signal } = link.gone;
    try {
      for (;;) {
        await sleep(quietClock, PRESENCE_MS, signal);
        yield await this.#lookAround(link);
      }
    } catch (error) {
      throw signal.aborted ? signal.reason : error;
    } finally {
      if (this.#link === link) {
        this.#link = null;
        cut(link.client);
      }
    }
  }

  async #reconnect(stop: AbortSignal): Promise<Link> {
    const link = await this.#connect();
    if (stop.aborted) {
      cut(link.client);
      throw stop.reason;
    }
    this.#link = link;
    // What happened meanwhile, here and elsewhere.
    this.#listener.onNews(null);
    this.tell([EVERYTHING]);
    return link;
  }

  #hear(payload: string): void {
    const [from, ...topics] = payload.split('\n');
    if (Number(from) === this.key) return;
    this.#listener.onNews(topics[0] === EVERYTHING ? null : topics);
  }

  /** Whoever is gone may have written something and not got to tell, and left work behind. */
  async #lookAround({ client, pid }: Link): Promise<Look> {
    const { rows } = await this.#ask(() =>
      client.query<{ pid: number; now: number; keys: number[] }>({
        text: LOOK,
        query_timeout: PRESENCE_ANSWER_MS,
      } as QueryConfig),
    );
    const [row] = rows;
    if (row?.pid !== pid) throw pooled(this.#name);
    return { now: row.now, present: new Set(row.keys.map(Number)) };
  }

  async #compare(present: Set<number>): Promise<void> {
    const now = Date.now();
    let hasDied = false;
    for (const key of this.#present) if (!present.has(key)) this.#missing.set(key, now);
    for (const [key, since] of this.#missing) {
      if (present.has(key)) this.#missing.delete(key);
      else if (now - since >= CONFIRM_MS) {
        this.#missing.delete(key);
        hasDied = true;
      }
    }
    this.#present = present;
    if (!hasDied) return;
    try {
      // The server may still be committing the last write of the dead process, which notifies no one of it.
      await this.#ask(async () => this.#link?.client.query(UNTIL_WRITTEN));
    } finally {
      this.#listener.onNews(null);
    }
  }

  async #tellNow(): Promise<void> {
    clearTimeout(this.#telling);
    this.#telling = undefined;
    const link = this.#link;
    // Without a connection nothing is lost: after a new one everybody is told to look at everything.
    if (!link || this.#untold.size === 0) return;
    const topics = [...this.#untold];
    this.#untold.clear();
    const text = [this.key, ...topics].join('\n');
    const isLong = topics.includes(EVERYTHING) || Buffer.byteLength(text) > NOTIFY_BYTES;
    const payload = isLong ? `${this.key}\n${EVERYTHING}` : text;
    const told = this.#ask(() => link.client.query('SELECT pg_notify($1, $2)', [CHANNEL, payload]));
    await told.catch((error) => link.gone.abort(error));
  }

  /** One question at a time. */
  #ask<T>(question: () => Promise<T>): Promise<T> {
    const answer = this.#asking.then(question);
    this.#asking = answer.catch(() => {});
    return answer;
  }
}
