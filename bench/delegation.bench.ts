// What a delegation costs with the default bundle's loop and context: a new root calls the `delegate` tool once, the child answers,
// the answer is in the root's log, both are closed. The peer is the in-memory sub-agent of the AI SDK (`ToolLoopAgent` on its mock model).
import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import {
  bareCommits,
  type Counts,
  type Delegation,
  durableBench,
  inKernel,
  memoryBench,
  peer,
  plan,
  start,
  whenHanging,
} from './lib/delegation-subjects.js';
import { isSmoke, type Measured, measure, percentile, printTable } from './lib/measure.js';

const SUBJECTS = {
  peer: 'AI SDK ToolLoopAgent, in memory (the peer)',
  kernel: 'in memory: a session forks a child',
  memory: 'in memory, with record, limits, grant, events',
  durable: 'durable: root and child on disk',
  floor: 'floor of the disk: two bare commits, one sync',
} as const;
type Name = keyof typeof SUBJECTS;
const NAMES = Object.keys(SUBJECTS) as Name[];

const PARTS = { times, allocated, many } as const;
type Part = keyof typeof PARTS;

const WARM_UPS = isSmoke ? 2 : 100;
const TIMES = isSmoke ? 3 : 500;
const ROUNDS = isSmoke ? 1 : 3;
/** Children of one root: the loop runs at most 64 calls of an answer. */
const WIDE = isSmoke ? 10 : 50;
const ROOTS = isSmoke ? 2 : 20;
/** Delegations whose allocations are counted; the young generation holds all of them. */
const COUNTED = isSmoke ? 3 : 100;
const YOUNG_MB = 256;

const young = [`--min-semi-space-size=${YOUNG_MB}`, `--max-semi-space-size=${YOUNG_MB}`];
const FLAGS: Record<Part, readonly string[]> = { times: [], allocated: young, many: [] };

const folder = await mkdtemp(join(tmpdir(), 'amplifier-bench-'));
const opened: AsyncDisposable[] = [];

const [role, subject] = (process.argv.find((arg) => arg.startsWith('--only='))?.slice(7) ?? '').split(':');
if (role) console.log(JSON.stringify(await PARTS[role as Part](await subjectOf(subject as Name))));
else await report();
for (const each of opened) await each[Symbol.asyncDispose]();
await rm(folder, { recursive: true, force: true });

async function report(): Promise<void> {
  await printDelegation();
  printTable('A warm process: one delegation, wall time, × the peer', await warm());
  await printMany();
  const ours = await durableBench(folder);
  opened.push(ours);
  printTable(`Cancelling a tree of ${WIDE + 1} sessions`, [await cancelling(ours.delegator)]);
  printTable('Resume, by the length of the transcript', await resumes(ours));
}

interface Opened {
  delegate: Delegation;
  counts(): Counts;
}

async function subjectOf(name: Name): Promise<Opened> {
  const none = () => ({ commits: 0, syncs: 0, statements: 0 });
  if (name === 'peer') return { delegate: peer, counts: none };
  if (name === 'kernel') return { delegate: inKernel, counts: none };
  if (name === 'floor') return { delegate: bareCommits(folder), counts: none };
  const bench = await (name === 'memory' ? memoryBench(folder) : durableBench(folder));
  opened.push(bench);
  return { delegate: bench.delegate, counts: () => bench.store.counts ?? none() };
}

interface Times {
  /** Microseconds of each delegation after the warm-ups. */
  wall: number[];
  /** Microseconds of processor time for one, on average. */
  processor: number;
  /** Per delegation, on average: trailing facts may need a separate commit on a busy machine. */
  counts: Counts;
}

async function times({ delegate, counts }: Opened): Promise<Times> {
  for (let run = 0; run < WARM_UPS; run++) await delegate(1, 1);
  const wall: number[] = [];
  const [before, cpu] = [counts(), process.cpuUsage()];
  for (let run = 0; run < TIMES; run++) wall.push(await timed(() => delegate(1, 1)));
  const { user, system } = process.cpuUsage(cpu);
  const after = counts();
  const each = (name: keyof Counts) => (after[name] - before[name]) / TIMES;
  return {
    wall,
    processor: (user + system) / TIMES,
    counts: { commits: each('commits'), syncs: each('syncs'), statements: each('statements') },
  };
}

/** Bytes that one delegation puts on the heap. Needs a process without garbage collection: see `FLAGS`. */
async function allocated({ delegate }: Opened): Promise<number> {
  for (let run = 0; run < WARM_UPS; run++) await delegate(1, 1);
  globalThis.gc?.();
  const before = process.memoryUsage().heapUsed;
  for (let run = 0; run < COUNTED; run++) await delegate(1, 1);
  return (process.memoryUsage().heapUsed - before) / COUNTED;
}

/** Each subject in a fresh process, in rotation, so that a noisy machine affects all of them. */
async function printDelegation(): Promise<void> {
  const all = new Map<Name, Times[]>(NAMES.map((name) => [name, []]));
  for (let round = 0; round < ROUNDS; round++)
    for (const name of NAMES) all.get(name)?.push(await inProcess<Times>('times', name));
  const rows = [];
  for (const name of NAMES) {
    const runs = all.get(name) ?? [];
    const median = (pick: (run: Times) => number) => percentile(runs.map(pick), 0.5);
    rows.push({
      name: SUBJECTS[name],
      wall: percentile(
        runs.flatMap(({ wall }) => wall),
        0.5,
      ),
      processor: median(({ processor }) => processor),
      statements: median(({ counts }) => counts.statements),
      commits: median(({ counts }) => counts.commits),
      syncs: median(({ counts }) => counts.syncs),
      bytes: await inProcess<number>('allocated', name),
    });
  }
  const [floor] = rows;
  console.log(`\nA fresh process, ${WARM_UPS} warm-ups, ${TIMES} times: one delegation; × the peer`);
  const columns = ['wall µs', '×', 'cpu µs', '×', 'statements', 'commits', 'syncs', 'KB'];
  console.log(`${'  what'.padEnd(50)}${columns.map((column) => column.padStart(11)).join('')}`);
  for (const { name, wall, processor, statements, commits, syncs, bytes } of rows) {
    const times = [wall, wall / (floor?.wall ?? 1), processor, processor / (floor?.processor ?? 1)];
    const figures = [...times, statements, commits, syncs, bytes / 1024];
    const text = figures.map((value) => value.toFixed(value < 10 ? 2 : value < 100 ? 1 : 0).padStart(11));
    console.log(`  ${name.padEnd(48)}${text.join('')}`);
  }
}

async function warm(): Promise<Measured[]> {
  const subjects = [];
  for (const name of NAMES) {
    const { delegate } = await subjectOf(name);
    for (let run = 0; run < TIMES * 2; run++) await delegate(1, 1);
    subjects.push({ name: SUBJECTS[name], run: () => delegate(1, 1) });
  }
  return measure(subjects, { batches: 50, perBatch: isSmoke ? 1 : 10 });
}

interface Many {
  wall: number;
  processor: number;
  megabytes: number;
}

/** One delegation first, so that only what many need beyond one is counted. */
async function many({ delegate }: Opened): Promise<Many> {
  await delegate(1, 1);
  const before = process.resourceUsage().maxRSS;
  const cpu = process.cpuUsage();
  const wall = await timed(() => Promise.all(Array.from({ length: ROOTS }, () => delegate(WIDE, 1))));
  const { user, system } = process.cpuUsage(cpu);
  const megabytes = Math.round((process.resourceUsage().maxRSS - before) / 1024);
  return { wall, processor: user + system, megabytes };
}

async function printMany(): Promise<void> {
  const names = ['peer', 'memory', 'durable'] as const;
  const taken = new Map<Name, Many[]>(names.map((name) => [name, []]));
  for (let round = 0; round < ROUNDS; round++)
    for (const name of names) taken.get(name)?.push(await inProcess<Many>('many', name));
  const rows = (pick: (each: Many) => number): Measured[] =>
    names.map((name) => {
      const all = taken.get(name) ?? [];
      const megabytes = percentile(
        all.map((each) => each.megabytes),
        0.5,
      );
      const values = all.map(pick);
      return {
        name: `${name}, +${megabytes} MB`,
        p50: percentile(values, 0.5),
        p99: percentile(values, 0.99),
      };
    });
  const title = `${ROOTS} roots with ${WIDE} children each at once, a fresh process each, × the peer`;
  printTable(
    `${title}: wall time`,
    rows(({ wall }) => wall),
  );
  printTable(
    `${title}: processor time`,
    rows(({ processor }) => processor),
  );
}

async function inProcess<T>(part: Part, name: Name): Promise<T> {
  // One process shows that it works.
  if (isSmoke && (part !== 'times' || name !== 'floor'))
    return (await PARTS[part](await subjectOf(name))) as T;
  const { stdout } = await promisify(execFile)(process.execPath, [
    ...FLAGS[part],
    ...['--expose-gc', '--import', 'tsx'],
    fileURLToPath(import.meta.url),
    ...[`--only=${part}:${name}`, ...(isSmoke ? ['--smoke'] : [])],
  ]);
  return JSON.parse(stdout) as T;
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const started = process.hrtime.bigint();
  await work();
  return Number(process.hrtime.bigint() - started) / 1000;
}

type Ours = Awaited<ReturnType<typeof durableBench>>;

/** From the call until every session of the tree has been stopped. */
async function cancelling(delegator: Ours['delegator']): Promise<Measured> {
  let hanging = 0;
  const ready = new Promise<void>((resolve) => {
    whenHanging(() => {
      if (++hanging === WIDE) resolve();
    });
  });
  const session_id = 'session_to-cancel';
  const running = start(delegator, folder, `${WIDE} 1 hanger`, session_id);
  await ready;
  const started = process.hrtime.bigint();
  const stopped = delegator.control.cancel(session_id, { level: 'immediate' });
  const p50 = Number(process.hrtime.bigint() - started) / 1000;
  if ((await stopped).length !== WIDE + 1) throw new Error('Not all sessions were stopped.');
  await running;
  return { name: 'until all of them are stopped', p50, p99: p50 };
}

/** The same resume of sessions of different length. */
async function resumes({ store, delegator }: Ours): Promise<Measured[]> {
  const subjects = [];
  for (const lines of isSmoke ? [10, 100] : [10, 1_000, 20_000]) {
    const { launch } = await delegator.start({
      plan,
      system_prompt: 'leaf',
      instruction: 'Go.',
      cwd: folder,
      trusted: true,
      safety_mode: 'write',
    });
    const log = await store.open(launch.session_id);
    const messages = Array.from({ length: lines }, (_, at) => ({
      role: at % 2 === 0 ? ('user' as const) : ('assistant' as const),
      content: 'x'.repeat(200),
    }));
    await log.appendMessages(messages);
    await log.close();
    const run = () => delegator.resume(launch.session_id, 'And now?');
    subjects.push({ name: `${lines} messages`, run });
  }
  return measure(subjects, { batches: 10, perBatch: isSmoke ? 1 : 5 });
}
