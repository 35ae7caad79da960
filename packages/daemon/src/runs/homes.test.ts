import { execFile } from 'node:child_process';
import { mkdir, readdir, symlink, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { TempWorkspace } from '@amplifier/testkit';
import { detectSandbox } from '@amplifier/workspace';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { RunBench } from '../../test-support/run-bench.js';
import { call, runProfile, script } from '../../test-support/run-profile.js';
import { startDaemon } from '../lifecycle/start-daemon.js';

const sandbox = await detectSandbox();
let bench: RunBench;
beforeAll(async () => {
  bench = await RunBench.start();
  // The usual place of the home is the one that may lie below where sessions work.
  await symlink(bench.daemon.home, join(homedir(), '.amplifierd'));
  await bench.restart({ runs: { safety_mode: 'write', working_roots: ['..'] } });
  const manifest = runProfile(bench.model.url)
    .replace('name: worker', 'name: bold')
    .replace('  - module: tool-delegate', '  - module: tool-search\n  - module: tool-bash')
    .replace('hooks:\n  - module: hooks-approval\n', '');
  const made = await bench.daemon.post('/api/v1/profiles', { name: 'bold', manifest });
  if (made.status !== 201) throw new Error(made.text);
});
afterAll(() => bench[Symbol.asyncDispose]());

/** What the tools of one turn brought, of a session that works above the home. */
async function results(...calls: string[]): Promise<string> {
  const { daemon } = bench;
  const id = await daemon.session({ profile_id: 'local/bold', working_dir: daemon.workspace.path });
  const { body } = await bench.run(id, script(...calls, '!say Done.'), { wait: 60 });
  expect(body.status).toBe('completed');
  const { body: transcript } = await daemon.get(`/api/v1/sessions/${id}/transcript`);
  const messages = (transcript.messages ?? transcript) as { role: string; content: unknown }[];
  return JSON.stringify(messages.filter(({ role }) => role === 'tool'));
}

it('a daemon that is started above its usual home says so', () => {
  const told = bench.daemon.log.filter((line) => line.includes('HOME_BELOW_WORK'));
  expect(told).toEqual([expect.stringMatching(/which is below .*Sessions cannot reach it/)]);
  expect(bench.daemon.daemon.warning).toMatch(/which is below/);
});

it('no tool of a session reads or writes the home of the daemon, also where the session works above it', async () => {
  const { daemon } = bench;
  const token = daemon.workspace.resolve('home/token');
  const text = await results(
    call('read_file', { file_path: token }),
    call('read_file', { file_path: 'home/token' }),
    call('grep', { pattern: '.', path: daemon.home }),
    call('write_file', { file_path: 'home/state/sessions/x/launch.json', content: '{}' }),
    call('write_file', { file_path: `${daemon.home}/config/daemon.yaml`, content: 'insecure: true' }),
  );
  expect(text).not.toContain(daemon.daemon.token);
  expect(text.match(/is denied|not allowed/g)?.length).toBeGreaterThanOrEqual(4);
});

it.runIf(sandbox.name !== 'none')('no command of a session sees the home', async () => {
  const { daemon } = bench;
  const text = await results(
    call('bash', {
      command: `cat ${daemon.home}/token; ls -A ${daemon.home}; echo x > ${daemon.home}/y; mv home h2`,
    }),
  );
  expect(text).not.toContain(daemon.daemon.token);
  expect(text).toMatch(/No such file|Read-only|denied/);
  expect((await daemon.get('/healthz')).status).toBe(200);
});

it.runIf(process.platform === 'linux' && sandbox.name !== 'none')(
  'the daemon does not take its own token from a command of a session',
  async () => {
    const { url, token } = bench.daemon.daemon;
    const { hostname, port } = new URL(url);
    const request = `GET /api/v1/status HTTP/1.1\\r\\nHost: ${hostname}:${port}\\r\\nAuthorization: Bearer $T\\r\\nConnection: close\\r\\n\\r\\n`;
    const command = `T=${token}; exec 3<>/dev/tcp/${hostname}/${port}; printf "${request}" >&3; head -1 <&3`;
    expect(await results(call('bash', { command }))).toContain('403 Forbidden');
    expect((await bench.daemon.get('/api/v1/status')).status).toBe(200);
  },
);

it('git never stages anything of the home', async () => {
  const { workspace } = bench.daemon;
  const git = (...words: string[]) => promisify(execFile)('git', ['-C', workspace.path, ...words]);
  await mkdir(workspace.resolve('src'), { recursive: true });
  await writeFile(workspace.resolve('src/a.txt'), 'a');
  await git('init', '-q');
  await git('add', '.');
  const { stdout } = await git('ls-files');
  expect(stdout).toContain('src/a.txt');
  expect(stdout).not.toMatch(/^home\//m);
});

it.each([
  ['the folder it is started in', { AMPLIFIERD_HOME: 'work/.amplifierd' }, {}],
  ['a root for sessions', { AMPLIFIERD_HOME: 'elsewhere/home' }, { working_roots: ['../elsewhere'] }],
  ['the folder of sessions', { AMPLIFIERD_HOME: 'elsewhere/home' }, { working_dir: '../elsewhere' }],
  ['a link to that folder', { AMPLIFIERD_HOME: 'linked/home' }, { working_roots: ['../elsewhere'] }],
  [
    'a root for sessions, with its state alone',
    { AMPLIFIERD_HOME: 'own', AMPLIFIERD_STATE_DIR: 'elsewhere/state' },
    { working_roots: ['../elsewhere'] },
  ],
])('a home below %s is refused before anything is written there', async (_, places, runs) => {
  await using workspace = await TempWorkspace.create({ 'work/a.txt': '', 'elsewhere/a.txt': '' });
  await symlink(workspace.resolve('elsewhere'), workspace.resolve('linked'));
  const absolute = Object.entries(places).map(([name, place]) => [name, workspace.resolve(place)]);
  const environment = Object.fromEntries(absolute);
  const started = startDaemon({ cwd: workspace.resolve('work'), environment, flags: { port: 0, runs } });
  await expect(started).rejects.toMatchObject({
    code: 'INVALID_CONFIG',
    message: expect.stringMatching(/which is below .*where sessions work\. Put AMPLIFIERD_HOME/),
  });
  expect(await readdir(workspace.path)).toEqual(['elsewhere', 'linked', 'work']);
  expect(await readdir(workspace.resolve('elsewhere'))).toEqual(['a.txt']);
  expect(await readdir(workspace.resolve('work'))).toEqual(['a.txt']);
});
