import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { TempWorkspace } from '@amplifier/testkit';
import { detectSandbox } from '@amplifier/workspace';
import { DatabaseSync } from '@photostructure/sqlite';
import { expect, it } from 'vitest';
import { DaemonProcess } from '../../test-support/daemon-process.js';
import { RunBench } from '../../test-support/run-bench.js';

const PROGRAM = fileURLToPath(new URL('../../../cli/dist/amplifierd.js', import.meta.url));
const MEGABYTE = 1024 * 1024;
const notesOf = async (daemon: DaemonProcess) =>
  ((await (await daemon.fetch('/readyz')).json()) as { notes: string[] }).notes;
const create = (daemon: DaemonProcess) =>
  daemon.fetch('/api/v1/sessions', { method: 'POST', json: { profile_id: 'foundation/base' } });

it('tells in /readyz and in the log that the process stood still, and what ran then', async () => {
  await using bench = await RunBench.start();
  const { daemon } = bench;
  expect((await daemon.get('/readyz')).body).toMatchObject({ status: 'ready', notes: [] });
  const id = await bench.session();
  const { run_id } = (await bench.run(id, '!hang')).body;
  await bench.model.received();
  // Nothing but this runs for a while, as when a model has found a way to keep the process busy.
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 2_000);
  const what = `run ${run_id} of ${id}`;
  await expect
    .poll(async () => (await daemon.get('/readyz')).body.notes, { timeout: 100_000 })
    .toEqual([
      expect.stringMatching(new RegExp(`^The process was blocked for \\d+ ms\\. Under way: ${what}\\.`)),
    ]);
  const line = daemon.log.find((each) => each.includes('the event loop was blocked'));
  expect(JSON.parse(line ?? '{}')).toMatchObject({ delay_ms: expect.any(Number), under_way: [what] });
});

it('serves on when its log cannot be written, says so, and ends when it is told to', async () => {
  await using workspace = await TempWorkspace.create();
  const home = workspace.resolve('home');
  await mkdir(workspace.resolve('home/log'), { recursive: true });
  // Whatever is written here fails as on a full disk.
  await symlink('/dev/full', workspace.resolve('home/log/amplifierd.log'));
  await using daemon = await DaemonProcess.start(home, { AMPLIFIERD_LOG_LEVEL: 'debug' });
  for (let count = 0; count < 50; count++) expect((await daemon.fetch('/api/v1/sessions')).status).toBe(200);
  await expect.poll(() => notesOf(daemon), { timeout: 100_000 }).toEqual([expect.stringContaining('ENOSPC')]);
  expect((await create(daemon)).status).toBe(201);
  expect(await daemon.stop()).toBe(0);
});

it.runIf((await detectSandbox()).name !== 'none')(
  'is not ready on a full disk, refuses what it cannot keep, is well again with space, and ends on one',
  async () => {
    await using workspace = await TempWorkspace.create();
    const home = workspace.resolve('home');
    await mkdir(home);
    const environment = { AMPLIFIERD_TOKEN: 'a-token-of-this-test', AMPLIFIERD_LOG_LEVEL: 'debug' };
    await using daemon = await DaemonProcess.start(home, environment, { diskBytes: 24 * MEGABYTE });
    const before = (await (await create(daemon)).json()) as { session_id: string };
    const filler = `/proc/${daemon.pid}/root${home}/filler`;
    const fill = () => writeFile(filler, Buffer.alloc(24 * MEGABYTE)).catch(() => {});
    await fill();
    const unready = await daemon.fetch('/readyz');
    expect([unready.status, await unready.json()]).toMatchObject([
      503,
      { code: 'NOT_READY', detail: expect.stringContaining('full') },
    ]);
    // What was reserved before may still take a few; then each is refused, and nothing ends.
    await expect.poll(async () => (await create(daemon)).status, { timeout: 100_000 }).toBe(507);
    expect((await daemon.fetch('/healthz')).status).toBe(200);
    expect((await daemon.fetch(`/api/v1/sessions/${before.session_id}`)).status).toBe(200);
    await rm(filler);
    await expect.poll(async () => (await create(daemon)).status, { timeout: 100_000 }).toBe(201);
    expect((await daemon.fetch('/readyz')).status).toBe(200);
    await fill();
    expect(await daemon.stop()).toBe(0);
  },
);

it.runIf((await detectSandbox()).name !== 'none')(
  'refuses messages while the disk is full, and takes them when there is room',
  async () => {
    await using workspace = await TempWorkspace.create();
    const home = workspace.resolve('home');
    await mkdir(home);
    const environment = { AMPLIFIERD_TOKEN: 'a-token-of-this-test' };
    await using daemon = await DaemonProcess.start(home, environment, { diskBytes: 24 * MEGABYTE });
    const { session_id } = (await (await create(daemon)).json()) as { session_id: string };
    const append = async (content: string) => {
      const json = { role: 'user', content };
      const path = `/api/v1/sessions/${session_id}/messages?auto_start=true`;
      return (await daemon.fetch(path, { method: 'POST', json })).status;
    };
    expect(await append('first')).toBe(201);
    const filler = `/proc/${daemon.pid}/root${home}/filler`;
    await writeFile(filler, Buffer.alloc(24 * MEGABYTE)).catch(() => {});
    const long = 'x'.repeat(500_000);
    await expect.poll(() => append(long), { timeout: 100_000 }).toBe(507);
    // The log that could not write is opened again: each of these says the same, alone and side by side.
    for (let count = 0; count < 3; count++) expect(await append(long)).toBe(507);
    expect(await Promise.all(Array.from({ length: 5 }, () => append(long)))).toEqual(Array(5).fill(507));
    await rm(filler);
    expect(await append('last')).toBe(201);
    const lines = (await (
      await daemon.fetch(`/api/v1/sessions/${session_id}/transcript?limit=1`)
    ).json()) as { content: string }[];
    expect(lines.map(({ content }) => content)).toEqual(['last']);
    expect(await daemon.stop()).toBe(0);
  },
);

// These wait for a limit to pass: side by side.
it.concurrent('is ended by SIGTERM also when nothing in it moves any more', async () => {
  await using workspace = await TempWorkspace.create();
  await using daemon = await DaemonProcess.start(workspace.resolve('home'));
  daemon.freeze();
  // Not by its own hand: the thread that watches it does it.
  expect(await daemon.stop()).toBeNull();
});

const inContainer = [
  'bwrap',
  '--dev-bind',
  '/',
  '/',
  '--proc',
  '/proc',
  '--unshare-pid',
  '--as-pid-1',
  '--die-with-parent',
];
it.concurrent.each([
  ['a process among others', []],
  ...((await detectSandbox()).name === 'none' ? [] : [['the first of a container', inContainer] as const]),
] as const)('is ended by SIGTERM while it starts, as %s, and starts again', async (_, before) => {
  await using workspace = await TempWorkspace.create();
  const home = workspace.resolve('home');
  await mkdir(home);
  await mkdir(workspace.resolve('work'));
  // Its start waits for somebody who never writes.
  await promisify(execFile)('mkfifo', [join(home, 'token')]);
  const [program = '', ...args] = [...before, process.execPath, PROGRAM, 'serve', '--port', '0'];
  const env = { ...process.env, AMPLIFIERD_HOME: home };
  const child = spawn(program, args, { cwd: workspace.resolve('work'), env, stdio: 'ignore' });
  const ended = once(child, 'exit');
  const daemonPid = async () => {
    if (before.length === 0) return child.pid ?? 0;
    const below = await readFile(`/proc/${child.pid}/task/${child.pid}/children`, 'utf8').catch(() => '');
    return Number(below.trim());
  };
  const record = join(home, 'state/record.db');
  await expect.poll(() => countProcesses(record), { timeout: 100_000 }).toBe(1);
  process.kill(await daemonPid(), 'SIGTERM');
  let hangs = false;
  const giveUp = setTimeout(() => {
    hangs = true;
    child.kill('SIGKILL');
  }, 100_000);
  await ended;
  clearTimeout(giveUp);
  expect(hangs).toBe(false);
  await rm(join(home, 'token'));
  if (before.length > 0) {
    // A dead process of another container cannot be recognized: its lease of 30 s has to end.
    const database = new DatabaseSync(record);
    database.exec('UPDATE processes SET lease_until = 0');
    database.close();
  }
  await using daemon = await DaemonProcess.start(home);
  expect((await daemon.fetch('/healthz')).status).toBe(200);
});

/** Processes that have registered in the record; zero while its tables are being made. */
function countProcesses(record: string): unknown {
  if (!existsSync(record)) return 0;
  const database = new DatabaseSync(record, { readOnly: true });
  try {
    return database.prepare('SELECT count(*) AS count FROM processes').get()?.count;
  } catch {
    return 0;
  } finally {
    database.close();
  }
}
