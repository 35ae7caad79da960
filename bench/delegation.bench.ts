// What a delegation costs: a new root calls the tool once, the child answers, the answer is in the root's log, both are closed.
// Beside bare commits of the same rows, and beside the in-memory sub-agent of the AI SDK (`ToolLoopAgent` on its mock model).
import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import {
  bareCommits,
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
  floor: 'floor of the disk: four bare commits',
} as const;
type Name = keyof typeof SUBJECTS;
const NAMES = Object.keys(SUBJECTS) as Name[];

const WARM_UPS = isSmoke ? 2 : 100;
const TIMES = isSmoke ? 3 : 500;
const ROUNDS = isSmoke ? 1 : 3;
const MANY = isSmoke ? 20 : 1_000;

const folder = await mkdtemp(join(tmpdir(), 'amplifier-bench-'));
const opened: AsyncDisposable[] = [];

const [role, subject] = (process.argv.find((arg) => arg.startsWith('--only='))?.slice(7) ?? '').split(':');
if (role === 'times') console.log(JSON.stringify(await times(await delegationOf(subject as Name))));
else if (role === 'many') console.log(JSON.stringify(await many(await delegationOf(subject as Name))));
else await report();
for (const each of opened) await each[Symbol.asyncDispose]();
await rm(folder, { recursive: true, force: true });

async function report(): Promise<void> {
  const { wall, processor } = await fresh();
  printTable(`A new process, ${WARM_UPS} warm-ups, ${TIMES} times: one delegation, × the peer`, wall);
  printTable('The same in processor time', processor);
  printTable('A process that is warm: one delegation, × the peer', await warm());
  printTable(`${MANY} children in one turn of a root, a new process each, × the peer`, await manyChildren());
  const ours = await durableBench(folder);
  opened.push(ours);
  printTable(`Cancelling a tree of ${MANY + 1} sessions`, [await cancelling(ours.delegator)]);
  printTable('Resume, by the length of the transcript', await resumes(ours));
}

async function delegationOf(name: Name): Promise<Delegation> {
  if (name === 'peer') return peer;
  if (name === 'kernel') return inKernel;
  if (name === 'floor') return bareCommits(folder);
  const bench = await (name === 'memory' ? memoryBench(folder) : durableBench(folder));
  opened.push(bench);
  return bench.delegate;
}

interface Times {
  /** Microseconds of each delegation after the warm-ups. */
  taken: number[];
  /** Microseconds of the processor for one: what a busy machine changes least. */
  processor: number;
}

async function times(delegate: Delegation): Promise<Times> {
  for (let run = 0; run < WARM_UPS; run++) await delegate(1, 1);
  const taken: number[] = [];
  const before = process.cpuUsage();
  for (let run = 0; run < TIMES; run++) taken.push(await timed(() => delegate(1, 1)));
  const { user, system } = process.cpuUsage(before);
  return { taken, processor: (user + system) / TIMES };
}

/** Processes in rotation, so that a noisy machine hurts all alike. */
async function fresh(): Promise<{ wall: Measured[]; processor: Measured[] }> {
  const all = new Map<Name, Times[]>(NAMES.map((name) => [name, []]));
  for (let round = 0; round < ROUNDS; round++)
    for (const name of NAMES) all.get(name)?.push(await inProcess<Times>('times', name));
  const rows = (pick: (each: Times) => number[]) =>
    NAMES.map((name) => row(SUBJECTS[name], all.get(name)?.flatMap(pick) ?? []));
  return { wall: rows(({ taken }) => taken), processor: rows(({ processor }) => [processor]) };
}

async function warm(): Promise<Measured[]> {
  const subjects = [];
  for (const name of NAMES) {
    const delegate = await delegationOf(name);
    for (let run = 0; run < TIMES * 2; run++) await delegate(1, 1);
    subjects.push({ name: SUBJECTS[name], run: () => delegate(1, 1) });
  }
  return measure(subjects, { batches: 50, perBatch: isSmoke ? 1 : 10 });
}

/** One delegation first, so that only what many need beyond one is counted. */
async function many(delegate: Delegation): Promise<{ us: number; megabytes: number }> {
  await delegate(1, 1);
  const before = process.resourceUsage().maxRSS;
  const us = await timed(() => delegate(MANY, 1));
  return { us, megabytes: Math.round((process.resourceUsage().maxRSS - before) / 1024) };
}

async function manyChildren(): Promise<Measured[]> {
  const rows: Measured[] = [];
  const names = ['peer', 'memory', 'durable'] as const;
  const taken = new Map<Name, { us: number; megabytes: number }[]>(names.map((name) => [name, []]));
  for (let round = 0; round < ROUNDS; round++)
    for (const name of names) taken.get(name)?.push(await inProcess('many', name));
  for (const name of names) {
    const all = taken.get(name) ?? [];
    const megabytes = percentile(
      all.map((each) => each.megabytes),
      0.5,
    );
    rows.push(
      row(
        `${name}, +${megabytes} MB`,
        all.map(({ us }) => us),
      ),
    );
  }
  return rows;
}

async function inProcess<T>(part: 'times' | 'many', name: Name): Promise<T> {
  // One process shows that it can be done.
  if (isSmoke && (part !== 'times' || name !== 'floor')) {
    const delegation = await delegationOf(name);
    return (await (part === 'times' ? times(delegation) : many(delegation))) as T;
  }
  const flags = [`--only=${part}:${name}`, ...(isSmoke ? ['--smoke'] : [])];
  const { stdout } = await promisify(execFile)(process.execPath, [
    ...['--expose-gc', '--import', 'tsx'],
    fileURLToPath(import.meta.url),
    ...flags,
  ]);
  return JSON.parse(stdout) as T;
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const started = process.hrtime.bigint();
  await work();
  return Number(process.hrtime.bigint() - started) / 1000;
}

function row(name: string, taken: readonly number[]): Measured {
  return { name, p50: percentile(taken, 0.5), p99: percentile(taken, 0.99) };
}

type Ours = Awaited<ReturnType<typeof durableBench>>;

/** From the call to the moment when every session of the tree has been told to stop. */
async function cancelling(delegator: Ours['delegator']): Promise<Measured> {
  let hanging = 0;
  const ready = new Promise<void>((resolve) => {
    whenHanging(() => {
      if (++hanging === MANY) resolve();
    });
  });
  const session_id = 'session_to-cancel';
  const running = start(delegator, folder, `${MANY} 1 hanger`, session_id);
  await ready;
  const started = process.hrtime.bigint();
  const told = delegator.control.cancel(session_id, { level: 'immediate' });
  const p50 = Number(process.hrtime.bigint() - started) / 1000;
  if ((await told).length !== MANY + 1) throw new Error('Not all were told.');
  await running;
  return { name: 'until all of them have been told', p50, p99: p50 };
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
    const said = Array.from({ length: lines }, (_, at) => ({
      role: at % 2 === 0 ? ('user' as const) : ('assistant' as const),
      content: 'x'.repeat(200),
    }));
    await log.appendMessages(said);
    await log.close();
    const run = () => delegator.resume(launch.session_id, 'And now?');
    subjects.push({ name: `${lines} messages`, run });
  }
  return measure(subjects, { batches: 10, perBatch: isSmoke ? 1 : 5 });
}
