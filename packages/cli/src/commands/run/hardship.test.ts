import { spawn } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { type FakeExchange, FakeModelServer } from '@amplifier/testkit';
import { describe, expect, it } from 'vitest';
import { type CliResult, CliSandbox } from '../../../test-support/run-cli.js';

const MAIN = fileURLToPath(new URL('../../../dist/main.js', import.meta.url));

function compatible(server: FakeModelServer): Record<string, string> {
  return { OPENAI_COMPATIBLE_BASE_URL: `${server.url}/v1` };
}

/** Processes that still work for this sandbox: their environment names its home. */
function processesOf(home: string): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
    .filter((pid) => {
      try {
        const alive = !/^\d+ \(.*\) Z/.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
        return alive && readFileSync(`/proc/${pid}/environ`, 'utf8').includes(`AMPLIFIER_HOME=${home}\0`);
      } catch {
        return false;
      }
    })
    .map(Number);
}

/** Ends them with SIGKILL. One of them may have ended since it was listed. */
function killAll(pids: readonly number[]): void {
  for (const pid of pids) {
    try {
      process.kill(pid, 'SIGKILL');
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
    }
  }
}

/** How many files and folders a process watches. */
function watchesOf(pid: number): number {
  const texts = readdirSync(`/proc/${pid}/fdinfo`).map((name) => {
    try {
      return readFileSync(`/proc/${pid}/fdinfo/${name}`, 'latin1');
    } catch {
      // It has been closed meanwhile.
      return '';
    }
  });
  return texts.join('\n').match(/^inotify wd:/gm)?.length ?? 0;
}

describe('Ctrl-C', () => {
  it('once: lets the step end, keeps the session, ends with 130 and leaves no process behind', async () => {
    await using server = await FakeModelServer.start();
    await using box = await CliSandbox.create();
    const env = compatible(server);
    const terminal = box.open(
      [
        'run',
        '--safety',
        'yolo',
        '-m',
        'fake-1',
        '!call bash {"command":"until [ -e go ]; do sleep 0.1; done"}\n!then\n!say Never.',
      ],
      { env },
    );
    await terminal.see(/bash until/);
    terminal.type('\x03');
    await terminal.see('Stopping after the current step');
    await box.folder.write('go', '');
    expect(await terminal.ended).toBe(130);
    const [, session_id = ''] = /session resume (\S+)/.exec(terminal.text) ?? [];
    await expect.poll(() => processesOf(box.home.path)).toEqual([]);
    const resumed = await box.run(['session', 'resume', session_id, '!say Back.', '--json'], { env });
    expect(resumed.json()).toMatchObject({ session_id, status: 'success', response: 'Back.' });
  });

  it('twice: stops at once, in the middle of an answer, and leaves no process behind', async () => {
    await using server = await FakeModelServer.start();
    await using box = await CliSandbox.create();
    const env = compatible(server);
    const terminal = box.open(['run', '-m', 'fake-1', '!say Half of it\n!hang midway'], { env });
    const exchange = await server.received(1);
    await terminal.see('Half');
    terminal.type('\x03');
    await terminal.see('Press Ctrl-C again');
    terminal.type('\x03');
    expect(await terminal.ended).toBe(130);
    expect(await exchange.ended).toBe('closed');
    await expect.poll(() => processesOf(box.home.path)).toEqual([]);
    const [, session_id = ''] = /session resume (\S+)/.exec(terminal.text) ?? [];
    const resumed = await box.run(['session', 'resume', session_id, '!say Back.', '--json'], { env });
    expect(resumed.json()).toMatchObject({ status: 'success' });
  });

  it('as a signal to a process without a terminal', async () => {
    await using server = await FakeModelServer.start();
    await using box = await CliSandbox.create();
    const ran = await box.run(['run', '--json', '-m', 'fake-1', '!hang'], {
      env: compatible(server),
      onStart: (child) =>
        void server.received(1).then(() => {
          child.kill('SIGINT');
          child.kill('SIGTERM');
        }),
    });
    expect(ran.json()).toMatchObject({ status: 'cancelled' });
    expect(ran.code).toBe(130);
  });
});

describe('a hard world', () => {
  it('goes on after kill -9: whoever waits and whoever looks is told, and the session can be resumed', async () => {
    await using server = await FakeModelServer.start();
    await using box = await CliSandbox.create();
    const env = compatible(server);
    let session_id = '';
    let waits: Promise<CliResult> | undefined;
    await box.run(['run', '-m', 'fake-1', '!hang'], {
      env,
      onStart: async (child) => {
        await server.received(1);
        const { sessions } = (await box.run(['session', 'list', '--json'])).json();
        session_id = (sessions as { session_id: string }[])[0]?.session_id ?? '';
        waits = box.run(['wait', session_id, '--json']);
        child.kill('SIGKILL');
      },
    });
    const waited = await waits;
    expect(waited?.code).toBe(1);
    expect(waited?.json()).toMatchObject({
      session_id,
      status: 'interrupted',
      continue_with: expect.stringContaining(`amplifier continue ${session_id}`),
    });
    const stands = async () => (await box.run(['status', session_id, '--json'])).json();
    expect(await stands()).toMatchObject({ status: 'active', interrupted: true });
    expect((await box.run(['doctor'], { env })).stdout).toContain('was left by a process that died');
    const resumed = await box.run(['session', 'resume', session_id, '!say Back.', '--json'], { env });
    expect(resumed.json()).toMatchObject({ status: 'success', response: 'Back.' });
    expect(await stands()).toMatchObject({ interrupted: false });
  });

  it('waits for a child in the background although the process that ran it was killed', async () => {
    await using server = await FakeModelServer.start();
    await using box = await CliSandbox.create({
      '.amplifier/agents/helper.md': '---\nname: helper\ndescription: Helps.\n---\nYou help.\n',
    });
    const env = compatible(server);
    server.play([{ hang: 'before' }, { text: 'Finished after all.' }]);
    const task = ['delegate', 'helper', '--background', '--json', 'Go.', '-m', 'fake-1'];
    const { session_id } = (await box.run(task, { env })).json();
    await server.received(1);
    killAll(processesOf(box.home.path));
    const waited = await box.run(['wait', session_id, '--json'], { env });
    expect(waited.json()).toMatchObject({ status: 'success', response: 'Finished after all.' });
    killAll(processesOf(box.home.path));
  });

  it('has one process for a hundred children in the background, with a handful of watches', async () => {
    await using server = await FakeModelServer.start();
    await using box = await CliSandbox.create();
    const env = compatible(server);
    const child = (instruction: string) =>
      `!call delegate ${JSON.stringify({ agent: 'explorer', instruction, context_depth: 'none', background: true })}\n`;
    // One of them holds the worker until all is seen.
    const fifty = `${child('!hang')}${child('!say Seen.').repeat(49)}!then\n!say Sent.`;
    const run = () => box.run(['run', '-m', 'fake-1', '--safety', 'read_only', '--json', fifty], { env });
    for (const sent of await Promise.all([run(), run()])) {
      // Whoever hears of the end of a child before its own turn is over has one more answer to give.
      const response = expect.stringMatching(/^(Sent|Done)\.$/);
      expect(sent.json(), sent.stderr).toMatchObject({ status: 'success', response });
    }
    const isChild = ({ steps }: FakeExchange) => !steps.some(({ text }) => text.includes('!call'));
    await expect.poll(() => server.exchanges.filter(isChild).length).toBe(100);
    await expect.poll(() => processesOf(box.home.path)).toHaveLength(1);
    const [worker = 0] = processesOf(box.home.path);
    expect(watchesOf(worker)).toBeLessThan(32);
    process.kill(worker, 'SIGTERM');
    await expect.poll(() => processesOf(box.home.path)).toEqual([]);
  });

  it('ends quietly when whoever reads its output goes away', async () => {
    await using box = await CliSandbox.create({ 'a.txt': 'ALPHA' });
    const { code, stderr } = await new Promise<{ code: number | null; stderr: string }>((resolve) => {
      const pipeline = `'${process.execPath}' '${MAIN}' run --offline --output jsonl 'read a.txt' | head -1; exit \${PIPESTATUS[0]}`;
      const shell = spawn('bash', ['-c', pipeline], { cwd: box.folder.path, env: box.env });
      let said = '';
      shell.stderr.setEncoding('utf8').on('data', (text: string) => {
        said += text;
      });
      shell.on('close', (exit) => resolve({ code: exit, stderr: said }));
    });
    expect(stderr).not.toMatch(/EPIPE|Error/);
    expect([0, 130, 141]).toContain(code);
  });

  it('says what is wrong when the home cannot be written', async () => {
    await using box = await CliSandbox.create({ 'a.txt': 'ALPHA' });
    const { code, stderr } = await inNamespace(
      box,
      ['--ro-bind', box.home.path, box.home.path],
      ['run', '--offline', 'read a.txt'],
    );
    expect(stderr).toMatch(/cannot be written \(EROFS\).*AMPLIFIER_HOME/);
    expect(stderr).toContain(box.home.path);
    expect(stderr).not.toMatch(/\n\s+at /);
    expect(code).toBe(1);
    const doctor = await inNamespace(box, ['--ro-bind', box.home.path, box.home.path], ['doctor']);
    expect(doctor.stdout).toMatch(/✗ store: [\s\S]*fix: /);
  });

  it('says what is wrong when the disk is full', async () => {
    await using box = await CliSandbox.create({ 'a.txt': 'A'.repeat(200_000) });
    const small = ['--size', '40960', '--tmpfs', box.home.path];
    const { code, stderr } = await inNamespace(box, small, ['run', '--offline', 'read a.txt']);
    expect(stderr).toMatch(/no space left on device.*Free some space/);
    expect(stderr).not.toMatch(/\n\s+at /);
    expect(code).toBe(1);
  });
});

/** Runs the program where parts of the file system are other than they are. */
function inNamespace(
  box: CliSandbox,
  mounts: string[],
  args: string[],
): Promise<{ code: number | null; stdout: string; stderr: string }> {
  return new Promise((resolve) => {
    const child = spawn('bwrap', ['--dev-bind', '/', '/', ...mounts, process.execPath, MAIN, ...args], {
      cwd: box.folder.path,
      env: box.env,
    });
    let stdout = '';
    let stderr = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      stdout += text;
    });
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      stderr += text;
    });
    child.on('close', (code) => resolve({ code, stdout, stderr }));
  });
}
