import { spawnSync } from 'node:child_process';
import { rename, symlink } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { chaosAgentCommand, FakeModelServer, TempWorkspace } from '@amplifier/testkit';
import { expect, it } from 'vitest';
import { CliSandbox } from '../../../test-support/run-cli.js';

const REPOSITORY = resolve(fileURLToPath(import.meta.url), '../../../../../..');
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
  // It sees no more than the session does: not the home.
  const setup = `echo prepared > ready.txt; cat '${box.home.resolve('settings.yaml')}' >> ready.txt; echo told`;
  await box.home.write('settings.yaml', `isolation:\n  setup: ${setup}\n`);
  const env = { ANTHROPIC_API_KEY: 'k', ANTHROPIC_BASE_URL: `${server.url}/v1` };
  const task = `!call bash ${JSON.stringify({ command: LOOK })}\n!then\n!say Done.`;
  const done = await box.run(['delegate', 'self', task, '--isolation', 'worktree', '--json'], { env });
  expect(done.json(), done.stderr + done.stdout).toMatchObject({ response: 'Done.', status: 'success' });
  const told = JSON.stringify(server.exchanges.at(-1)?.body);
  expect(told).toContain('SECRET_OF_APP=1');
  expect(told.match(/pad\\\\n/g), told).toHaveLength(2);
  expect(told, 'what is made again from the rest stays behind').not.toContain('out.js');
  expect(told).toMatch(/port=\d{4,5}/);
  expect(told).toContain('prepared');
  expect(told).not.toContain('isolation:');
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

it('leads a path of the user’s folder into the tree: for file tools, for commands, and for whom the session hands on to', async () => {
  await using server = await FakeModelServer.start();
  await using box = await repository();
  const chaos = { command: chaosAgentCommand(), visible: [REPOSITORY] };
  await box.home.write('settings.yaml', JSON.stringify({ delegation: { agents: { chaos } } }));
  const env = { ANTHROPIC_API_KEY: 'k', ANTHROPIC_BASE_URL: `${server.url}/v1` };
  const at = (name: string) => box.folder.resolve(name);
  const handOn = {
    agent: 'acp:chaos',
    context_depth: 'none',
    instruction: `!write ${at('agent.txt')} new\n!say Written.`,
  };
  const task = [
    `!call write_file ${JSON.stringify({ file_path: at('tool.txt'), content: 'new' })}`,
    `!call bash ${JSON.stringify({ command: `cat ${at('tool.txt')} > ${at('command.txt')} && git -C ${at('.')} status --short` })}`,
    `!call delegate ${JSON.stringify(handOn)}`,
    `!call read_file ${JSON.stringify({ file_path: at('agent.txt') })}`,
    '!say Done.',
  ].join('\n!then\n');
  const done = await box.run(['run', task, '--safety', 'propose', '--json'], { env });
  const { artifacts } = done.json().metadata as { artifacts: { target: string; changes: object[] }[] };
  expect(artifacts, `${done.stdout}${done.stderr}`).toHaveLength(1);
  expect(artifacts).toMatchObject([
    {
      target: box.folder.path,
      changes: [{ path: 'agent.txt' }, { path: 'command.txt' }, { path: 'tool.txt' }],
    },
  ]);
  expect(JSON.stringify(server.exchanges.at(-1)?.body)).toContain('?? command.txt');
  expect(spawnSync('git', ['status', '--short'], { cwd: box.folder.path }).stdout.toString()).toBe('');
  const listed = (await box.run(['proposals', '--json'], { env })).json();
  expect(listed.proposals).toMatchObject([{ state: 'proposed', target: box.folder.path }]);
  const { proposals } = listed as unknown as { proposals: { id: string }[] };
  const applied = await box.run(['proposals', 'apply', proposals[0]?.id ?? ''], { env });
  expect(applied.code, applied.stderr).toBe(0);
  expect(await box.folder.read('agent.txt')).toBe('new\n');
});

it('refuses propose without an isolated tree, says why, and runs nothing', async () => {
  await using server = await FakeModelServer.start();
  await using box = await repository();
  const env = { ANTHROPIC_API_KEY: 'k', ANTHROPIC_BASE_URL: `${server.url}/v1` };
  const task = '!call write_file {"file_path": "made.txt", "content": "new"}\n!then\n!say Done.';
  const none = ['--safety', 'propose', '--isolation', 'none'];
  const done = await box.run(['delegate', 'self', task, ...none], { env });
  expect([done.code, done.stderr]).toEqual([1, expect.stringMatching(/isolated tree.*Omit isolation/)]);
  expect(server.exchanges).toHaveLength(0);
  await expect(box.folder.read('made.txt')).rejects.toThrow('ENOENT');
});

it.each(['a plain folder', 'a repository'])(
  'leaves secrets out of the copy of a home that is %s',
  async (kind) => {
    await using server = await FakeModelServer.start();
    const secrets = {
      '.ssh/id_rsa': 'PRIVATE-PART',
      '.netrc': 'PRIVATE-PART',
      '.amplifier/keys.env': 'SOME_KEY=PRIVATE-PART',
      '.amplifier-trees/isolations/other/tree/theirs.txt': 'PRIVATE-PART',
    };
    await using box = await CliSandbox.create({ 'notes/a.txt': 'one\n', ...secrets });
    const home = box.folder.path;
    if (kind === 'a repository')
      for (const args of [
        ['init', '-q'],
        ['add', 'notes'],
        ['-c', 'user.name=t', '-c', 'user.email=t@example.test', 'commit', '-qm', 'first'],
      ])
        spawnSync('git', args, { cwd: home });
    const own = { HOME: home, AMPLIFIER_HOME: join(home, '.amplifier') };
    const env = { ANTHROPIC_API_KEY: 'k', ANTHROPIC_BASE_URL: `${server.url}/v1`, ...own };
    const command = `${Object.keys(secrets)
      .flatMap((name) => [name, join(home, name)])
      .map((name) => `rev ${name}; cat ${name};`)
      .join(' ')} grep -r PRIVATE-PAR[T] .; echo two >> notes/a.txt; echo done`;
    const task = [
      `!call bash ${JSON.stringify({ command })}`,
      `!call read_file ${JSON.stringify({ file_path: '.ssh/id_rsa' })}`,
      '!say Done.',
    ].join('\n!then\n');
    const done = await box.run(['run', task, '--safety', 'propose', '--json'], { env });
    expect(done.json(), done.stderr + done.stdout).toMatchObject({ response: 'Done.', status: 'success' });
    const told = JSON.stringify(server.exchanges.at(-1)?.body);
    expect(told).not.toMatch(/PRIVATE-PART|TRAP-ETAVIRP/);
    const { artifacts, warnings } = done.json().metadata as {
      artifacts: { kind: string; changes: { path: string }[] }[];
      warnings: string[];
    };
    // In a repository the home ignores itself, so it is no part of the tree in any case.
    const ofPlain = kind === 'a repository' ? [] : ['.amplifier'];
    for (const name of ['.ssh', '.netrc', '.amplifier-trees', ...ofPlain])
      expect(warnings.join('\n')).toMatch(new RegExp(`does not contain .*\\${name}[, ]`));
    const paths = artifacts.find(({ kind: each }) => each === 'patch')?.changes.map(({ path }) => path);
    expect(paths, 'what was left out is no change').toEqual(['notes/a.txt']);
    const [proposal] = (await box.run(['proposals', 'list', '--json'], { env })).json().proposals as [
      { id: string },
    ];
    const applied = await box.run(['proposals', 'apply', proposal.id], { env });
    expect(applied.code, applied.stderr).toBe(0);
    expect(await box.folder.read('notes/a.txt')).toBe('one\ntwo\n');
    for (const [name, text] of Object.entries(secrets)) expect(await box.folder.read(name)).toBe(text);
  },
);

it('makes no isolated tree of a folder that sessions may not read', async () => {
  await using server = await FakeModelServer.start();
  await using box = await CliSandbox.create({ id_rsa: 'PRIVATE-PART' });
  await using user = await TempWorkspace.create({});
  await rename(box.folder.path, user.resolve('.ssh'));
  await symlink(user.resolve('.ssh'), box.folder.path);
  const env = { ANTHROPIC_API_KEY: 'k', ANTHROPIC_BASE_URL: `${server.url}/v1`, HOME: user.path };
  const task = '!call bash {"command":"cat id_rsa"}\n!then\n!say Done.';
  const done = await box.run(['run', task, '--safety', 'propose', '--json'], { env });
  expect(done.code).not.toBe(0);
  expect(done.stdout + done.stderr).toContain('cannot be isolated');
  expect(JSON.stringify(server.exchanges.map(({ body }) => body))).not.toContain('PRIVATE-PART');
});

const NESTED = (levels: number) => `perl -e 'for (1..${levels}) { mkdir "d"; chdir "d" }'`;

it.each([
  ['a plain folder', () => CliSandbox.create({ 'a.txt': 'one\n' })],
  ['a repository', repository],
])(
  'works in %s with thousands of nested folders, leaves out what is too deep, and names it',
  async (_kind, create) => {
    await using server = await FakeModelServer.start();
    await using box = await create();
    // The removal of node does not reach this depth.
    const places = [box.folder.path, `${box.home.path}-trees`];
    using _ = { [Symbol.dispose]: () => void spawnSync('rm', ['-rf', ...places]) };
    spawnSync('sh', ['-c', NESTED(1_800)], { cwd: box.folder.path });
    await box.folder.write(`${'d/'.repeat(250)}deep.txt`, 'deep\n');
    const env = { ANTHROPIC_API_KEY: 'k', ANTHROPIC_BASE_URL: `${server.url}/v1` };
    const command = `echo two >> a.txt; mkdir own && cd own && ${NESTED(1_800)}`;
    const task = `!call bash ${JSON.stringify({ command })}\n!then\n!say Done.`;
    const done = await box.run(['delegate', 'self', task, '--safety', 'propose', '--json'], { env });
    expect(done.json(), done.stderr + done.stdout).toMatchObject({ response: 'Done.', status: 'success' });
    const { warnings, artifacts } = done.json().metadata as {
      warnings: string[];
      artifacts: { changes: { path: string }[]; skipped: { path: string; reason: string }[] }[];
    };
    expect(warnings.join('\n')).toMatch(
      /does not contain d\/d\/\S+…, because it is nested more than 200 folders/,
    );
    expect(artifacts[0]?.changes.map(({ path }) => path)).toContain('a.txt');
    expect(artifacts[0]?.skipped.map(({ path }) => path.slice(0, 6))).toContain('own/d/');
    expect(await box.folder.read(`${'d/'.repeat(250)}deep.txt`)).toBe('deep\n');
  },
);
