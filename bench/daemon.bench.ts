// What the daemon costs beside the HTTP library and the store it is made of, and whether that stays so as sessions pile up.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { Agent } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { DaemonProcess } from '../packages/daemon/test-support/daemon-process.js';
import { type FanOut, measureFanOut } from './lib/fan-out.js';
import { type Call, type Load, load, send, warmUp } from './lib/http-load.js';
import { measureLargeProfile, writeLargeProfile } from './lib/large-profile.js';
import { measureLoopDelay } from './lib/loop-delay.js';
import { isSmoke } from './lib/measure.js';
import { processorMs } from './lib/processor-time.js';
import { measureRunOverhead } from './lib/run-overhead.js';
import { seedSessions } from './lib/seed-sessions.js';

const SIZES = isSmoke ? [50] : [1_000, 100_000];
const ROUNDS = isSmoke ? 1 : 5;
const MS = isSmoke ? 30 : 1_500;
const WARM = isSmoke ? 8 : 3_000;
const FOLLOWERS = isSmoke ? [20] : [100, 1_000];
const EVENTS = isSmoke ? 20 : 200;
const BARE_STREAM = fileURLToPath(
  new URL('../packages/daemon/test-support/bare-stream.mjs', import.meta.url),
);
const BARE_BYTES = fileURLToPath(new URL('../packages/daemon/test-support/bare-bytes.mjs', import.meta.url));
const BARE = fileURLToPath(new URL('../packages/daemon/test-support/bare-server.mjs', import.meta.url));

const folder = await mkdtemp(join(tmpdir(), 'amplifier-bench-'));
const children: ChildProcess[] = [];
try {
  await main();
} finally {
  for (const child of children) child.kill('SIGKILL');
  await rm(folder, { recursive: true, force: true, maxRetries: 5 });
}

async function main(): Promise<void> {
  const flat: Record<string, Spent>[] = [];
  for (const size of SIZES) flat.push(await measureSize(size));
  const [small, large] = flat;
  if (small && large) printGrowth(small, large);
  await measureFanOuts();
  await measureRunOverhead(join(folder, 'runs'));
  await measureLoopDelay(join(folder, 'delay'));
}

function printGrowth(small: Record<string, Spent>, large: Record<string, Spent>): void {
  console.log(
    `\nFrom ${SIZES[0]} to ${SIZES[1]} sessions (processor time of the larger over the smaller; flat is about 1)`,
  );
  for (const name of Object.keys(small)) {
    const growth = (of: keyof Spent) => (large[name]?.[of] ?? Number.NaN) / (small[name]?.[of] ?? Number.NaN);
    print(
      name,
      growth('ours'),
      `×; the bare route, which has no such sessions: ${growth('bare').toFixed(2)} ×`,
    );
  }
}

/** Events per second to many followers: through the logs and the feed, beside a server that writes without keeping anything. */
async function measureFanOuts(): Promise<void> {
  await using daemon = await DaemonProcess.start(join(folder, 'home-fan-out'));
  const bare = await startBare(BARE_STREAM);
  const headers = { authorization: `Bearer ${daemon.token}`, 'content-type': 'application/json' };
  const body = JSON.stringify({ profile_id: 'foundation/base', session_id: 's' });
  const agent = new Agent();
  await send(daemon.url, { method: 'POST', path: '/api/v1/sessions', headers, body, status: 201 }, agent);
  const path = '/api/v1/sessions/s';
  const [sample] = JSON.parse(
    await send(daemon.url, { method: 'GET', path: `${path}/events`, headers }, agent),
  ) as object[];
  const event = { ...sample, name: 'session:updated', data: { name: 'name 1' } };
  const frame = `id: 1\nevent: session:updated\ndata: ${JSON.stringify(event)}\n\n`;
  const stream = { ...headers, accept: 'text/event-stream' };
  const columns = ['ours/s', 'bare/s', 'ratio', 'CPU µs', 'bare µs', 'ratio'];
  console.log(`\n${'Frames to followers'.padEnd(30)}${columns.map((each) => each.padStart(10)).join('')}`);
  for (const followers of FOLLOWERS) {
    const plan = { followers, events: EVENTS };
    const runs: [FanOut, FanOut][] = [];
    for (let round = 0; round < Math.min(ROUNDS, 3); round++) {
      const known = await send(daemon.url, { method: 'GET', path, headers }, agent);
      const { version } = JSON.parse(known) as { version: number };
      const ours = await measureFanOut({
        ...plan,
        url: daemon.url,
        stream: { method: 'GET', path: `${path}/events?after=${version}`, headers: stream },
        emit: (at) => ({
          method: 'PATCH',
          path,
          headers,
          body: JSON.stringify({ name: `name ${at}` }),
          status: 200,
        }),
        processorMs: () => processorMs(daemon.pid),
      });
      const floor = await measureFanOut({
        ...plan,
        url: bare.url,
        stream: { method: 'GET', path: '/' },
        emit: () => ({ method: 'POST', path: '/', body: frame, status: 200 }),
        processorMs: () => processorMs(bare.pid),
      });
      runs.push([ours, floor]);
    }
    const [ours, floor] = runs.sort(([a], [b]) => a.per_second - b.per_second)[
      Math.floor(runs.length / 2)
    ] as [FanOut, FanOut];
    const figures = [
      ours.per_second,
      floor.per_second,
      ours.per_second / floor.per_second,
      ours.cpu_us,
      floor.cpu_us,
      floor.cpu_us / ours.cpu_us,
    ];
    const cells = figures.map((figure) => figure.toFixed(figure < 50 ? 2 : 0).padStart(10));
    console.log(`  ${`${followers} followers, ${EVENTS} events`.padEnd(28)}${cells.join('')}`);
  }
  agent.destroy();
}

/** Microseconds of processor time for one request. */
interface Spent {
  ours: number;
  bare: number;
}

async function measureSize(size: number): Promise<Record<string, Spent>> {
  const home = join(folder, `home-${size}`);
  await populate(home, size);
  if (size === SIZES[0]) await writeLargeProfile(home);
  // As it is shipped: with a line in the log for each request.
  await using daemon = await DaemonProcess.start(home, { AMPLIFIERD_LOG_LEVEL: 'info' });
  const json = { authorization: `Bearer ${daemon.token}`, 'content-type': 'application/json' };
  const get = (path: string): Call => ({ method: 'GET', path, headers: json, status: 200 });
  const post = (path: string, body: object, status = 201): Call => ({
    method: 'POST',
    path,
    headers: json,
    body: JSON.stringify(body),
    status,
  });
  const agent = new Agent({ keepAlive: true });
  const ask = async (call: Call) => JSON.parse(await send(daemon.url, call, agent));

  const session = await ask(post('/api/v1/sessions', { profile_id: 'foundation/base', auto_start: true }));
  const list = await ask(get('/api/v1/sessions?limit=100'));
  const plan = await ask(get(`/api/v1/mount-plans/${session.session_id}?view=flat`));
  const path = `/api/v1/sessions/${session.session_id}`;
  if (!isSmoke) await untilIdle(daemon.pid);
  console.log(`\n${size} sessions; idle memory ${await megabytes(daemon.pid)} MB`);
  const bare = await startBare(BARE, join(folder, `bare-${size}`), JSON.stringify({ session, list, plan }));

  const message = { role: 'user', content: 'A message of ordinary length, such as people write.' };
  const pairs: [string, Call, Call][] = [
    ['get a session', get(path), { method: 'GET', path: '/session' }],
    ['list 100', get('/api/v1/sessions?limit=100'), { method: 'GET', path: '/list' }],
    ['get a plan', get(`/api/v1/mount-plans/${session.session_id}`), { method: 'GET', path: '/plan' }],
    [
      'create a session',
      post('/api/v1/sessions', { profile_id: 'foundation/base' }),
      { ...post('/create', { name: 'x' }) },
    ],
    ['append a message', post(`${path}/messages`, message), post('/append', message)],
  ];
  const spent: Record<string, Spent> = {};
  const columns = ['ours/s', 'bare/s', 'ratio', 'p50 ms', 'p99 ms', 'CPU µs', 'bare µs', 'ratio'];
  console.log(
    `${'  over HTTP, 8 connections'.padEnd(30)}${columns.map((each) => each.padStart(9)).join('')}`,
  );
  for (const [name, ours, floor] of pairs) {
    await warmUp(daemon.url, ours, WARM);
    await warmUp(bare.url, floor, WARM);
    const [a, b] = await interleave(
      () => loadProcess(daemon.url, daemon.pid, ours),
      () => loadProcess(bare.url, bare.pid, floor),
    );
    spent[name] = { ours: a.cpu_us, bare: b.cpu_us };
    const figures = [
      a.rps,
      b.rps,
      a.rps / b.rps,
      a.p50_ms,
      a.p99_ms,
      a.cpu_us,
      b.cpu_us,
      b.cpu_us / a.cpu_us,
    ];
    const cells = figures.map((figure) => figure.toFixed(figure < 50 ? 2 : 0).padStart(9));
    console.log(`  ${name.padEnd(28)}${cells.join('')}`);
  }
  const one = { connections: 1, ms: MS };
  const alone = await load(daemon.url, get('/api/v1/sessions?limit=100'), one);
  print('list 100, one client, p50', alone.p50_ms, 'ms (seed 50, ours 5)');
  if (size === SIZES[0]) await measureLargeProfile(daemon, (await startBare(BARE_BYTES)).url);
  agent.destroy();
  return spent;
}

interface ProcessLoad extends Load {
  /** Processor time the server spent on one request: it says the same on a busy machine. */
  cpu_us: number;
}

async function loadProcess(url: string, pid: number, call: Call): Promise<ProcessLoad> {
  const before = await processorMs(pid);
  const started = performance.now();
  const result = await load(url, call, { ms: MS });
  const seconds = (performance.now() - started) / 1_000;
  const spent = (await processorMs(pid)) - before;
  return { ...result, cpu_us: (spent * 1_000) / (result.rps * seconds) };
}

/** Waits until a process has nothing to do: what it does after its start is not the cost of a request. */
async function untilIdle(pid: number): Promise<void> {
  for (let spent = Number.POSITIVE_INFINITY; spent > 10; ) {
    const before = await processorMs(pid);
    await sleep(500);
    spent = (await processorMs(pid)) - before;
  }
}

/** Runs both in turns and takes the median of each, so that a noisy machine hurts both alike. */
async function interleave(
  ours: () => Promise<ProcessLoad>,
  floor: () => Promise<ProcessLoad>,
): Promise<[ProcessLoad, ProcessLoad]> {
  const runs: [ProcessLoad, ProcessLoad][] = [];
  for (let round = 0; round < ROUNDS; round++) runs.push([await ours(), await floor()]);
  const median = (at: 0 | 1) =>
    runs.map((pair) => pair[at]).sort((a, b) => a.rps - b.rps)[Math.floor(runs.length / 2)] as ProcessLoad;
  return [median(0), median(1)];
}

async function populate(home: string, count: number): Promise<void> {
  const created = (at: number) => new Date(Date.UTC(2026, 0, 1) + at * 1_000).toISOString();
  await seedSessions(
    join(home, 'state/record.db'),
    Array.from({ length: count }, (_, at) => ({
      session_id: `session_${at.toString().padStart(10, '0')}`,
      created: created(at),
      status: 'completed',
      profile_name: 'foundation/base',
    })),
  );
}

async function startBare(program: string, ...words: string[]): Promise<{ url: string; pid: number }> {
  const child = spawn(process.execPath, [program, ...words], { stdio: ['ignore', 'pipe', 'inherit'] });
  children.push(child);
  if (!child.stdout) throw new Error('The bare server has no output.');
  const [line] = await once(createInterface({ input: child.stdout }), 'line');
  return { url: String(line), pid: child.pid ?? 0 };
}

async function megabytes(pid: number): Promise<string> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
  const kilobytes = /VmRSS:\s+(\d+)/.exec(status)?.[1];
  return kilobytes ? (Number(kilobytes) / 1024).toFixed(0) : 'unknown';
}

function print(name: string, value: number, unit: string): void {
  console.log(`  ${name.padEnd(44)}${value.toFixed(2).padStart(9)} ${unit}`);
}
