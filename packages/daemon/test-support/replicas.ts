import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { placeRecord } from '@amplifier/sessions';
import { verifyRecord } from '@amplifier/sessions/record';
import { FakeModelServer, seededRandom } from '@amplifier/testkit';
import { expect, vi } from 'vitest';
import { PostgresDatabase } from '../../postgres/src/postgres-database.js';
import { type BareClient, bareClient } from '../../postgres/test-support/bare-client.js';
import type { TestPostgres } from '../../postgres/test-support/start-postgres.js';
import { type TcpProxy, tcpProxy } from '../../postgres/test-support/tcp-proxy.js';
import { DaemonProcess } from './daemon-process.js';
import { EventReader } from './event-reader.js';
import { goalModel } from './goal-model.js';
import { Load } from './kill-runs.js';
import { runProfile } from './run-profile.js';
import { allEvents, Broken, type Ledger, type Server, verify, verifyTold } from './verify-runs.js';
import { WebhookReceiver } from './webhook-receiver.js';

export type Accident = 'kill' | 'hang' | 'cut' | 'refuse' | 'silence' | 'slow' | 'restart' | 'crowd';

export interface ReplicasPlan {
  /** A folder of its own. */
  folder: string;
  server: TestPostgres;
  daemons: number;
  /** What befalls them, one after the other. */
  accidents: Iterable<Accident>;
  /** Clients that follow everything. */
  followers?: number;
  /** Clients at work at once. */
  clients?: number;
  seed: number;
  /** How long a daemon that hangs does so: longer than its leases last. */
  hangMs?: number;
}

const TOKEN = 'torture-of-replicas';
const PATIENCE_MS = 15_000;
const PATIENCE = { timeout: 60_000, interval: 50 };

/** One of several daemons, each with a way of its own to the database. */
interface Replica {
  home: string;
  proxy: TcpProxy;
  daemon: DaemonProcess;
}

/**
 * Lets clients work with several daemons on one database while these are killed, stopped, cut off from it and it is restarted, and then
 * looks whether everything that was acknowledged was done, nothing twice, and every event was told to whoever followed.
 */
export async function tortureReplicas({ folder, server, accidents, seed, ...plan }: ReplicasPlan) {
  const { daemons, followers: readers = 1, clients, hangMs = 35_000 } = plan;
  const random = seededRandom(seed);
  const ledger: Ledger = { sessions: [], runs: new Map(), answers: new Map() };
  const load = new Load(ledger, random, folder, clients);
  await using model = await FakeModelServer.start({ script: goalModel });
  await using receiver = await WebhookReceiver.start();
  const address = await server.createDatabase();
  await mkdir(join(folder, 'work'), { recursive: true });
  const replicas: Replica[] = [];
  const takeovers: number[] = [];
  try {
    for (let at = 0; at < daemons; at++) {
      const proxy = await tcpProxy(server.port);
      const home = join(folder, `home-${at}`);
      const daemon = await start(home, through(address, proxy.port));
      replicas.push({ home, proxy, daemon });
      const json = { name: 'worker', manifest: runProfile(model.url) };
      expect((await daemon.fetch('/api/v1/profiles', { method: 'POST', json })).status).toBe(201);
    }
    const fleet = new Fleet(replicas, random);
    const hook = await fleet.fetch('/api/v1/webhooks', { method: 'POST', json: { url: receiver.url } });
    receiver.secret = ((await hook.json()) as { secret: string }).secret;
    const followers = Array.from({ length: readers }, () => new Follower(fleet));
    // A stream has the events after its response headers: without them the first sessions could come before it.
    for (const follower of followers) await follower.connected;
    let isOver = false;
    const working = load.during(fleet, () => isOver);
    try {
      for (const accident of accidents) {
        await pause(200 + random() * 800);
        const victim = replicas[Math.floor(random() * replicas.length)] as Replica;
        if (accident === 'kill') takeovers.push(...(await kill(victim, address, server)));
        if (accident === 'hang') await hang(victim, hangMs);
        if (accident === 'cut') victim.proxy.cut();
        if (accident === 'refuse') await refuse(victim, random() * 5_000);
        if (accident === 'silence') await silence(victim, random() * 5_000);
        if (accident === 'slow') await slow(victim, random() * 200, random() * 5_000);
        if (accident === 'restart') await server.restart();
        if (accident === 'crowd') await crowd(victim, address, random() * 5_000);
      }
    } finally {
      isOver = true;
      await working;
    }
    for (const { daemon } of replicas) await daemon.untilReady();
    fleet.isCalm = true;
    await load.drain(fleet);
    await verify(fleet, ledger);
    const told = await verifyTold(fleet, ledger, receiver);
    const followed = await verifyFollowed(fleet, ledger, followers);
    placeRecord(address, () => PostgresDatabase.open(address));
    expect((await verifyRecord(address)).problems).toEqual([]);
    for (const { daemon } of replicas) expect(await daemon.stop()).toBe(0);
    const runs = [...ledger.runs.values()].filter((run) => run.acknowledged).length;
    return { runs, answers: ledger.answers.size, told, followed, takeovers };
  } finally {
    for (const { daemon, proxy } of replicas) {
      await daemon.kill();
      await proxy[Symbol.asyncDispose]();
    }
  }
}

/** Any of them, as a load balancer would choose. */
class Fleet implements Server {
  readonly #replicas: readonly Replica[];
  readonly #random: () => number;

  constructor(replicas: readonly Replica[], random: () => number) {
    this.#replicas = replicas;
    this.#random = random;
  }

  get any(): DaemonProcess {
    return (this.#replicas[Math.floor(this.#random() * this.#replicas.length)] as Replica).daemon;
  }

  /** From now on nothing befalls them: what fails is asked again. */
  isCalm = false;

  async fetch(path: string, init: Parameters<DaemonProcess['fetch']>[1] = {}): Promise<Response> {
    for (let attempt = 1; ; attempt++)
      try {
        return await this.#once(path, init);
      } catch (error) {
        if (!this.isCalm || attempt === 5) throw error;
      }
  }

  /** The body is read to its end, so that a daemon that dies in the middle of it counts as one that did not answer. */
  async #once(path: string, init: Parameters<DaemonProcess['fetch']>[1]): Promise<Response> {
    try {
      const answer = await this.any.fetch(path, { ...init, signal: AbortSignal.timeout(PATIENCE_MS) });
      const body = await answer.text();
      if (answer.status >= 500) throw new Broken(`${path}: ${body}`);
      const { status } = answer;
      const headers = { 'x-next-cursor': answer.headers.get('x-next-cursor') ?? '' };
      return new Response(status === 204 ? null : body, { status, headers });
    } catch (error) {
      throw error instanceof Broken ? error : new Broken(`${path}: ${String(error)}`);
    }
  }
}

/** A subscriber to all events. Continues at another daemon when its stream breaks. */
class Follower {
  readonly seen = new Set<string>();
  /** Events that came twice or out of order. */
  readonly wrong: string[] = [];
  /** Resolves when the first stream is open. */
  readonly connected: Promise<void>;
  readonly done: Promise<void>;
  #isConnected: () => void = () => {};
  #isOver = false;
  #reader: EventReader | null = null;

  constructor(fleet: Fleet) {
    this.connected = new Promise((resolve) => {
      this.#isConnected = resolve;
    });
    this.done = this.#follow(fleet);
  }

  async end(): Promise<void> {
    this.#isOver = true;
    await this.#reader?.[Symbol.asyncDispose]();
    await this.done;
  }

  async #follow(fleet: Fleet): Promise<void> {
    let lastEventId: string | undefined;
    const last = new Map<string, number>();
    while (!this.#isOver) {
      try {
        const { url, token } = fleet.any;
        this.#reader = await EventReader.open(`${url}/api/v1/events`, token, { lastEventId });
        lastEventId = this.#reader.lastEventId;
        this.#isConnected();
        for (let frame = await this.#reader.next(); frame; frame = await this.#reader.next()) {
          if (frame.id !== null) lastEventId = frame.id;
          if (typeof frame.data?.id !== 'string') continue;
          const { seq, session_id, id, name } = frame.data;
          const before = last.get(session_id) ?? 0;
          // Events of runs have no number in the log of their session.
          if (seq === null ? this.seen.has(id) : seq !== before + 1)
            this.wrong.push(`${id} ${name}: ${seq} of ${session_id} after ${before}`);
          if (seq !== null) last.set(session_id, seq);
          this.seen.add(id);
        }
      } catch {
        // The stream broke.
      }
      await pause(20);
    }
  }
}

/** Each follower got every event of every session once, in the order of the session. */
async function verifyFollowed(fleet: Fleet, ledger: Ledger, followers: readonly Follower[]): Promise<number> {
  const wanted = new Set<string>();
  for (const session_id of ledger.sessions) {
    const children = await fleet.fetch(`/api/v1/sessions/${session_id}/children`);
    for (const each of [{ session_id }, ...((await children.json()) as { session_id: string }[])])
      for (const { id } of await allEvents(fleet, each.session_id)) wanted.add(id);
  }
  for (const follower of followers) {
    const missed = () => [...wanted].filter((id) => !follower.seen.has(id));
    await vi.waitFor(() => expect(missed(), 'events that a follower missed').toEqual([]), PATIENCE);
    await follower.end();
    expect(follower.wrong, 'events that came twice or out of order').toEqual([]);
  }
  return wanted.size;
}

function start(home: string, address: string): Promise<DaemonProcess> {
  return DaemonProcess.start(home, {
    AMPLIFIER_DATABASE: address,
    AMPLIFIERD_TOKEN: TOKEN,
    RUN_TEST_KEY: 'sk-run-test',
    AMPLIFIERD_APPROVALS: '{ on_timeout: leave }',
    AMPLIFIERD_ALLOW_PRIVATE_WEBHOOKS: 'true',
  });
}

/** Kills one, measures how long its runs wait for another, and starts it again. Returns the milliseconds for each run. */
async function kill(victim: Replica, address: string, server: TestPostgres): Promise<number[]> {
  const client = await bareClient(address);
  try {
    const owned = `SELECT run_id, token FROM runs WHERE status = 'running' AND owner LIKE $1`;
    const { rows } = await client.query<{ run_id: string; token: string }>(owned, [`%:${victim.daemon.pid}`]);
    await victim.daemon.kill();
    const killed = performance.now();
    const times: number[] = [];
    const left = new Map(rows.map(({ run_id, token }) => [run_id, token]));
    while (left.size > 0 && performance.now() - killed < 60_000) {
      const now = await client.query<{ run_id: string; token: string; status: string }>(
        'SELECT run_id, token, status FROM runs WHERE run_id = ANY($1)',
        [[...left.keys()]],
      );
      for (const { run_id, token, status } of now.rows) {
        if (token === left.get(run_id) && status === 'running') continue;
        left.delete(run_id);
        times.push(performance.now() - killed);
      }
      await pause(10);
    }
    expect([...left.keys()], 'nobody took these over').toEqual([]);
    victim.daemon = await start(victim.home, through(address, victim.proxy.port || server.port));
    return times;
  } finally {
    await client.end();
  }
}

async function hang({ daemon }: Replica, ms: number): Promise<void> {
  process.kill(daemon.pid, 'SIGSTOP');
  await pause(ms);
  process.kill(daemon.pid, 'SIGCONT');
}

/** To the server it is gone, and it lives. */
async function refuse({ proxy }: Replica, ms: number): Promise<void> {
  proxy.refuse();
  await pause(ms);
  proxy.accept();
}

async function slow({ proxy }: Replica, delayMs: number, ms: number): Promise<void> {
  proxy.delay(delayMs);
  await pause(ms);
  proxy.delay(0);
}

/** Nothing goes through, and nobody is told. */
async function silence({ proxy }: Replica, ms: number): Promise<void> {
  proxy.stop();
  await pause(ms);
  proxy.go();
}

/** Others take all the connections that the server has, those of one daemon included. */
async function crowd({ proxy }: Replica, address: string, ms: number): Promise<void> {
  const clients: BareClient[] = [];
  const fill = async () => {
    for (let full = false; !full; )
      await bareClient(address).then(
        (client) => clients.push(client),
        () => {
          full = true;
        },
      );
  };
  await fill();
  proxy.cut();
  await fill();
  await pause(ms);
  for (const client of clients) await client.end().catch(() => {});
}

function through(address: string, port: number): string {
  return address.replace(/:\d+\//, `:${port}/`);
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
