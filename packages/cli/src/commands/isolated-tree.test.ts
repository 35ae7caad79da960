import { spawnSync } from 'node:child_process';
import { FakeModelServer } from '@amplifier/testkit';
import { expect, it } from 'vitest';
import { CliSandbox } from '../../test-support/run-cli.js';

const FILES = {
  '.gitignore': '.env\nnode_modules/\ndist/\n',
  'a.txt': 'one\n',
  '.env': 'SECRET_OF_APP=1\n',
  'node_modules/left-pad/index.js': 'pad\n',
  'packages/web/node_modules/right-pad/index.js': 'pad\n',
  'dist/out.js': 'built\n',
};
const LOOK =
  'cat .env node_modules/left-pad/index.js packages/web/node_modules/right-pad/index.js; ls dist; echo "port=$PORT"; cat ready.txt; echo two >> a.txt; echo x > node_modules/left-pad/own.js';

async function repository(): Promise<CliSandbox> {
  const box = await CliSandbox.create(FILES);
  const identity = ['-c', 'user.name=t', '-c', 'user.email=t@example.test'];
  for (const args of [
    ['init', '-q'],
    ['add', '-A'],
    [...identity, 'commit', '-qm', 'first'],
  ])
    spawnSync('git', args, { cwd: box.folder.path });
  return box;
}

it('gives a tree of its own what git ignores and work needs, a setup command and a port', async () => {
  await using server = await FakeModelServer.start();
  await using box = await repository();
  await box.trust();
  await box.home.write('settings.yaml', 'isolation:\n  setup: echo prepared > ready.txt; echo told\n');
  const env = { ANTHROPIC_API_KEY: 'k', ANTHROPIC_BASE_URL: `${server.url}/v1` };
  const task = `!call bash ${JSON.stringify({ command: LOOK })}\n!then\n!say Done.`;
  const done = await box.run(['delegate', 'self', task, '--isolation', 'worktree', '--json'], { env });
  expect(done.json(), done.stderr).toMatchObject({ response: 'Done.', status: 'success' });
  const told = JSON.stringify(server.exchanges.at(-1)?.body);
  expect(told).toContain('SECRET_OF_APP=1');
  expect(told.match(/pad\\\\n/g), told).toHaveLength(2);
  expect(told, 'what is made again from the rest stays behind').not.toContain('out.js');
  expect(told).toMatch(/port=\d{4,5}/);
  expect(told).toContain('prepared');
  const { artifacts } = done.json().metadata as {
    artifacts: { kind: string; changes: { path: string }[] }[];
  };
  const paths = artifacts.find(({ kind }) => kind === 'patch')?.changes.map(({ path }) => path);
  expect(paths, 'what was carried is no change').toEqual(['a.txt', 'ready.txt']);
  expect(await box.folder.read('a.txt')).toBe('one\n');
});

it('says what of the setup failed, and works on', async () => {
  await using server = await FakeModelServer.start();
  await using box = await repository();
  await box.trust();
  await box.home.write('settings.yaml', 'isolation:\n  carry: []\n  setup: echo no such tool >&2; exit 3\n');
  const env = { ANTHROPIC_API_KEY: 'k', ANTHROPIC_BASE_URL: `${server.url}/v1` };
  const task = '!call bash {"command":"ls -a"}\n!then\n!say Done.';
  const done = await box.run(['delegate', 'self', task, '--isolation', 'worktree', '--json'], { env });
  const { warnings } = done.json().metadata as { warnings: string[] };
  expect(warnings.join('\n')).toMatch(/ended with 3\.[\s\S]*no such tool/);
  expect(JSON.stringify(server.exchanges.at(-1)?.body)).not.toContain('node_modules');
});
