import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmod,
  lstat,
  mkdir,
  readdir,
  readFile,
  readlink,
  rename,
  rm,
  symlink,
  writeFile,
} from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { TempGitRepo, TempWorkspace } from '@amplifier/testkit';
import { describe, expect, it } from 'vitest';
import { FULL_GRANT } from '../grant/grant.js';
import { pathScope } from '../grant/path-scope.js';
import { applyPatch, undoApply } from '../patches/apply-patch.js';
import { kindOfChange } from '../patches/change.js';
import type { Patch } from '../patches/make-patch.js';
import { takeSnapshot } from '../patches/snapshot.js';
import { startProcess } from '../processes/start-process.js';
import { detectSandbox } from '../sandbox/detect-sandbox.js';
import { onDisk } from './byte-path.js';
import { runGit } from './git.js';
import { Isolation } from './isolation.js';
import { listFiles } from './list-source.js';
import { listIsolations, reclaimIsolations } from './reclaim-isolations.js';

const sandbox = await detectSandbox();
if (sandbox.name === 'none') console.warn(`SKIPPED: committing inside the sandbox. ${sandbox.because}`);

const GIT = ['-c', 'user.name=T', '-c', 'user.email=t@example.invalid'];

/** Everything about a tree that undo must bring back: names, types, contents, modes, and times of files. */
async function picture(root: string): Promise<string[]> {
  const { entries } = await takeSnapshot(root, { leaveOut: (path) => (path === '.git' ? '' : null) });
  const lines = [...entries].map(async ([path, { entry }]) => {
    const { mtimeMs } = await lstat(onDisk(root, path));
    return JSON.stringify([path, entry, entry.type === 'file' ? Math.round(mtimeMs) : 0]);
  });
  return (await Promise.all(lines)).sort();
}

function summary(patch: Patch): string[] {
  return patch.changes
    .filter(({ before, after }) => (after ?? before)?.type !== 'folder')
    .map((change) => `${kindOfChange(change)} ${change.path}`);
}

interface Scene {
  repo: TempWorkspace;
  isolation: Isolation;
  home: string;
}

/** Isolates the source, lets `work` change the isolated tree, applies, looks, undoes, and compares bit for bit. */
async function roundTrip(
  source: TempWorkspace,
  work: (isolation: Isolation) => Promise<void>,
  look: (patch: Patch, scene: Scene) => Promise<void>,
  options: { folder?: string; includeIgnored?: boolean } = {},
): Promise<void> {
  await using homeSpace = await TempWorkspace.create();
  const home = homeSpace.path;
  const before = await picture(source.path);
  const isolation = await Isolation.create({ home, source: options.folder ?? source.path });
  await work(isolation);
  const patch = await isolation.patch({ includeIgnored: options.includeIgnored ?? false });
  expect(await picture(source.path)).toEqual(before);
  const applied = await applyPatch(patch, { home });
  if (applied.status !== 'applied') throw new Error(JSON.stringify(applied.conflicts));
  await look(patch, { repo: source, isolation, home });
  expect(await undoApply(applied.apply_id, { home })).toEqual({ status: 'undone' });
  expect(await picture(source.path)).toEqual(before);
  await isolation.dispose();
  expect(await listIsolations(home)).toEqual([]);
}

describe('an isolated git tree', () => {
  it('is the tree as it is: staged, unstaged, untracked and deleted', async () => {
    await using repo = await TempGitRepo.create({
      'a.txt': 'a',
      'b.txt': 'b',
      'gone.txt': 'g',
      '.gitignore': 'out/\n',
    });
    await using home = await TempWorkspace.create();
    await repo.write('a.txt', 'a changed');
    await repo.write('b.txt', 'b staged');
    await repo.git('add', 'b.txt');
    await repo.write('new/untracked.txt', 'u');
    await repo.write('out/ignored.txt', 'i');
    await rm(repo.resolve('gone.txt'));
    const status = await repo.git('status', '--porcelain');
    const isolation = await Isolation.create({ home: home.path, source: repo.path });
    expect(isolation.kind).toBe('worktree');
    expect(await readFile(join(isolation.path, 'a.txt'), 'utf8')).toBe('a changed');
    expect((await readdir(isolation.path)).sort()).toEqual(['.git', '.gitignore', 'a.txt', 'b.txt', 'new']);
    expect((await runGit(['status', '--porcelain'], { cwd: isolation.path })).toString().trim()).toBe(status);
    expect(await repo.git('worktree', 'list')).toContain(isolation.tree);
    expect((await isolation.patch()).changes).toEqual([]);
    await isolation.dispose();
    expect((await repo.git('worktree', 'list')).split('\n')).toHaveLength(1);
    expect(await repo.git('status', '--porcelain')).toBe(status);
  });

  it('starts in the subfolder that was asked for and applies to it', async () => {
    await using repo = await TempGitRepo.create({ 'sub/f.txt': 'old', 'top.txt': 't' });
    await roundTrip(
      repo,
      async ({ path }) => {
        await writeFile(join(path, 'f.txt'), 'new');
        await writeFile(join(path, '../top.txt'), 'T');
      },
      async (patch) => {
        expect(summary(patch)).toEqual(['modified sub/f.txt', 'modified top.txt']);
        expect(await repo.read('sub/f.txt')).toBe('new');
        expect(await readdir(repo.resolve('sub'))).toEqual(['f.txt']);
      },
      { folder: repo.resolve('sub') },
    );
  });

  const ODD = [
    'grün.txt',
    '日本.txt',
    'tab\there',
    'new\nline',
    'quo"te',
    ' space ',
    '-dash',
    'back\\slash',
    'star*',
    '$(x)',
    'base64:abc',
  ];

  it.each(ODD)('carries the file name %j', async (name) => {
    await using repo = await TempGitRepo.create({ [name]: 'old', [`d-${name}/x`]: 'old' });
    await roundTrip(
      repo,
      async ({ path }) => {
        await writeFile(join(path, name), 'new');
        await rm(join(path, `d-${name}`), { recursive: true });
        await writeFile(join(path, `${name}.added`), 'added');
      },
      async () => {
        expect(await repo.read(name)).toBe('new');
        expect(await repo.read(`${name}.added`)).toBe('added');
        expect(await readdir(repo.path)).not.toContain(`d-${name}`);
      },
    );
  });

  it('carries names and contents that are not UTF-8', async () => {
    await using repo = await TempGitRepo.create({ 'latin.txt': Buffer.from('gr\xfc\xdfe\n', 'latin1') });
    await roundTrip(
      repo,
      async ({ path }) => {
        await writeFile(join(path, 'latin.txt'), Buffer.from('sch\xf6n\n', 'latin1'));
        await writeFile(onDisk(path, 'caf\xe9'), 'x');
        await writeFile(join(path, 'blob.bin'), Buffer.from([0, 255, 1, 254, 0]));
      },
      async (patch) => {
        expect(patch.changes.map(({ path }) => path)).toEqual(['base64:Y2Fm6Q==', 'blob.bin', 'latin.txt']);
        expect(await readFile(repo.resolve('latin.txt'))).toEqual(Buffer.from('sch\xf6n\n', 'latin1'));
        expect(await readFile(onDisk(repo.path, 'caf\xe9'), 'utf8')).toBe('x');
        expect(await readFile(repo.resolve('blob.bin'))).toEqual(Buffer.from([0, 255, 1, 254, 0]));
        expect((await readFile(patch.diff_path)).includes(Buffer.from('+sch\xf6n', 'latin1'))).toBe(true);
      },
    );
  });

  it('keeps symlinks symlinks, whether they lead in or out', async () => {
    await using repo = await TempGitRepo.create({ 'real/a.txt': 'a' });
    await using outside = await TempWorkspace.create({ secret: 's' });
    await symlink('real', repo.resolve('old-link'));
    await repo.commit('link');
    await roundTrip(
      repo,
      async ({ path }) => {
        await symlink('real/a.txt', join(path, 'in'));
        await symlink(outside.resolve('secret'), join(path, 'out'));
        await symlink(outside.path, join(path, 'out-folder'));
        await symlink('nowhere', join(path, 'dangling'));
        await rm(join(path, 'old-link'));
        await mkdir(join(path, 'old-link'));
        await writeFile(join(path, 'old-link/a.txt'), 'mine');
      },
      async (patch) => {
        expect(patch.leads_outside).toEqual(['out', 'out-folder']);
        expect(await readlink(repo.resolve('out'))).toBe(outside.resolve('secret'));
        expect((await lstat(repo.resolve('out-folder'))).isSymbolicLink()).toBe(true);
        expect(await repo.read('old-link/a.txt')).toBe('mine');
        expect(await repo.read('real/a.txt')).toBe('a');
      },
    );
    expect(await outside.read('secret')).toBe('s');
  });

  it('includes what was committed inside', async () => {
    await using repo = await TempGitRepo.create({ 'a.txt': 'a' });
    await roundTrip(
      repo,
      async ({ path }) => {
        await writeFile(join(path, 'a.txt'), 'committed');
        await writeFile(join(path, 'b.txt'), 'new');
        await runGit([...GIT, 'add', '-A'], { cwd: path });
        await runGit([...GIT, 'commit', '-qm', 'inside'], { cwd: path });
        await writeFile(join(path, 'c.txt'), 'on top');
      },
      async (patch) => {
        expect(summary(patch)).toEqual(['modified a.txt', 'added b.txt', 'added c.txt']);
      },
    );
  });

  it.runIf(sandbox.name !== 'none')(
    'lets a confined command commit when it may write what git needs',
    async () => {
      await using repo = await TempGitRepo.create({ 'a.txt': 'a' });
      await roundTrip(
        repo,
        async ({ path, tree, gitWritable, gitVisible }) => {
          const write = pathScope([tree, ...gitWritable]);
          const line = `echo b > a.txt && git ${GIT.join(' ')} commit -qam inside && git status --short && echo x > '${repo.resolve('a.txt')}'`;
          const grant = { ...FULL_GRANT, exec: 'confined' as const, write };
          const command = ['bash', '-c', line] as const;
          const running = await startProcess({ command, cwd: path, grant, sandbox, visible: gitVisible });
          const end = await running.done;
          expect(end.stderr.text).toBe('');
          expect(await repo.read('a.txt')).toBe('a');
          expect((await runGit(['log', '--format=%s', '-1'], { cwd: path })).toString()).toBe('inside\n');
        },
        async (patch) => expect(summary(patch)).toEqual(['modified a.txt']),
      );
    },
  );

  it('names ignored outputs, and takes them along when asked', async () => {
    await using repo = await TempGitRepo.create({ 'a.txt': 'a', '.gitignore': 'dist/\n.env\n' });
    const work = async ({ path }: Isolation) => {
      await mkdir(join(path, 'dist/deep'), { recursive: true });
      await writeFile(join(path, 'dist/deep/out.js'), 'built');
      await writeFile(join(path, '.env'), 'X=1');
    };
    await roundTrip(repo, work, async (patch) => {
      expect(patch.changes).toEqual([]);
      expect(patch.ignored.map(({ path }) => path)).toEqual(['.env', 'dist']);
    });
    await roundTrip(
      repo,
      work,
      async (patch) => {
        expect(summary(patch)).toEqual(['added .env', 'added dist/deep/out.js']);
        expect(await repo.read('dist/deep/out.js')).toBe('built');
      },
      { includeIgnored: true },
    );
  });

  it('replaces a folder by a file and a file by a folder', async () => {
    await using repo = await TempGitRepo.create({ 'd/x/1.txt': '1', 'd/2.txt': '2', f: 'f' });
    await roundTrip(
      repo,
      async ({ path }) => {
        await rm(join(path, 'd'), { recursive: true });
        await writeFile(join(path, 'd'), 'now a file');
        await rm(join(path, 'f'));
        await mkdir(join(path, 'f/g'), { recursive: true });
        await writeFile(join(path, 'f/g/h.txt'), 'deep');
      },
      async () => {
        expect(await repo.read('d')).toBe('now a file');
        expect(await repo.read('f/g/h.txt')).toBe('deep');
      },
    );
  });

  it('carries deletes, renames, modes, empty files and empty folders', async () => {
    await using repo = await TempGitRepo.create({
      'del/a.txt': 'a',
      'old.txt': 'same content\n'.repeat(9),
      run: 'x',
      full: 'y',
    });
    await roundTrip(
      repo,
      async ({ path }) => {
        await rm(join(path, 'del'), { recursive: true });
        await rename(join(path, 'old.txt'), join(path, 'new.txt'));
        await chmod(join(path, 'run'), 0o755);
        await writeFile(join(path, 'full'), '');
        await writeFile(join(path, 'empty'), '');
        await mkdir(join(path, 'hollow'));
        await chmod(join(path, 'hollow'), 0o710);
      },
      async (patch) => {
        expect(patch.diff).toContain('rename from old.txt');
        expect(await readdir(repo.path)).toEqual(['.git', 'empty', 'full', 'hollow', 'new.txt', 'run']);
        expect((await lstat(repo.resolve('run'))).mode & 0o777).toBe(0o755);
        expect((await lstat(repo.resolve('hollow'))).mode & 0o777).toBe(0o710);
        expect(await repo.read('full')).toBe('');
      },
    );
  });

  it('takes over no permissions that the diff does not show', async () => {
    await using repo = await TempGitRepo.create({ run: 'x', plain: 'y', tool: 'z', 'sub/a.txt': 'a' });
    await chmod(repo.resolve('tool'), 0o700);
    await using home = await TempWorkspace.create();
    const isolation = await Isolation.create({ home: home.path, source: repo.path });
    const { path } = isolation;
    for (const name of ['new', 'quiet', 'secret']) await writeFile(join(path, name), name);
    await mkdir(join(path, 'open'));
    const modes = { run: 0o777, plain: 0o666, tool: 0o644, sub: 0o777 };
    const added = { new: 0o777, quiet: 0o666, secret: 0o600, open: 0o777 };
    for (const [name, mode] of Object.entries({ ...modes, ...added })) await chmod(join(path, name), mode);
    await writeFile(join(path, 'plain'), 'changed');
    const patch = await isolation.patch();
    expect(summary(patch)).not.toContain('modified sub');
    expect(patch.diff).toMatch(/old mode 100644\nnew mode 100755/);
    expect((await applyPatch(patch, { home: home.path })).status).toBe('applied');
    const applied = Object.fromEntries(
      await Promise.all(
        Object.keys({ ...modes, ...added }).map(async (name) => [
          name,
          ((await lstat(repo.resolve(name))).mode & 0o777).toString(8),
        ]),
      ),
    );
    expect(applied).toEqual({
      ...{ run: '755', plain: '644', tool: '600', sub: '755' },
      ...{ new: '755', quiet: '644', secret: '600', open: '755' },
    });
  });

  it('leaves submodules and repositories inside alone', async () => {
    await using library = await TempGitRepo.create({ 'lib.txt': 'lib' });
    await using repo = await TempGitRepo.create({ 'a.txt': 'a' });
    await repo.git(
      '-c',
      'protocol.file.allow=always',
      'submodule',
      'add',
      '--quiet',
      library.path,
      'vendor/lib',
    );
    await repo.commit('submodule');
    await roundTrip(
      repo,
      async ({ path }) => {
        await writeFile(join(path, 'a.txt'), 'b');
        await writeFile(join(path, 'vendor/lib/stray'), 'x');
        await mkdir(join(path, 'own'));
        await runGit(['init', '-q'], { cwd: join(path, 'own') });
        await writeFile(join(path, 'own/file'), 'kept');
      },
      async (patch) => {
        expect(summary(patch)).toEqual(['modified a.txt', 'added own/file']);
        expect(patch.skipped.map(({ path }) => path)).toEqual(['own/.git']);
        expect(await repo.read('vendor/lib/lib.txt')).toBe('lib');
      },
    );
  });

  it('leaves a file alone where the agent left something that no patch can hold', async () => {
    await using repo = await TempGitRepo.create({ 'a.txt': 'a', 'b.txt': 'b' });
    await roundTrip(
      repo,
      async ({ path }) => {
        await rm(join(path, 'a.txt'));
        await promisify(execFile)('mkfifo', [join(path, 'a.txt')]);
        await writeFile(join(path, 'b.txt'), 'B');
      },
      async (patch) => {
        expect(summary(patch)).toEqual(['modified b.txt']);
        expect(patch.skipped.map(({ path }) => path)).toEqual(['a.txt']);
        expect(await repo.read('a.txt')).toBe('a');
      },
    );
  });

  it('gives a diff that git can apply', async () => {
    await using repo = await TempGitRepo.create({
      'a.txt': 'one\ntwo\n',
      'grün.bin': Buffer.from([1, 0, 2]),
    });
    await roundTrip(
      repo,
      async ({ path }) => {
        await writeFile(join(path, 'a.txt'), 'one\n2\n');
        await writeFile(join(path, 'grün.bin'), Buffer.from([1, 0, 3]));
      },
      async (patch) => {
        expect(patch.diff).toContain('-two\n+2\n');
        await using clone = await TempGitRepo.create({
          'a.txt': 'one\ntwo\n',
          'grün.bin': Buffer.from([1, 0, 2]),
        });
        await clone.git('apply', patch.diff_path);
        expect(await clone.read('a.txt')).toBe('one\n2\n');
        expect(await readFile(clone.resolve('grün.bin'))).toEqual(Buffer.from([1, 0, 3]));
      },
    );
  });

  it('runs nothing that the repository, or the agent inside, names as a command', async () => {
    await using repo = await TempGitRepo.create({ 'a.txt': 'a' });
    await using trap = await TempWorkspace.create();
    const hook = `#!/bin/sh\ntouch '${trap.resolve('ran')}'\n`;
    for (const name of ['post-checkout', 'post-index-change']) {
      await chmod(await repo.write(`.git/hooks/${name}`, hook), 0o755);
    }
    await chmod(await trap.write('monitor', hook), 0o755);
    await repo.git('config', 'core.fsmonitor', trap.resolve('monitor'));
    await roundTrip(
      repo,
      async ({ path }) => {
        await mkdir(join(path, 'evil'));
        await runGit(['init', '-q', '--bare', 'evil'], { cwd: path });
        const own = { cwd: path, env: { GIT_DIR: join(path, 'evil') } };
        await runGit(['config', 'core.fsmonitor', trap.resolve('monitor')], own);
        await writeFile(join(path, '.git'), `gitdir: ${join(path, 'evil')}\n`);
      },
      async () => expect(await readdir(trap.path)).toEqual(['monitor']),
    );
  });

  it('fetches nothing for a repository that says its objects are elsewhere, with a command of its own', async () => {
    await using repo = await TempGitRepo.create({ 'a.txt': 'a' });
    await using trap = await TempWorkspace.create();
    const settings = {
      'core.repositoryFormatVersion': '1',
      'extensions.partialClone': 'origin',
      'remote.origin.promisor': 'true',
      'remote.origin.url': 'ssh://far.example/x',
      'core.sshCommand': `touch '${trap.resolve('ran')}'; false #`,
    };
    for (const [name, value] of Object.entries(settings)) await repo.git('config', name, value);
    const branch = (await repo.git('symbolic-ref', 'HEAD')).trim();
    await repo.write(`.git/${branch}`, `${'12'.repeat(20)}\n`);
    expect(await listFiles(repo.path)).toEqual(['a.txt']);
    await roundTrip(
      repo,
      async ({ kind }) => expect(kind).toBe('copy'),
      async () => expect(await readdir(trap.path)).toEqual([]),
    );
  });
});

describe('a repository whose git data name files elsewhere', () => {
  /** A secret outside, and a repository whose index lists paths behind links to it. */
  async function hostile() {
    const secret = await TempWorkspace.create({ 'ssh/id_rsa': 'SECRET-KEY' });
    const repo = await TempGitRepo.create({ 'a.txt': 'one\n', '.gitignore': 'sub\n' });
    const hash = (await repo.git('hash-object', '-w', 'a.txt')).trim();
    await repo.git('update-index', '--add', '--cacheinfo', `100644,${hash},sub/ssh/id_rsa`);
    await symlink(secret.path, repo.resolve('sub'));
    return { secret, repo };
  }

  it('gets no copy of what is behind a link', async () => {
    const { secret, repo } = await hostile();
    await using _ = secret;
    await using __ = repo;
    await using home = await TempWorkspace.create();
    for (const kind of ['worktree', 'copy'] as const) {
      const isolation = await Isolation.create({
        home: home.path,
        source: repo.path,
        ...(kind === 'copy' ? { kind } : {}),
      });
      expect(await readFile(join(isolation.tree, 'a.txt'), 'utf8')).toBe('one\n');
      const { entries } = await takeSnapshot(isolation.tree, { leaveOut: () => null });
      expect([...entries.keys()].filter((path) => path.includes('id_rsa'))).toEqual([]);
      await isolation.dispose();
    }
  });

  it.each(['index', 'objects', 'refs', 'alternates'])(
    'is not used as a repository when its %s is outside the read scope',
    async (part) => {
      await using other = await TempGitRepo.create({ 'theirs.txt': 'theirs\n' });
      await using repo = await TempGitRepo.create({ 'a.txt': 'one\n' });
      await using home = await TempWorkspace.create();
      if (part === 'alternates')
        await writeFile(repo.resolve('.git/objects/info/alternates'), `${other.resolve('.git/objects')}\n`);
      else {
        await rm(repo.resolve(`.git/${part}`), { recursive: true });
        await symlink(other.resolve(`.git/${part}`), repo.resolve(`.git/${part}`));
      }
      const readable = pathScope([repo.path]);
      const isolation = await Isolation.create({ home: home.path, source: repo.path, readable });
      expect(isolation.record.git).toBeNull();
      expect(await readdir(isolation.tree)).toEqual(['a.txt']);
      await isolation.dispose();
    },
  );
});

describe('a plain folder', () => {
  it('is copied, empty folders too, without what is made again', async () => {
    await using folder = await TempWorkspace.create({
      'a.txt': 'a',
      'node_modules/x/index.js': 'x',
      'sub/b.txt': 'b',
    });
    await mkdir(folder.resolve('hollow'));
    await roundTrip(
      folder,
      async ({ path, kind, record }) => {
        expect(kind).toBe('copy');
        expect((await readdir(path)).sort()).toEqual(['a.txt', 'hollow', 'sub']);
        expect(record.skipped.map((skipped) => skipped.path)).toEqual(['node_modules']);
        await writeFile(join(path, 'sub/b.txt'), 'B');
        await rm(join(path, 'a.txt'));
      },
      async (patch) => expect(summary(patch)).toEqual(['deleted a.txt', 'modified sub/b.txt']),
    );
  });

  it('that is too large is refused and leaves nothing behind', async () => {
    await using folder = await TempWorkspace.create({ big: 'x'.repeat(2000) });
    await using home = await TempWorkspace.create();
    const making = Isolation.create({ home: home.path, source: folder.path, maxBytes: 1000 });
    await expect(making).rejects.toMatchObject({ code: 'SOURCE_TOO_LARGE' });
    expect(await listIsolations(home.path)).toEqual([]);
  });

  it('that does not exist yet starts fresh and is created by its patch', async () => {
    await using space = await TempWorkspace.create();
    await using home = await TempWorkspace.create();
    const isolation = await Isolation.create({ home: home.path, source: space.resolve('new/project') });
    expect(isolation.kind).toBe('fresh');
    await writeFile(join(isolation.path, 'main.ts'), 'hello');
    const applied = await applyPatch(await isolation.patch(), { home: home.path });
    expect(applied.status).toBe('applied');
    expect(await space.read('new/project/main.ts')).toBe('hello');
  });

  it('of a repository without a commit is copied by the rules of git', async () => {
    await using folder = await TempWorkspace.create({ 'a.txt': 'a', '.gitignore': 'tmp\n', tmp: 't' });
    await using home = await TempWorkspace.create();
    await runGit(['init', '-q'], { cwd: folder.path });
    const isolation = await Isolation.create({ home: home.path, source: folder.path });
    expect(isolation.kind).toBe('copy');
    expect((await readdir(isolation.path)).sort()).toEqual(['.gitignore', 'a.txt']);
    const asked = Isolation.create({ home: home.path, source: folder.path, kind: 'worktree' });
    await expect(asked).rejects.toMatchObject({ code: 'SOURCE_WITHOUT_COMMIT' });
  });
});

describe('a conflict', () => {
  it('names both sides and nothing is applied', async () => {
    await using repo = await TempGitRepo.create({
      'a.txt': 'base',
      'b.txt': 'b',
      'c.txt': 'c',
      'd/e.txt': 'e',
    });
    await using home = await TempWorkspace.create();
    const isolation = await Isolation.create({ home: home.path, source: repo.path });
    await writeFile(join(isolation.path, 'a.txt'), 'theirs');
    await writeFile(join(isolation.path, 'b.txt'), 'fine');
    await rm(join(isolation.path, 'c.txt'));
    await writeFile(join(isolation.path, 'new.txt'), 'theirs');
    await writeFile(join(isolation.path, 'd/e.txt'), 'E');
    await repo.write('a.txt', 'mine');
    await repo.write('c.txt', 'c mine');
    await repo.write('new.txt', 'mine');
    await rm(repo.resolve('d'), { recursive: true });
    await symlink('/etc', repo.resolve('d'));
    const before = await picture(repo.path);
    const result = await applyPatch(await isolation.patch(), { home: home.path });
    if (result.status !== 'conflict') throw new Error('it was applied');
    expect(result.conflicts.map(({ path, reason }) => `${path}: ${reason}`)).toEqual([
      'a.txt: the file was changed',
      'c.txt: the file was changed',
      'd/e.txt: the file is gone',
      'new.txt: a file has appeared there',
    ]);
    const [first] = result.conflicts;
    expect(await readFile(first?.current_path as string, 'utf8')).toBe('mine');
    expect(await readFile(first?.proposed_path as string, 'utf8')).toBe('theirs');
    expect(await picture(repo.path)).toEqual(before);
  });

  it('is none when somebody already made the same change', async () => {
    await using repo = await TempGitRepo.create({ 'a.txt': 'base' });
    await using home = await TempWorkspace.create();
    const isolation = await Isolation.create({ home: home.path, source: repo.path });
    await writeFile(join(isolation.path, 'a.txt'), 'same');
    await repo.write('a.txt', 'same');
    const result = await applyPatch(await isolation.patch(), { home: home.path });
    expect(result).toMatchObject({ status: 'applied', changes: [] });
  });

  it('stops an undo that would overwrite later work', async () => {
    await using repo = await TempGitRepo.create({ 'a.txt': 'base', 'b.txt': 'b' });
    await using home = await TempWorkspace.create();
    const isolation = await Isolation.create({ home: home.path, source: repo.path });
    await writeFile(join(isolation.path, 'a.txt'), 'applied');
    await writeFile(join(isolation.path, 'b.txt'), 'applied');
    const applied = await applyPatch(await isolation.patch(), { home: home.path });
    if (applied.status !== 'applied') throw new Error('conflict');
    await repo.write('a.txt', 'later work');
    expect(await undoApply(applied.apply_id, { home: home.path })).toMatchObject({
      status: 'conflict',
      conflicts: [{ path: 'a.txt' }],
    });
    expect(await repo.read('b.txt')).toBe('applied');
    await repo.write('a.txt', 'applied');
    expect(await undoApply(applied.apply_id, { home: home.path })).toEqual({ status: 'undone' });
    await expect(undoApply(applied.apply_id, { home: home.path })).rejects.toMatchObject({
      code: 'APPLY_NOT_UNDOABLE',
    });
  });

  it('is a folder that must make way but holds what the agent never saw', async () => {
    await using repo = await TempGitRepo.create({ 'd/a.txt': 'a', '.gitignore': '*.o\n' });
    await using home = await TempWorkspace.create();
    await repo.write('d/cache.o', 'precious');
    const isolation = await Isolation.create({ home: home.path, source: repo.path });
    await rm(join(isolation.path, 'd'), { recursive: true });
    const removed = await applyPatch(await isolation.patch(), { home: home.path });
    if (removed.status !== 'applied') throw new Error('conflict');
    expect(await readdir(repo.resolve('d'))).toEqual(['cache.o']);
    await undoApply(removed.apply_id, { home: home.path });
    await writeFile(join(isolation.path, 'd'), 'file');
    const result = await applyPatch(await isolation.patch(), { home: home.path });
    expect(result).toMatchObject({ status: 'conflict', conflicts: [{ path: 'd' }] });
    expect(await repo.read('d/cache.o')).toBe('precious');
    expect(await repo.read('d/a.txt')).toBe('a');
  });
});

describe('an isolated tree whose owner died', () => {
  it('is removed when it holds no work and kept under its name when it does', async () => {
    await using repo = await TempGitRepo.create({ 'a.txt': 'a' });
    await using home = await TempWorkspace.create();
    for (const work of ['', "await writeFile(isolation.path + '/a.txt', 'work');"]) {
      const child = spawn(
        process.execPath,
        ['--input-type=module', '-e', owner(work), home.path, repo.path],
        {
          stdio: ['ignore', 'pipe', 'inherit'],
        },
      );
      await once(child.stdout, 'data');
      expect(await reclaimIsolations(home.path)).toEqual([]);
      child.kill('SIGKILL');
      await once(child, 'exit');
      const [reclaimed] = await reclaimIsolations(home.path);
      expect(reclaimed?.outcome).toBe(work === '' ? 'removed' : 'kept');
    }
    expect(await reclaimIsolations(home.path)).toEqual([]);
    const [kept] = await listIsolations(home.path);
    expect(kept).toMatchObject({ state: 'kept', note: expect.stringContaining('/tree') });
    const isolation = await Isolation.open(home.path, kept?.id as string);
    expect(summary(await isolation.patch())).toEqual(['modified a.txt']);
    await isolation.dispose();
    expect((await repo.git('worktree', 'list')).split('\n')).toHaveLength(1);
  });
});

function owner(work: string): string {
  return `
    import { writeFile } from 'node:fs/promises';
    import { Isolation } from ${JSON.stringify(new URL('../../dist/index.js', import.meta.url).href)};
    const [, home, source] = process.argv;
    const isolation = await Isolation.create({ home, source });
    ${work}
    console.log('ready');
    setInterval(() => {}, 1000);
  `;
}

it('ends git where a pipe is in the place of a .gitignore, and says where to look', async () => {
  await using repo = await TempGitRepo.create({ 'a.txt': 'a' });
  await promisify(execFile)('mkfifo', [repo.resolve('.gitignore')]);
  const listing = runGit(['ls-files', '--others', '--exclude-standard'], { cwd: repo.path, limitMs: 200 });
  await expect(listing).rejects.toThrow(/ls-files did not finish within 200 ms in .*pipe/);
});
