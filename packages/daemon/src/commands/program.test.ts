import { execFile } from 'node:child_process';
import { mkdir, readFile, stat, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { FakeModelServer, TempWorkspace } from '@amplifier/testkit';
import { Isolation } from '@amplifier/workspace';
import { describe, expect, it } from 'vitest';
import { DaemonProcess } from '../../test-support/daemon-process.js';
import { runProfile } from '../../test-support/run-profile.js';

const PROGRAM = fileURLToPath(new URL('../../../cli/dist/amplifierd.js', import.meta.url));
const run = promisify(execFile);

interface Ended {
  code: number;
  stdout: string;
  stderr: string;
}

/** Runs `amplifierd` with these words on a home. */
async function amplifierd(
  home: string,
  words: string[],
  environment: Record<string, string> = {},
): Promise<Ended> {
  const env = { ...process.env, AMPLIFIERD_HOME: home, ...environment };
  try {
    return { code: 0, ...(await run(process.execPath, [PROGRAM, ...words], { env })) };
  } catch (error) {
    const { code, stdout, stderr } = error as Ended;
    return { code, stdout, stderr };
  }
}

describe('amplifierd', () => {
  it('serves what ships with it from the first request on, prints its token once, keeps it for its owner alone, and takes another from the environment', async () => {
    await using workspace = await TempWorkspace.create();
    const home = workspace.resolve('home');
    {
      await using daemon = await DaemonProcess.start(home, {}, { ready: false });
      const json = { profile_id: 'foundation/base' };
      expect((await daemon.fetch('/api/v1/sessions', { method: 'POST', json })).status).toBe(201);
      expect(daemon.greeting.join('\n')).toContain(daemon.token);
      expect((await stat(workspace.resolve('home/token'))).mode & 0o777).toBe(0o600);
      expect((await stat(home)).mode & 0o777).toBe(0o700);
      expect((await amplifierd(home, ['token'])).stdout.trim()).toBe(daemon.token);
      expect(await daemon.stop()).toBe(0);
    }
    const unusable = await amplifierd(home, ['serve', '--port', '0'], { AMPLIFIERD_TOKEN: 'two words' });
    expect([unusable.code, unusable.stderr]).toEqual([1, expect.stringContaining('AMPLIFIERD_TOKEN')]);
    await using again = await DaemonProcess.start(home, { AMPLIFIERD_TOKEN: 'from-the-environment' });
    expect(again.greeting.join('\n')).not.toContain('oken');
    expect((await again.fetch('/api/v1/status')).status).toBe(200);
    const old = (await readFile(workspace.resolve('home/token'), 'utf8')).trim();
    expect(
      (await fetch(`${again.url}/api/v1/status`, { headers: { authorization: `Bearer ${old}` } })).status,
    ).toBe(401);
  });

  it('ends in good order by SIGTERM after a proposal was applied, with a run in progress', async () => {
    await using workspace = await TempWorkspace.create({ 'work/a.txt': 'one' });
    let onAsked = () => {};
    const asked = new Promise<void>((resolve) => {
      onAsked = resolve;
    });
    const reply = { sleep_ms: 1_000, text: 'finished' };
    await using model = await FakeModelServer.start({
      script: () => {
        onAsked();
        return reply;
      },
    });
    await using daemon = await DaemonProcess.start(workspace.resolve('home'), {
      RUN_TEST_KEY: 'sk-run-test',
      AMPLIFIERD_RUNS: '{ trust_working_dir: true, safety_mode: write }',
    });
    const post = async (path: string, json: object = {}) => {
      const response = await daemon.fetch(`/api/v1${path}`, { method: 'POST', json });
      return { status: response.status, body: (await response.json()) as Record<string, string> };
    };
    const source = workspace.resolve('work');
    const isolation = await Isolation.create({ home: workspace.resolve('home-trees'), source });
    await writeFile(`${isolation.path}/a.txt`, 'two');
    await isolation.keep('its changes have not been applied.');
    expect((await post(`/proposals/${isolation.id}/apply`)).body).toMatchObject({ status: 'applied' });
    await post('/profiles', { name: 'worker', manifest: runProfile(model.url) });
    const { session_id } = (await post('/sessions', { profile_id: 'local/worker' })).body;
    const running = post(`/sessions/${session_id}/runs`, { instruction: 'Go.', wait: 30 });
    await asked;
    expect(await daemon.stop()).toBe(0);
    expect((await running).status).toBeLessThan(300);
  });

  it('says whether it runs, syncs and stops, and refuses a second one on the same home', async () => {
    await using workspace = await TempWorkspace.create();
    const home = workspace.resolve('home');
    expect(await amplifierd(home, ['status'])).toMatchObject({ code: 3, stdout: 'not running\n' });
    expect(await amplifierd(home, ['stop'])).toMatchObject({ code: 0, stdout: 'not running\n' });
    expect((await amplifierd(home, ['sync'])).stderr).toContain('amplifierd serve');
    await using daemon = await DaemonProcess.start(home);
    const status = await amplifierd(home, ['status']);
    expect(status.stdout).toContain(`process ${daemon.pid}`);
    const second = await amplifierd(home, ['serve', '--port', '0']);
    expect(second.code).toBe(1);
    expect(second.stderr).toContain(`process ${daemon.pid}`);
    const synced = await amplifierd(home, ['sync', 'foundation', '--update']);
    expect(synced).toMatchObject({ code: 0, stdout: expect.stringContaining('foundation: synced') });
    expect(synced.stderr).toContain('Compiling foundation/base');
    expect((await amplifierd(home, ['sync', 'none'])).stderr).toContain('no collection none');
    expect((await amplifierd(home, ['stop'])).stdout).toBe(`stopped: process ${daemon.pid}\n`);
    expect(await amplifierd(home, ['status'])).toMatchObject({ code: 3 });
  });

  it('starts on the home of a dead process; makes tokens that may do less, lists them, and takes them back while it runs', async () => {
    await using workspace = await TempWorkspace.create();
    const home = workspace.resolve('home');
    const first = await DaemonProcess.start(home);
    await first.kill();
    expect((await amplifierd(home, ['status'])).code).toBe(3);
    await using daemon = await DaemonProcess.start(home);
    expect((await daemon.fetch('/api/v1/status')).status).toBe(200);
    const made = await amplifierd(home, ['token', 'create', '--scope', 'read', '--name', 'dashboard']);
    const headers = { authorization: `Bearer ${made.stdout.trim()}` };
    const status = async () => (await fetch(`${daemon.url}/api/v1/status`, { headers })).status;
    expect(await status()).toBe(200);
    const listed = (await amplifierd(home, ['token', 'list'])).stdout;
    expect(listed).toMatch(/^[0-9a-f]{16} {2}read .* dashboard\n$/);
    await amplifierd(home, ['token', 'revoke', listed.split(' ')[0] ?? '']);
    expect(await status()).toBe(401);
    expect((await amplifierd(home, ['token', 'create', '--scope', 'all'])).code).toBe(1);
  });

  it('is configured by file, environment and flags, in rising order', async () => {
    await using workspace = await TempWorkspace.create();
    const home = workspace.resolve('home');
    await mkdir(workspace.resolve('home/config'), { recursive: true });
    await writeFile(
      workspace.resolve('home/config/daemon.yaml'),
      'max_body_bytes: 10\nmax_depth: 0\nallowed_hosts: [a.example]\n',
    );
    await using daemon = await DaemonProcess.start(home, { AMPLIFIERD_MAX_BODY_BYTES: '1000' });
    const parent = await daemon.fetch('/api/v1/sessions', {
      method: 'POST',
      json: { profile_id: 'foundation/base', session_id: 'p' },
    });
    expect(parent.status).toBe(201);
    const child = await daemon.fetch('/api/v1/sessions', {
      method: 'POST',
      json: { profile_id: 'foundation/base', parent_session_id: 'p' },
    });
    expect(child.status).toBe(409);
    await daemon.stop();
    for (const [words, environment] of [
      [['serve', '--port', 'many'], {}],
      [['serve'], { AMPLIFIERD_LOG_LEVEL: 'loud' }],
      [['serve', '--port', '0'], { AMPLIFIERD_RUNS: '{ on_restart: perhaps }' }],
      [['serve', '--port', '0'], { AMPLIFIERD_APPROVALS: '{ timeout_seconds: [' }],
      [['serve', '--port', '0', '--host', '0.0.0.0'], {}],
    ] as const) {
      const refused = await amplifierd(home, [...words], environment);
      expect(refused.code).toBe(1);
      expect(refused.stderr).not.toContain('    at ');
    }
    await writeFile(workspace.resolve('home/config/daemon.yaml'), 'no_such_setting: 1\n');
    expect((await amplifierd(home, ['serve'])).stderr).toContain('no_such_setting');
  });

  it('lets requests that are under way end before it does', async () => {
    await using workspace = await TempWorkspace.create();
    await using daemon = await DaemonProcess.start(workspace.resolve('home'), {
      AMPLIFIERD_LOG_LEVEL: 'info',
    });
    const create = () =>
      daemon.fetch('/api/v1/sessions', { method: 'POST', json: { profile_id: 'foundation/base' } });
    const requests = Array.from({ length: 20 }, create);
    await requests[0];
    const [code, ...answers] = await Promise.all([
      daemon.stop(),
      ...requests.map((request) =>
        request.then(
          ({ status }) => status,
          () => 'refused',
        ),
      ),
    ]);
    expect(code).toBe(0);
    expect(answers.every((status) => status === 201 || status === 'refused')).toBe(true);
    const log = await readFile(workspace.resolve('home/log/amplifierd.log'), 'utf8');
    const lines = log.split('\n').map((line) => (line ? JSON.parse(line) : null));
    expect(lines.filter((line) => line?.status === 201).length).toBeGreaterThanOrEqual(
      answers.filter((status) => status === 201).length,
    );
    expect(lines.at(-2)?.msg).toBe('stopped');
    await using after = await DaemonProcess.start(workspace.resolve('home'));
    const listed = (await (await after.fetch('/api/v1/sessions?limit=100')).json()) as unknown[];
    expect(listed.length).toBeGreaterThanOrEqual(answers.filter((status) => status === 201).length);
  });
});
