import { spawnSync } from 'node:child_process';
import { chmod, mkdir, readdir, rm, stat, symlink, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { TempGitRepo, TempWorkspace } from '@amplifier/testkit';
import { expect, it } from 'vitest';
import { pathScope } from '../grant/path-scope.js';
import { kindOfChange } from './change.js';
import { Comparison } from './comparison.js';

const listed = ({ changes }: Awaited<ReturnType<Comparison['changes']>>) =>
  changes.map((change) => `${kindOfChange(change)} ${change.path}`);

it('lists what changed in a repository, with the contents before and after', async () => {
  await using repo = await TempGitRepo.create({
    'clean.txt': 'one\n',
    'edited.txt': 'two\n',
    'touched.txt': 'three\n',
    'gone.txt': 'four\n',
    run: 'x',
    '.gitignore': 'out\n',
  });
  await using home = await TempWorkspace.create();
  await repo.write('edited.txt', 'two, edited\n');
  await repo.write('untracked.txt', 'five\n');
  const comparison = await Comparison.begin({ home: home.path, folder: repo.path });
  await repo.write('clean.txt', 'one\nmore\n');
  await repo.write('edited.txt', 'two, edited\nmore\n');
  await repo.write('untracked.txt', 'five\nmore\n');
  await utimes(repo.resolve('touched.txt'), 1, 1);
  await rm(repo.resolve('gone.txt'));
  await chmod(repo.resolve('run'), 0o755);
  await mkdir(repo.resolve('hollow'));
  await symlink('/etc', repo.resolve('link'));
  await repo.write('out', 'ignored');
  const found = await comparison.changes();
  expect(listed(found)).toEqual([
    'modified clean.txt',
    'modified edited.txt',
    'deleted gone.txt',
    'added hollow',
    'added link',
    'modified run',
    'modified untracked.txt',
  ]);
  for (const lines of [
    ' one\n+more\n',
    ' two, edited\n+more\n',
    ' five\n+more\n',
    '-four\n',
    'new mode 100755',
  ])
    expect(found.diff).toContain(lines);
  expect(found).toMatchObject({ target: repo.path, leads_outside: ['link'], skipped: [] });
  await comparison.dispose();
  expect(await readdir(join(home.path, 'comparisons'))).toEqual([]);
});

it('compares a folder without git, also when another process began', async () => {
  await using folder = await TempWorkspace.create({
    'a.txt': 'a\n',
    'secret/key': 'k',
    'node_modules/x.js': '',
  });
  await using home = await TempWorkspace.create();
  const readable = { ...pathScope(['/']), deny: [folder.resolve('secret')] };
  const options = { home: home.path, folder: folder.path, readable };
  const { id } = await Comparison.begin(options);
  await folder.write('a.txt', 'a\nb\n');
  await folder.write('secret/key', 'changed');
  await folder.write('node_modules/x.js', 'changed');
  const comparison = await Comparison.open(id, options);
  const found = await comparison?.changes();
  expect(found && listed(found)).toEqual(['modified a.txt']);
  expect(found?.diff).toContain(' a\n+b\n');
  await comparison?.dispose();
  expect(await Comparison.open(id, options)).toBeNull();
});

it('runs no filter of the repository, and shows line ends as they are on disk', async () => {
  await using repo = await TempGitRepo.create({
    '.gitattributes': '*.txt text eol=crlf\n*.bin filter=trap\n',
    'lines.txt': 'one\r\ntwo\r\n',
    'data.bin': 'data',
  });
  await using space = await TempWorkspace.create();
  const trap = space.resolve('ran');
  for (const kind of ['clean', 'smudge', 'process'])
    await repo.git('config', `filter.trap.${kind}`, `touch '${trap}'; cat`);
  // Written at the time of the index, so that git compares contents.
  const { mtime } = await stat(repo.resolve('.git/index'));
  await utimes(repo.resolve('data.bin'), mtime, mtime);
  const comparison = await Comparison.begin({ home: space.resolve('home'), folder: repo.path });
  await repo.write('lines.txt', 'one\r\n2\r\n');
  await repo.write('data.bin', 'DATA');
  const found = await comparison.changes();
  expect(listed(found)).toEqual(['modified data.bin', 'modified lines.txt']);
  expect(found.diff).toContain(' one\r\n-two\r\n+2\r\n');
  await comparison.dispose();
  expect(await readdir(space.path)).toEqual(['home']);
});

it('reads nothing behind a link that the index of a repository names', async () => {
  await using secret = await TempWorkspace.create({ id_rsa: 'SECRET' });
  await using repo = await TempGitRepo.create({ 'a.txt': 'a' });
  await using home = await TempWorkspace.create();
  const hash = (await repo.git('hash-object', '-w', 'a.txt')).trim();
  await repo.git('update-index', '--add', '--cacheinfo', `100644,${hash},sub/id_rsa`);
  await symlink(secret.path, repo.resolve('sub'));
  const comparison = await Comparison.begin({ home: home.path, folder: repo.path });
  await secret.write('id_rsa', 'SECRET too');
  expect((await comparison.changes()).changes).toEqual([]);
  const kept = spawnSync('grep', ['-rl', 'SECRET', home.path], { encoding: 'utf8' });
  expect(kept).toMatchObject({ status: 1, stdout: '' });
});
