import { mkdir, readdir, symlink } from 'node:fs/promises';
import { type MountedSession, mountedSession, TempGitRepo, TempWorkspace } from '@amplifier/testkit';
import { ACTS_LATER, type SafetyMode, sessionGrant } from '@amplifier/workspace';
import { describe, expect, it } from 'vitest';
import module from './index.js';

async function open(cwd: string, mode: SafetyMode = 'write'): Promise<MountedSession> {
  const grant = await sessionGrant(mode, { cwd, trusted: true, homes: [] });
  return mountedSession({
    toolModules: { 'tool-filesystem': module },
    capabilities: { 'session.working_dir': cwd, 'session.grant': grant },
  });
}

const write = (session: MountedSession, file_path: string, content = 'x') =>
  session.call('write_file', { file_path, content });

/** A file of each name of the table. */
const NAMES = ACTS_LATER.flatMap(({ names }) => names).map((name) => name.replace('*', 'a'));

describe('a file tool', () => {
  it('writes nothing that acts later, at any depth and in any spelling', async () => {
    expect(NAMES.length).toBeGreaterThan(200);
    const managers = ['lint-staged.config.mjs', '.huskyrc.js', 'husky.config.js', 'commitlint.config.ts'];
    await using space = await TempWorkspace.create({ 'a.txt': 'a' });
    await using session = await open(space.path);
    const spellings = NAMES.flatMap((name) => [
      name,
      `packages/a/${name.toUpperCase().replace('.', '.\u200c')}/inner`,
    ]);
    const git = [
      'docs/.git/config',
      'docs/.git',
      '.GIT/config',
      'git~1/config',
      '.git /config',
      '.git./config',
    ];
    const written = [];
    for (const path of [
      ...spellings,
      ...managers,
      ...git,
      '.g\u200cit/config',
      '.git::$INDEX_ALLOCATION/config',
    ])
      if ((await write(session, path)).success) written.push(path);
    expect(written).toEqual([]);
    expect(await readdir(space.path)).toEqual(['a.txt']);
    const { error } = await write(session, 'sub/.cargo/config.toml');
    expect(error?.message).toMatch(/sub\/\.cargo\/config\.toml is read by a package manager.*yolo.*propose/s);
  });

  it('writes what a person works on', async () => {
    await using repo = await TempGitRepo.create({ 'a.txt': 'a' });
    await using session = await open(repo.path);
    const ordinary = [
      ...['package.json', 'Makefile', 'justfile', 'Dockerfile', 'compose.yaml', 'pyproject.toml', 'build.rs'],
      ...['conftest.py', 'src/index.ts', 'tests/a.test.ts', 'vite.config.ts', '.gitignore', '.gitattributes'],
      ...['.gitmodules', '.editorconfig', '.env.example', '.github/README.md', '.github/dependabot.yml'],
      ...[
        'AGENTS.md',
        'CLAUDE.md',
        'HEAD',
        'config',
        'refs/a',
        'src/git/config',
        'docs/objects/a.md',
        'hooks/a.ts',
      ],
      ...['claude/agents/a.md', 'x.git/README.md', 'cargo/config.toml', 'mise.md'],
    ];
    for (const path of ordinary) expect(await write(session, path), path).toMatchObject({ success: true });
  });

  it('makes no repository of files, in whatever order they are written', async () => {
    const files = ['HEAD', 'config', 'objects/a', 'refs/heads/a'];
    for (let first = 0; first < files.length; first++) {
      await using space = await TempWorkspace.create({ 'a.txt': 'a' });
      await using session = await open(space.path);
      const order = [...files.slice(first), ...files.slice(0, first)];
      const results = [];
      for (const name of order) results.push((await write(session, `docs/${name}`)).success);
      expect(results.includes(false), order.join()).toBe(true);
      expect(await isRepository(space.resolve('docs')), order.join()).toBe(false);
    }
    await using space = await TempWorkspace.create({ 'a.txt': 'a' });
    await using session = await open(space.path);
    await Promise.all(files.map((name) => write(session, `docs/${name}`)));
    expect(await isRepository(space.resolve('docs')), 'at once').toBe(false);
    // The same by a file that says where the rest is.
    expect((await write(session, 'more/commondir', '../real')).success).toBe(true);
    expect((await write(session, 'more/HEAD')).success).toBe(false);
  });

  it('changes no repository that is there, whatever its name and the link to it', async () => {
    await using space = await TempWorkspace.create({ 'a.txt': 'a' });
    for (const name of ['bare/objects', 'bare/refs']) await mkdir(space.resolve(name), { recursive: true });
    await space.write('bare/HEAD', 'ref: refs/heads/main');
    await symlink('bare', space.resolve('.git'));
    await symlink('bare', space.resolve('link'));
    for (const name of ['other/objects', 'other/refs']) await mkdir(space.resolve(name), { recursive: true });
    await space.write('other/HEAD', 'ref: refs/heads/main');
    await using session = await open(space.path);
    for (const path of [
      'bare/config',
      'bare/hooks/post-checkout',
      'link/config',
      '.git/config',
      'other/config',
    ])
      expect((await write(session, path)).success, path).toBe(false);
    expect((await write(session, 'other/README.md')).success).toBe(true);
  });

  it('changes nothing that the git settings of the folder name', async () => {
    await using repo = await TempGitRepo.create({
      'a.txt': 'a',
      'tools/clean.sh': 'cat',
      'tools/free.sh': 'cat',
      'settings/git': '[filter "a"]\n\tclean = sh tools/clean.sh\n',
    });
    for (const [key, value] of [
      ['core.hooksPath', 'tools/git-hooks'],
      ['include.path', '../settings/git'],
      ['includeIf.onbranch:later.path', '../later'],
      ['core.fsmonitor', 'tools/monitor'],
      ['merge.a.driver', '"./tools/merge" %A'],
    ] as const)
      await repo.git('config', '--add', key, value);
    await using session = await open(repo.path);
    const named = ['tools/git-hooks/pre-commit', 'settings/git', 'later', 'tools/clean.sh'];
    for (const path of [...named, 'tools/monitor', 'tools/merge'])
      expect((await write(session, path)).success, path).toBe(false);
    for (const path of ['tools/free.sh', 'settings/other', 'a.txt'])
      expect((await write(session, path)).success, path).toBe(true);
    await repo.git('config', 'core.hooksPath', '.');
    await using again = await open(repo.path);
    expect((await write(again, 'pre-commit')).success).toBe(false);
    expect((await write(again, 'tools/free.sh')).success).toBe(true);
  });

  it('writes all of it in yolo', async () => {
    await using space = await TempWorkspace.create({ 'a.txt': 'a' });
    await using session = await open(space.path, 'yolo');
    for (const path of ['.envrc', 'sub/.vscode/tasks.json', 'bare/HEAD'])
      expect(await write(session, path), path).toMatchObject({ success: true });
  });
});

async function isRepository(folder: string): Promise<boolean> {
  const names = await readdir(folder);
  return ['HEAD', 'objects', 'refs'].every((name) => names.includes(name));
}
