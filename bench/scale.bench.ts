// What one PostgreSQL carries: runs and events with one, two and three daemons, and how the same work fares among 1,000 to 100,000 sessions
// with up to ten million events; and how soon the runs of a daemon that was killed go on at another. Daemons, server, model and clients
// share this machine. --daemons, --takeover or --growth for one part.
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { Agent } from 'node:http';
import { cpus, loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { FakeModelServer } from '@amplifier/testkit';
import { DaemonProcess } from '../packages/daemon/test-support/daemon-process.js';
import { goalModel, instructionOf } from '../packages/daemon/test-support/goal-model.js';
import { runProfile } from '../packages/daemon/test-support/run-profile.js';
import { type BareClient, bareClient } from '../packages/postgres/test-support/bare-client.js';
import { installedVersion, startPostgres } from '../packages/postgres/test-support/start-postgres.js';
import { measureFanOut } from './lib/fan-out.js';
import { measureGrowth } from './lib/growth.js';
import { send } from './lib/http-load.js';
import { isSmoke, percentile } from './lib/measure.js';
import { familyMs, processorMs } from './lib/processor-time.js';
import { measureTakeover } from './lib/takeover.js';

const TOKEN = 'bench-of-scale';
const COUNTS = isSmoke ? [1] : [1, 2, 3];
const SECONDS = isSmoke ? 0.2 : 8;
const CLIENTS = isSmoke ? 2 : 24;
const FOLLOWERS = isSmoke ? 3 : 300;
const EVENTS = isSmoke ? 3 : 100;
/** A conversation that grows makes every turn dearer. */
const PER_SESSION = 10;
const SETTINGS = ['fsync=on', 'shared_buffers=512MB', 'max_wal_size=8GB', 'checkpoint_timeout=30min'];

const wants = (part: string) =>
  process.argv.includes(part) || !/--(daemons|takeover|growth)/.test(process.argv.join());
const folder = await mkdtemp(join(tmpdir(), 'scale-'));
const model = await FakeModelServer.start({ script: goalModel });
const server = await startPostgres(installedVersion, [
  ...SETTINGS,
  'shared_preload_libraries=pg_stat_statements',
]);
try {
  const load = loadavg()
    .map((each) => each.toFixed(1))
    .join(' ');
  console.log(`PostgreSQL with fsync, ${cpus().length} cores, load before ${load}`);
  if (wants('--daemons')) await measureDaemons();
  if (wants('--takeover')) await takeover();
  if (wants('--growth')) await measureGrowth(server, (address) => withDaemons(1, address, timeOfRun));
} finally {
  await server[Symbol.asyncDispose]();
  await model[Symbol.asyncDispose]();
  await rm(folder, { recursive: true, force: true });
}

/** Daemons on one database, for as long as `work` takes. */
async function withDaemons<T>(
  count: number,
  address: string,
  work: (daemons: DaemonProcess[]) => Promise<T>,
): Promise<T> {
  const daemons: DaemonProcess[] = [];
  await mkdir(join(folder, 'work'), { recursive: true });
  try {
    while (daemons.length < count) daemons.push(await startDaemon(address));
    return await work(daemons);
  } finally {
    for (const daemon of daemons) await daemon.kill();
  }
}

async function startDaemon(address: string): Promise<DaemonProcess> {
  const daemon = await DaemonProcess.start(await mkdtemp(join(folder, 'home-')), {
    AMPLIFIER_DATABASE: address,
    AMPLIFIERD_TOKEN: TOKEN,
    AMPLIFIERD_RATE_LIMIT_PER_SECOND: '0',
    RUN_TEST_KEY: 'sk-run-test',
  });
  const json = { name: 'worker', manifest: runProfile(model.url) };
  await (await daemon.fetch('/api/v1/profiles', { method: 'POST', json })).arrayBuffer();
  return daemon;
}

async function takeover(): Promise<void> {
  const address = await server.createDatabase();
  await measureTakeover(address, model, () => startDaemon(address));
  model.play(goalModel);
}

async function measureDaemons(): Promise<void> {
  const columns = [
    'runs/s',
    'p50 ms',
    'p99 ms',
    'PG cores',
    'daemons',
    'PG ms',
    'stmts',
    'commits',
    'WAL KB',
    'kept KB',
  ];
  console.log(
    `\nRuns of one turn, ${CLIENTS} clients; processor time of PostgreSQL and of all daemons in cores, then what one run costs`,
  );
  console.log(`  daemons${[...columns, 'frames/s'].map((each) => each.padStart(10)).join('')}`);
  for (const count of COUNTS) {
    const address = await server.createDatabase();
    const client = await bareClient(address);
    await client.query('CREATE EXTENSION pg_stat_statements');
    const figures = await withDaemons(count, address, async (daemons) => [
      ...(await measureRuns(daemons, client)),
      await fanOut(daemons),
    ]);
    await client.end();
    console.log(`  ${String(count).padEnd(7)}${figures.map(figure).join('')}`);
  }
}

async function measureRuns(daemons: DaemonProcess[], client: BareClient): Promise<number[]> {
  const lanes = await Promise.all(
    Array.from({ length: CLIENTS }, (_, at) => lane(daemons[at % daemons.length] as DaemonProcess)),
  );
  // What is loaded and compiled at the first runs is loaded.
  for (const run of lanes) await run();
  const read = async () => ({
    ...(await countsOf(client)),
    server: await familyMs(server.pid),
    daemons: (await Promise.all(daemons.map(({ pid }) => processorMs(pid)))).reduce((a, b) => a + b),
  });
  const before = await read();
  const started = performance.now();
  const times: number[] = [];
  const work = async (run: () => Promise<unknown>) => {
    while (performance.now() - started < SECONDS * 1_000) {
      const sent = performance.now();
      await run();
      times.push(performance.now() - sent);
    }
  };
  await Promise.all(lanes.map(work));
  const ms = performance.now() - started;
  const after = await read();
  const spent = (name: keyof typeof after) => after[name] - before[name];
  return [
    (times.length / ms) * 1_000,
    percentile(times, 0.5),
    percentile(times, 0.99),
    spent('server') / ms,
    spent('daemons') / ms,
    spent('server') / times.length,
    spent('statements') / times.length,
    spent('commits') / times.length,
    spent('wal') / times.length / 1024,
    spent('bytes') / times.length / 1024,
  ];
}

/** A client: its own sessions, one run after the other, each waited for. */
async function lane(daemon: DaemonProcess): Promise<() => Promise<unknown>> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const headers = { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json' };
  const post = async (path: string, body: object) =>
    JSON.parse(await send(daemon.url, { method: 'POST', path, headers, body: JSON.stringify(body) }, agent));
  let session_id = '';
  let runs = 0;
  return async () => {
    const body = { profile_id: 'local/worker', working_dir: join(folder, 'work') };
    if (runs++ % PER_SESSION === 0) session_id = (await post('/api/v1/sessions', body)).session_id;
    const order = { instruction: instructionOf({ name: 'turn' }), wait: 60 };
    const run = await post(`/api/v1/sessions/${session_id}/runs`, order);
    if (run.status !== 'completed') throw new Error(JSON.stringify(run));
    model.exchanges.length = 0;
  };
}

async function timeOfRun([daemon]: DaemonProcess[]): Promise<number> {
  const run = await lane(daemon as DaemonProcess);
  const times: number[] = [];
  for (let at = isSmoke ? 0 : -5; at < (isSmoke ? 1 : 40); at++) {
    const sent = performance.now();
    await run();
    if (at >= 0) times.push(performance.now() - sent);
  }
  return percentile(times, 0.5);
}

/** Statements and commits that the server carried out in this database, what it wrote ahead, and how large the database is. */
async function countsOf(client: BareClient) {
  const { rows } = await client.query<Record<'statements' | 'commits' | 'wal' | 'bytes', string>>(
    `SELECT (SELECT coalesce(sum(calls), 0) FROM pg_stat_statements s JOIN pg_database d ON d.oid = s.dbid
        WHERE d.datname = current_database()) AS statements,
      (SELECT coalesce(sum(calls), 0) FROM pg_stat_statements s JOIN pg_database d ON d.oid = s.dbid
        WHERE d.datname = current_database() AND query = 'COMMIT') AS commits,
      pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0') AS wal, pg_database_size(current_database()) AS bytes`,
  );
  const [row] = rows;
  if (!row) throw new Error('The server does not say what it did.');
  return {
    statements: Number(row.statements),
    commits: Number(row.commits),
    wal: Number(row.wal),
    bytes: Number(row.bytes),
  };
}

/** Frames per second to followers of everything, spread over all daemons, while one of these is told of changes. */
async function fanOut(daemons: DaemonProcess[]): Promise<number> {
  const [first] = daemons as [DaemonProcess];
  const headers = { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json' };
  const json = { profile_id: 'local/worker' };
  const made = await first.fetch('/api/v1/sessions', { method: 'POST', json });
  const { session_id } = (await made.json()) as { session_id: string };
  const { per_second } = await measureFanOut({
    url: first.url,
    followed: daemons.map(({ url }) => url),
    stream: { method: 'GET', path: '/api/v1/events', headers: { ...headers, accept: 'text/event-stream' } },
    emit: (at) => ({
      method: 'PATCH',
      path: `/api/v1/sessions/${session_id}`,
      headers,
      body: JSON.stringify({ name: `name ${at}` }),
    }),
    followers: FOLLOWERS,
    events: EVENTS,
    processorMs: async () => 0,
  });
  return per_second;
}

function figure(value: number): string {
  return value.toFixed(value < 10 ? 2 : value < 100 ? 1 : 0).padStart(10);
}
