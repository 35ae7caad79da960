import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import type { JsonObject } from '@amplifier/core';
import { type MountedSession, mountedSession, TempWorkspace } from '@amplifier/testkit';
import {
  detectSandbox,
  type Grant,
  NoSandbox,
  pathScope,
  READ_ONLY_GRANT,
  type Sandbox,
} from '@amplifier/workspace';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import module from './index.js';

const none = new NoSandbox('for the test');
const detected = await detectSandbox();
const sandboxes: [string, Sandbox][] =
  detected.name === 'none'
    ? [['no sandbox', none]]
    : [
        ['no sandbox', none],
        [detected.name, detected],
      ];

const grantFor = (folder: string): Grant => ({
  ...READ_ONLY_GRANT,
  write: pathScope([folder]),
  exec: 'free',
  network: true,
});

interface Result {
  exit_code: number;
  stdout: string;
  stderr: string;
  note?: string;
  full_output?: string[];
}

function open(
  folder: string,
  sandbox: Sandbox,
  config: JsonObject = {},
  grant: Grant | null = grantFor(folder),
) {
  return mountedSession({
    toolModules: { 'tool-bash': module },
    config: { 'tool-bash': config },
    capabilities: {
      'session.working_dir': folder,
      'session.sandbox': sandbox,
      ...(grant ? { 'session.grant': grant } : {}),
    },
  });
}

const bash = async (session: MountedSession, command: string, more: JsonObject = {}) => {
  const result = await session.call('bash', { command, ...more });
  return { ...result, output: result.output as Result };
};

/** Nothing of this machine may still run with the mark in its command line or environment. */
async function processesWith(mark: string): Promise<string[]> {
  const found: string[] = [];
  for (const pid of (await readdir('/proc')).filter((name) => /^\d+$/.test(name))) {
    try {
      if (/^\d+ \(.*\) [ZX]/s.test(readFileSync(`/proc/${pid}/stat`, 'latin1'))) continue;
      if (readFileSync(`/proc/${pid}/cmdline`, 'latin1').includes(mark)) found.push(pid);
    } catch {
      // Gone while we looked.
    }
  }
  return found;
}

let workspace: TempWorkspace;
beforeAll(async () => {
  workspace = await TempWorkspace.create({ 'sub/a.txt': 'hello' });
});
afterAll(() => workspace[Symbol.asyncDispose]());

const hostFixture = fileURLToPath(new URL('../../../fixtures/background-session.mjs', import.meta.url));

let marks = 0;
/** A number of seconds that no other process on the machine sleeps. */
const uniqueSleep = () => `${77_000 + process.pid}.${++marks}`;

it('accepts no shell but bash, as which permission rules read a line', async () => {
  const [, sandbox] = sandboxes[0] as (typeof sandboxes)[number];
  await using refused = await open(workspace.path, sandbox, { shell: 'zsh' });
  expect(refused.session.coordinator.diagnostics).toMatchObject([
    { code: 'MODULE_MOUNT_FAILED', message: expect.stringContaining('must be bash') },
  ]);
  await using session = await open(workspace.path, sandbox, { shell: '/bin/bash' });
  expect((await bash(session, 'echo $BASH')).output).toMatchObject({ stdout: '/bin/bash\n' });
});

describe.each(sandboxes)('bash with %s', (_name, sandbox) => {
  it('runs a command in the working folder and returns what it wrote', async () => {
    await using session = await open(workspace.path, sandbox);
    const { success, output } = await bash(session, 'cat a.txt; echo oops >&2', { cwd: 'sub' });
    expect(success).toBe(true);
    expect(output).toMatchObject({ exit_code: 0, stdout: 'hello', stderr: 'oops\n' });
  });

  it('tells exit code and output of a command that fails', async () => {
    await using session = await open(workspace.path, sandbox);
    const { success, error, output } = await bash(session, 'echo half; exit 3');
    expect({ success, error }).toMatchObject({ success: false, error: { code: 'COMMAND_FAILED' } });
    expect(output).toMatchObject({ exit_code: 3, stdout: 'half\n' });
  });

  it('ends a command and everything it started when its time is over', async () => {
    await using session = await open(workspace.path, sandbox);
    const mark = uniqueSleep();
    const { error, output } = await bash(
      session,
      `echo begun; sleep ${mark} & (setsid sleep ${mark} &) ; sleep ${mark}`,
      {
        timeout: 0.5,
      },
    );
    expect(error).toMatchObject({ code: 'TIMEOUT', message: expect.stringContaining('0.5 s') });
    expect(output.stdout).toBe('begun\n');
    expect(await processesWith(mark)).toEqual([]);
  });

  it('ends at once when the session is cancelled', async () => {
    await using session = await open(workspace.path, sandbox);
    const mark = uniqueSleep();
    const stop = new AbortController();
    const running = session.call('bash', { command: `sleep ${mark}` }, { signal: stop.signal });
    stop.abort();
    expect((await running).error).toMatchObject({ code: 'CANCELLED' });
    expect(await processesWith(mark)).toEqual([]);
  });

  it('ends children that a finished command left behind, daemons too, and says so', async () => {
    await using session = await open(workspace.path, sandbox);
    const mark = uniqueSleep();
    const { success } = await bash(
      session,
      `(setsid nohup sleep ${mark} >/dev/null 2>&1 &) ; sleep ${mark} & echo done`,
    );
    expect(success).toBe(true);
    expect(await processesWith(mark)).toEqual([]);
  });

  it('keeps the ends of huge output and all of it in a file that goes with the session', async () => {
    const session = await open(workspace.path, sandbox);
    const { success, output } = await bash(
      session,
      'echo first; head -c 20000000 /dev/zero | tr "\\0" x; echo; echo last',
    );
    expect(success).toBe(true);
    expect(output.stdout.length).toBeLessThan(40_000);
    expect(output.stdout).toMatch(/^first\n[\s\S]*bytes left out[\s\S]*last\n$/);
    const [file = ''] = output.full_output ?? [];
    expect(readFileSync(file).length).toBe(20_000_000 + 'first\n\nlast\n'.length);
    await session[Symbol.asyncDispose]();
    expect(existsSync(file)).toBe(false);
  });

  it('contains a fork bomb within its limit', async () => {
    await using session = await open(workspace.path, sandbox, { max_processes: 40 });
    const mark = uniqueSleep();
    // Five times as many processes as are allowed and no more: a broken guard must fail the test, not the machine.
    const bomb = `for i in $(seq 200); do sleep ${mark} & done; wait`;
    const { success, error } = await bash(session, bomb, { timeout: 20 });
    expect(success).toBe(false);
    expect(error).toMatchObject({
      code: 'LIMIT_REACHED',
      message: expect.stringContaining('more than 40 processes'),
    });
    expect(await processesWith(mark)).toEqual([]);
  });

  it('runs in the background, is listed, read and killed', async () => {
    await using session = await open(workspace.path, sandbox);
    const mark = uniqueSleep();
    const started = await session.call('bash', {
      command: `echo ready; sleep ${mark}`,
      run_in_background: true,
    });
    const { id } = started.output as { id: string };
    expect((await session.call('bash_process', { action: 'list' })).output).toMatchObject({
      processes: [{ id, state: 'running' }],
    });
    let output = '';
    while (output === '') {
      const read = await session.call('bash_process', { action: 'read', id });
      output = (read.output as { output: string }).output;
      await new Promise(setImmediate);
    }
    expect(output).toBe('ready\n');
    const killed = await session.call('bash_process', { action: 'kill', id });
    expect(killed.output).toMatchObject({ id, state: 'killed', output: '' });
    expect(await processesWith(mark)).toEqual([]);
  });

  it('leaves no process behind when the session is cleaned up', async () => {
    const session = await open(workspace.path, sandbox);
    const mark = uniqueSleep();
    for (const command of [`sleep ${mark}`, `trap '' TERM; (setsid sleep ${mark} &) ; sleep ${mark}`])
      expect((await session.call('bash', { command, run_in_background: true })).success).toBe(true);
    await session[Symbol.asyncDispose]();
    expect(await processesWith(mark)).toEqual([]);
  });

  it('allows no more background processes than it says', async () => {
    await using session = await open(workspace.path, sandbox, { max_background: 1 });
    const start = () => session.call('bash', { command: `sleep ${uniqueSleep()}`, run_in_background: true });
    expect((await start()).success).toBe(true);
    expect(await start()).toMatchObject({ success: false, error: { code: 'LIMIT_REACHED' } });
  });

  it('gives commands no secret of the environment and nobody to ask', async () => {
    process.env.TEST_TOOL_API_KEY = 'sk-very-secret';
    process.env.TEST_TOOL_DATABASE = 'postgres://me:sk-very-secret@db';
    try {
      await using session = await open(workspace.path, sandbox);
      const { output } = await bash(session, 'env; read -r answer; echo "answer:$answer"');
      expect(output.stdout).not.toContain('sk-very-secret');
      expect(output.stdout).toContain('answer:\n');
      await using passing = await open(workspace.path, sandbox, { pass_env: ['TEST_TOOL_API_KEY'] });
      expect((await bash(passing, 'echo $TEST_TOOL_API_KEY')).output.stdout).toBe('sk-very-secret\n');
    } finally {
      delete process.env.TEST_TOOL_API_KEY;
      delete process.env.TEST_TOOL_DATABASE;
    }
  });
});

describe('bash is refused', () => {
  it('without a grant, and with one that allows no commands', async () => {
    for (const grant of [null, READ_ONLY_GRANT]) {
      await using session = await open(workspace.path, none, {}, grant);
      const { success, error } = await bash(session, 'touch written');
      expect({ success, error }).toMatchObject({ success: false, error: { code: 'EXEC_DENIED' } });
    }
    expect(existsSync(workspace.resolve('written'))).toBe(false);
  });

  it('where the grant asks for a sandbox and there is none', async () => {
    await using session = await open(
      workspace.path,
      none,
      {},
      { ...grantFor(workspace.path), exec: 'confined' },
    );
    expect((await bash(session, 'true')).error).toMatchObject({ code: 'EXEC_DENIED' });
  });

  it('with a NUL byte in the command, and in a folder outside the grant', async () => {
    const grant = { ...grantFor(workspace.path), read: pathScope([workspace.path]) };
    await using session = await open(workspace.path, none, {}, grant);
    expect((await bash(session, 'echo \0')).error).toMatchObject({ code: 'INVALID_INPUT' });
    expect((await bash(session, 'pwd', { cwd: '..' })).error).toMatchObject({ code: 'NOT_PERMITTED' });
    expect((await bash(session, 'pwd', { cwd: 'missing' })).error).toMatchObject({
      code: 'FOLDER_NOT_FOUND',
    });
  });
});

describe.runIf(detected.name !== 'none')('bash in the sandbox', () => {
  it.each(['/run', '/tmp', '/var/tmp'])('runs in no folder that the sandbox shows empty: %s', async (cwd) => {
    for (const write of [pathScope([]), pathScope([workspace.path])]) {
      const grant = { ...grantFor(workspace.path), exec: 'confined' as const, write };
      await using session = await open(workspace.path, detected, {}, grant);
      expect((await bash(session, 'ls', { cwd })).error).toMatchObject({ code: 'EXEC_DENIED' });
      expect((await bash(session, 'pwd')).success).toBe(true);
    }
  });

  it('does not go on in the background when its host is killed', async () => {
    const mark = uniqueSleep();
    const command = `(setsid sleep ${mark} &) ; sleep ${mark}`;
    const host = spawn(process.execPath, [hostFixture, command], { stdio: ['ignore', 'pipe', 'inherit'] });
    try {
      await once(host.stdout, 'data');
      while ((await processesWith(`sleep\0${mark}`)).length < 2) await new Promise(setImmediate);
    } finally {
      host.kill('SIGKILL');
      await once(host, 'exit');
    }
    while ((await processesWith(`sleep\0${mark}`)).length > 0) await new Promise(setImmediate);
  });

  it('cannot write outside the grant, nor see the processes of the host', async () => {
    await using outside = await TempWorkspace.create({ 'secret.txt': 'secret' });
    await using session = await open(
      workspace.path,
      detected,
      {},
      { ...grantFor(workspace.path), exec: 'confined' },
    );
    const target = outside.resolve('secret.txt');
    const { success } = await bash(session, `echo pwned > ${target}`);
    expect(success).toBe(false);
    expect(await outside.read('secret.txt')).toBe('secret');
    const link = await bash(session, `ln -s ${target} link && echo pwned > link`);
    expect(link.success).toBe(false);
    expect(await outside.read('secret.txt')).toBe('secret');
    const host = await bash(
      session,
      `tr '\\0' '\\n' < /proc/${process.pid}/cmdline; ls /proc | grep -c '^[0-9]'`,
    );
    expect(host.output.stdout).not.toContain('vitest');
    expect(Number(host.output.stdout.trim().split('\n').at(-1))).toBeLessThan(10);
    const { output } = await bash(session, 'echo fine > inside.txt && cat inside.txt');
    expect(output.stdout).toBe('fine\n');
  });
});
