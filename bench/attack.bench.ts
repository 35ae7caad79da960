// What an attack on one session does to everybody else: how fast /healthz answers meanwhile, how long another session takes, and how
// long the daemon takes to end when it is told to in the middle of the attack. Each attack has a daemon of its own.
import { once } from 'node:events';
import { mkdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import {
  ATTACKS,
  type Attack,
  AttackScene,
  importMuch,
  longSession,
  speakAtLength,
} from '../packages/daemon/test-support/attacks.js';
import { isSmoke, percentile } from './lib/measure.js';

const EVERY_MS = 50;
/** Of the session that is exported and read. */
const LONG_MEGABYTES = 380;
/** So long an attack is under way when the daemon is told to end. */
const INTO_MS = 300;
/** So long its aftermath is watched. */
const AFTER_MS = isSmoke ? 150 : 1_000;
const SAMPLER = new URL('./lib/sample-health.mjs', import.meta.url);

interface Prepared {
  attack: Attack;
  /** Done before anything is measured. */
  before?: Attack;
  scene?: Parameters<typeof AttackScene.open>[0];
}

const many = (count: number, attack: Attack): Attack => {
  return (scene) => Promise.all(Array.from({ length: isSmoke ? 2 : count }, () => attack(scene)));
};

const {
  'an answer of ten million characters': longAnswer,
  'a session of many lines to import': manyLines,
  'exports at once of a long session': exportsAtOnce,
  'transcripts of long messages, many at once': transcripts,
  'readers that do not read': unread,
  ...alone
} = ATTACKS;
const before: Attack = (scene) => longSession(scene, isSmoke ? 2 : LONG_MEGABYTES);
const unpriced = ATTACKS['a model without a price under a limit of cost'];
const SUBJECTS: Record<string, Prepared> = {
  'nothing at all': { attack: () => sleep(isSmoke ? 100 : 3_000) },
  ...Object.fromEntries(Object.entries(alone).map(([name, attack]) => [name, { attack }])),
  'a hundred runs at once under a limit of cost': { attack: many(100, unpriced) },
  'an answer of a hundred million characters': {
    attack: isSmoke ? longAnswer : (scene) => speakAtLength(scene, 100_000_000),
  },
  'a session of 45,000 long lines to import': {
    attack: isSmoke ? manyLines : (scene) => importMuch(scene, 45_000),
  },
  'six exports at once of 380 MB': { attack: exportsAtOnce, before },
  'transcripts of 380 MB, 48 requests at once': { attack: transcripts, before },
  '200 readers of 380 MB that do not read': { attack: unread, before },
  'a log that cannot be written, and requests without end': {
    attack: floodLog,
    scene: { environment: { AMPLIFIERD_LOG_LEVEL: 'debug' }, prepare: fullLog },
  },
  'a full disk, and sessions without end': { attack: fillDisk, scene: { diskBytes: 48 * 1024 * 1024 } },
};

const columns = ['p50 ms', 'max ms', 'failed', 'other ms', 'attack s', 'SIGTERM s', 'peak MB'];
console.log(`${'/healthz every 50 ms'.padEnd(58)}${columns.map((each) => each.padStart(10)).join('')}`);
// A test makes each of these attacks.
for (const [name, subject] of Object.entries(SUBJECTS).slice(0, isSmoke ? 1 : undefined))
  console.log(name.padEnd(58) + (await measure(subject)));

async function measure({ attack, before, scene: options }: Prepared): Promise<string> {
  await using scene = await AttackScene.open(options);
  const { daemon } = scene;
  // Whatever is loaded at the first run is loaded.
  await scene.run('!say Ready.');
  await before?.(scene);
  const sampler = new Worker(SAMPLER, { workerData: { url: `${daemon.url}/healthz`, everyMs: EVERY_MS } });
  await once(sampler, 'message');
  const began = performance.now();
  const other = scene.run('!say Fine.').then(
    ({ status }) => (status === 'completed' ? (performance.now() - began).toFixed(0) : status),
    () => 'refused',
  );
  await attack(scene);
  const seconds = (performance.now() - began) / 1_000;
  const otherMs = await other;
  // What an attack left to be done is its doing, too.
  await sleep(AFTER_MS);
  const sampled = once(sampler, 'message');
  sampler.postMessage('end');
  const [{ took, failed }] = (await sampled) as [{ took: number[]; failed: number }];
  await sampler.terminate();
  const status = await readFile(`/proc/${daemon.pid}/status`, 'utf8');
  const megabytes = Number(/^VmHWM:\s+(\d+) kB/m.exec(status)?.[1]) / 1024;
  const again = attack(scene).catch(() => {});
  await sleep(INTO_MS);
  const told = performance.now();
  const code = await daemon.stop();
  const stopped = (performance.now() - told) / 1_000;
  await again;
  const cells = [
    percentile(took, 0.5).toFixed(1),
    Math.max(...took).toFixed(0),
    `${failed}/${took.length}`,
    otherMs,
    seconds.toFixed(1),
    code === 0 ? stopped.toFixed(1) : `${stopped.toFixed(1)} (${code})`,
    megabytes.toFixed(0),
  ];
  return cells.map((cell) => cell.padStart(10)).join('');
}

/** Whatever is written to its log fails as on a full disk. */
async function fullLog(home: string): Promise<void> {
  await mkdir(join(home, 'log'));
  await symlink('/dev/full', join(home, 'log/amplifierd.log'));
}

async function floodLog({ daemon }: AttackScene): Promise<void> {
  const until = performance.now() + (isSmoke ? 100 : 3_000);
  const ask = async () => {
    while (performance.now() < until) await (await daemon.fetch('/api/v1/sessions?limit=1')).arrayBuffer();
  };
  await Promise.all(Array.from({ length: 8 }, ask));
}

/** Full for as long as sessions are asked for; then there is room again, and what waited goes on. */
async function fillDisk(scene: AttackScene): Promise<void> {
  const { daemon } = scene;
  const filler = `/proc/${daemon.pid}/root${daemon.home}/filler`;
  await writeFile(filler, Buffer.alloc(48 * 1024 * 1024)).catch(() => {});
  const until = performance.now() + (isSmoke ? 100 : 3_000);
  const json = { profile_id: 'local/worker', working_dir: scene.workspace.resolve('work') };
  const create = async () => {
    while (performance.now() < until)
      await (await daemon.fetch('/api/v1/sessions', { method: 'POST', json })).arrayBuffer();
  };
  await Promise.all(Array.from({ length: 8 }, create)).finally(() => rm(filler, { force: true }));
}
