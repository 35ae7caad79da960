import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, readFile } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { systemClock } from '@amplifier/core';
import { TempWorkspace, VirtualClock } from '@amplifier/testkit';
import { describe, expect, it } from 'vitest';
import { STARTING_MS } from '../defaults.js';
import { FULL_GRANT, READ_ONLY_GRANT } from '../grant/grant.js';
import { NoSandbox } from '../sandbox/detect-sandbox.js';
import type { Sandbox } from '../sandbox/sandbox.js';
import { findProcess, hasProc, listProcesses } from './process-table.js';
import { reclaimProcesses } from './process-tree.js';
import { type ProcessOptions, startProcess } from './start-process.js';

const bare = { grant: FULL_GRANT, sandbox: new NoSandbox('for the test'), cwd: process.cwd() };

function run(line: string, options: Partial<ProcessOptions> = {}) {
  return startProcess({ ...bare, command: ['bash', '-c', line], ...options });
}

/** Starts a command and waits until it has printed `count` pids, one on a line. */
async function runUntilPids(line: string, count: number, options: Partial<ProcessOptions> = {}) {
  let text = '';
  const ready = deferred<number[]>();
  const running = await run(line, {
    ...options,
    onOutput(_stream, chunk) {
      text += chunk;
      const pids = text.trim().split('\n').map(Number);
      if (text.endsWith('\n') && pids.length >= count) ready.resolve(pids);
    },
  });
  return { running, pids: await ready.promise };
}

function deferred<T>() {
  let resolve: (value: T) => void = () => {};
  const promise = new Promise<T>((settle) => {
    resolve = settle;
  });
  return { promise, resolve };
}

it('starts no command without a sandbox that is to stay off the network', async () => {
  await expect(run('true', { grant: { ...FULL_GRANT, network: false } })).rejects.toMatchObject({
    code: 'EXEC_DENIED',
  });
});

it('starts many commands at once a few at a time, so that the event loop is not blocked by all of them', async () => {
  const atOnce = Math.max(2, availableParallelism());
  const began = performance.now();
  const running = await Promise.all(Array.from({ length: 3 * atOnce }, () => run('sleep 1000')));
  const took = performance.now() - began;
  await Promise.all(running.map((each) => each.stop('now')));
  // No command ends, so that each group follows the one before after that time.
  expect(took).toBeGreaterThan(2 * STARTING_MS - 5);
});

/** One of each kind: a plain child, one in its own session, one that left its parent too. */
const FAMILY = `
  sleep 1000 & echo $!
  setsid bash -c 'echo $$; exec sleep 1000' &
  (setsid bash -c 'echo $$; exec sleep 1000' &)
  nohup sleep 1000 >/dev/null 2>&1 & echo $!
`;

it('counts what a command left running, and not what belongs to the sandbox', async () => {
  const named = '[ "$(cat /proc/$pid/comm)" = sleep ]';
  const one = `sleep 1000 & pid=$!; until ${named}; do :; done`;
  const leaving = `${one}; ${one}; exit 0`;
  const isGuard = (name: string) => name === 'sleep';
  const none = new NoSandbox('for the test');
  const sandbox: Sandbox = {
    ...none,
    confine: async (confinement) => ({ ...(await none.confine(confinement)), isGuard }),
  };
  expect(await (await run(leaving)).done).toMatchObject({ leftovers_killed: 2, survivors: [] });
  expect(await (await run(leaving, { sandbox })).done).toMatchObject({ leftovers_killed: 0, survivors: [] });
});

describe('a command', () => {
  it('gives its exit code and both streams', async () => {
    const end = await (await run('echo out; echo err >&2; exit 3')).done;
    expect(end).toMatchObject({
      exit_code: 3,
      signal: null,
      ended: 'exited',
      leftovers_killed: 0,
      survivors: [],
    });
    expect(end.stdout.text).toBe('out\n');
    expect(end.stderr.text).toBe('err\n');
  });

  it('reads its input, or none', async () => {
    expect((await (await run('cat', { input: 'grüße' })).done).stdout.text).toBe('grüße');
    expect((await (await run('cat')).done).exit_code).toBe(0);
    expect((await (await run('exit 0', { input: 'x'.repeat(1_000_000) })).done).exit_code).toBe(0);
  });

  it('does not see our secrets', async () => {
    process.env.TEST_WORKSPACE_API_KEY = 'sk-1';
    try {
      expect((await (await run('env')).done).stdout.text).not.toContain('sk-1');
    } finally {
      delete process.env.TEST_WORKSPACE_API_KEY;
    }
  });

  it('is refused by a grant without exec, and by a confined one where nothing confines', async () => {
    await expect(run('true', { grant: READ_ONLY_GRANT })).rejects.toMatchObject({ code: 'EXEC_DENIED' });
    const confined = { ...FULL_GRANT, exec: 'confined' as const };
    await expect(run('true', { grant: confined })).rejects.toMatchObject({ code: 'EXEC_DENIED' });
  });

  it('that cannot start is an error which says why', async () => {
    await expect(startProcess({ ...bare, command: ['no-such-command'] })).rejects.toMatchObject({
      code: 'COMMAND_NOT_FOUND',
    });
    await expect(run('true', { cwd: '/no/such/folder' })).rejects.toMatchObject({ code: 'FOLDER_NOT_FOUND' });
  });
});

describe('output', () => {
  it('is bounded in memory and whole in the spill file', async () => {
    await using space = await TempWorkspace.create();
    const end = await (
      await run('for i in $(seq 1 20000); do echo "line $i ü"; done', {
        memoryBytes: 1000,
        spillFolder: space.path,
      })
    ).done;
    const { stdout } = end;
    expect(stdout.text.length).toBeLessThan(1300);
    expect(stdout.text.startsWith('line 1 ü\n')).toBe(true);
    expect(stdout.text.endsWith('line 20000 ü\n')).toBe(true);
    expect(stdout.text).not.toContain('\ufffd');
    const whole = await readFile(stdout.spill_path as string, 'utf8');
    expect(Buffer.byteLength(whole)).toBe(stdout.bytes);
    expect(whole.split('\n').length).toBe(20001);
    expect(end.stderr.spill_path).toBeNull();
  });

  it('stops filling the disk at its limit and says so', async () => {
    await using space = await TempWorkspace.create();
    const end = await (
      await run('head -c 300000 /dev/zero', { memoryBytes: 1000, spillBytes: 5000, spillFolder: space.path })
    ).done;
    expect(end.stdout).toMatchObject({ bytes: 300_000, spill_bytes: 5000, truncated: true });
    expect(end.stdout.spill_error).toContain('5000');
  });

  it('is still bounded when the spill file cannot be written', async () => {
    const end = await (
      await run('head -c 300000 /dev/zero', { memoryBytes: 1000, spillFolder: '/no/such/folder' })
    ).done;
    expect(end).toMatchObject({ exit_code: 0, stdout: { bytes: 300_000, spill_path: null } });
    expect(end.stdout.spill_error).toContain('ENOENT');
  });
});

describe('a process tree', () => {
  it('is killed with every descendant, those in their own sessions too', async () => {
    const { running, pids } = await runUntilPids(`${FAMILY}wait`, 4);
    expect(pids.every((pid) => findProcess(pid) !== null)).toBe(true);
    const end = await running.stop('now');
    expect(end).toMatchObject({ ended: 'killed', signal: 'SIGKILL', survivors: [] });
    expect(pids.map((pid) => findProcess(pid))).toEqual(pids.map(() => null));
  });

  it('leaves nothing behind when its command ends by itself', async () => {
    await using space = await TempWorkspace.create();
    const line = `${FAMILY}until [ -e '${space.resolve('go')}' ]; do sleep 0.01; done`;
    const { running, pids } = await runUntilPids(line, 4);
    await space.write('go', '');
    const end = await running.done;
    expect(end.exit_code).toBe(0);
    expect(end.leftovers_killed).toBe(4);
    expect(pids.map((pid) => findProcess(pid))).toEqual(pids.map(() => null));
  });

  it('cannot outrun its killer by handing on from process to process', async () => {
    await using space = await TempWorkspace.create();
    const relay = await space.write('relay', '#!/bin/bash\necho $$\nsetsid "$0" &\nsleep 0.01\n');
    await chmod(relay, 0o755);
    const { running } = await runUntilPids(`${relay} & sleep 1000`, 3);
    expect((await running.stop('now')).survivors).toEqual([]);
    expect((await listProcesses()).filter(({ name }) => name === 'relay')).toEqual([]);
  });

  it('is ended after its time, politely first', async () => {
    const clock = new VirtualClock();
    const line = `trap 'echo bye; exit 7' TERM; echo $$; while :; do sleep 0.01; done`;
    const { running } = await runUntilPids(line, 1, { clock, timeoutMs: 60_000 });
    await clock.advance(60_000);
    const end = await running.done;
    expect(end).toMatchObject({ ended: 'timeout', exit_code: 7 });
    expect(end.stdout.text).toContain('bye');
  });

  it('is killed when it ignores the request to end', async () => {
    const { running } = await runUntilPids(`trap '' TERM; echo $$; while :; do sleep 0.01; done`, 1, {
      killGraceMs: 20,
    });
    expect(await running.stop()).toMatchObject({ ended: 'killed', signal: 'SIGKILL' });
  });

  it('ends when its signal aborts, and is not started when it aborted before', async () => {
    const controller = new AbortController();
    const { running } = await runUntilPids('echo $$; sleep 1000', 1, { signal: controller.signal });
    controller.abort();
    expect(await running.done).toMatchObject({ ended: 'cancelled', signal: 'SIGTERM' });
    await expect(run('sleep 1000', { signal: controller.signal })).rejects.toMatchObject({
      code: 'CANCELLED',
    });
  });

  it.runIf(hasProc())('of an owner that was killed is reclaimed at the next start', async () => {
    const owner = spawn(process.execPath, ['--input-type=module', '-e', OWNER], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const [output] = await once(owner.stdout, 'data');
    const pid = Number(output);
    expect(findProcess(pid)).not.toBeNull();
    await reclaimProcesses(systemClock);
    expect(findProcess(pid)).not.toBeNull();
    owner.kill('SIGKILL');
    await once(owner, 'exit');
    expect((await reclaimProcesses(systemClock)).length).toBeGreaterThan(0);
    expect(findProcess(pid)).toBeNull();
  });
});

const OWNER = `
  import { startProcess, NoSandbox, FULL_GRANT } from ${JSON.stringify(new URL('../../dist/index.js', import.meta.url).href)};
  await startProcess({
    command: ['bash', '-c', 'setsid sleep 1000 & echo $!; wait'], cwd: '/', grant: FULL_GRANT, sandbox: new NoSandbox(''),
    onOutput: (_stream, chunk) => process.stdout.write(chunk),
  });
`;
