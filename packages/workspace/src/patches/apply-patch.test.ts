import { execFileSync } from 'node:child_process';
import { mkdir, readdir, readFile, rename, symlink, writeFile } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import { TempWorkspace } from '@amplifier/testkit';
import { describe, expect, it } from 'vitest';
import { tryEditScript, tryHostileApply } from '../../test-support/edit-scripts.js';
import { tryKilledApply } from '../../test-support/kill-apply.js';
import { ownHomes } from '../grant/own-homes.js';
import { Isolation } from '../isolation/isolation.js';
import { applyPatch, recoverApplies, undoApply } from './apply-patch.js';
import { applyPlaces } from './apply-record.js';

it('random edit scripts: apply then undo is the identity', async () => {
  const problems = await Promise.all(Array.from({ length: 6 }, (_, index) => tryEditScript(5000 + index)));
  expect(problems).toEqual(problems.map(() => null));
});

it('an apply that is killed leaves the old or the new tree', async () => {
  const trials = await Promise.all(Array.from({ length: 2 }, (_, index) => tryKilledApply(7000 + index)));
  expect(trials.map(({ problem }) => problem)).toEqual(trials.map(() => null));
});

it('apply and undo never reach through a folder that turned into a link', async () => {
  const problems = await Promise.all(Array.from({ length: 6 }, (_, index) => tryHostileApply(9000 + index)));
  expect(problems.filter((problem) => problem !== null)).toEqual([]);
});

describe('the folder that a patch is for', () => {
  /** `mine/q` has a patch that adds a file, and `theirs/q` is what a link in its place leads to. */
  async function scene() {
    const space = await TempWorkspace.create({ 'mine/q/a': 'old', 'theirs/q/a': 'old' });
    const home = space.resolve('home');
    const isolation = await Isolation.create({ home, source: space.resolve('mine/q') });
    await writeFile(`${isolation.path}/a`, 'new');
    await writeFile(`${isolation.path}/planted`, 'x');
    const swap = async (name: string) => {
      await rename(space.resolve(name), space.resolve('moved'));
      await symlink(space.resolve(name.replace('mine', 'theirs')), space.resolve(name));
    };
    const theirs = async () => [await readdir(space.resolve('theirs/q')), await space.read('theirs/q/a')];
    return Object.assign(space, { home, patch: await isolation.patch(), swap, theirs });
  }
  const untouched = [['a'], 'old'];

  it.each(['mine/q', 'mine'])('is not reached by a link in place of %s', async (name) => {
    await using space = await scene();
    const { home } = space;
    const applied = await applyPatch(space.patch, { home });
    const undo = applied.status === 'applied' ? applied.apply_id : '';
    await space.write('theirs/q/a', 'new');
    await space.write('theirs/q/planted', 'x');
    await space.swap(name);
    await expect(undoApply(undo, { home })).rejects.toMatchObject({ code: 'PATH_CHANGED' });
    await expect(applyPatch(space.patch, { home })).rejects.toMatchObject({ code: 'PATH_CHANGED' });
    expect(await space.theirs()).toEqual([['a', 'planted'], 'new']);
  });

  it.each(['mine/q', 'mine'])('is held while a link takes the place of %s', async (name) => {
    await using space = await scene();
    const { home } = space;
    const checked: string[] = [];
    const applied = await applyPatch(space.patch, {
      home,
      async check(folder) {
        checked.push(folder);
        await space.swap(name);
      },
    });
    expect(checked).toEqual([space.resolve('mine/q')]);
    expect(applied).toMatchObject({ status: 'applied' });
    expect(await space.theirs()).toEqual(untouched);
    expect(await space.read(`moved${name === 'mine' ? '/q' : ''}/planted`)).toBe('x');
  });

  it('is held by an undo as well, and is not created behind a link', async () => {
    await using space = await scene();
    const { home } = space;
    const applied = await applyPatch(space.patch, { home });
    await space.write('theirs/q/a', 'new');
    await undoApply(applied.status === 'applied' ? applied.apply_id : '', {
      home,
      check: () => space.swap('mine/q'),
    });
    expect(await space.read('moved/a')).toBe('old');
    expect(await space.theirs()).toEqual([['a'], 'new']);
    const below = { ...space.patch, target: space.resolve('mine/q/below') };
    await expect(applyPatch(below, { home })).rejects.toMatchObject({ code: 'PATH_CHANGED' });
    expect(await readdir(space.resolve('theirs/q'))).toEqual(['a']);
  });

  it('is left alone if the check refuses it, and if a link replaced it before a recovery', async () => {
    await using space = await scene();
    const { home } = space;
    const refused = applyPatch(space.patch, { home, check: () => Promise.reject(new Error('not yours')) });
    await expect(refused).rejects.toThrow('not yours');
    expect(await space.read('mine/q/a')).toBe('old');
    const applied = await applyPatch(space.patch, { home });
    const id = applied.status === 'applied' ? applied.apply_id : '';
    const { record } = applyPlaces(home, id);
    const journal = JSON.parse(await readFile(record, 'utf8'));
    journal.state = 'applying';
    journal.owner.pid = 999_999;
    await writeFile(record, JSON.stringify(journal));
    await space.write('theirs/q/a', 'new');
    await space.swap('mine/q');
    expect(await recoverApplies(home)).toMatchObject([{ apply_id: id, left_alone: ['a', 'planted'] }]);
    expect(await space.theirs()).toEqual([['a'], 'new']);
  });

  it('keeps the worktrees of a repository that a link leads to when a tree is removed', async () => {
    await using space = await TempWorkspace.create({ 'mine/q/a': 'a', 'theirs/q/a': 'a' });
    const home = space.resolve('home');
    for (const name of ['mine/q', 'theirs/q'])
      for (const args of [
        ['init', '-q'],
        ['add', '.'],
        ['-c', 'user.name=a', '-c', 'user.email=a', 'commit', '-qm', 'a'],
      ])
        execFileSync('git', args, { cwd: space.resolve(name) });
    const isolation = await Isolation.create({ home, source: space.resolve('mine/q') });
    const admin = `.git/worktrees/${basename(isolation.record.git?.admin ?? '')}`;
    await space.write(`theirs/q/${admin}/HEAD`, 'theirs');
    await rename(space.resolve('mine/q'), space.resolve('moved'));
    await symlink(space.resolve('theirs/q'), space.resolve('mine/q'));
    await isolation.dispose();
    expect(await space.read(`theirs/q/${admin}/HEAD`)).toBe('theirs');
  });
});

it.each([
  { name: 'a git hook', path: '.git/hooks/pre-commit' },
  { name: 'a file outside the folder', path: '../planted' },
  { name: 'an absolute path', path: '/tmp/planted' },
  { name: 'a folder of the runtime', path: 'planted.yaml', target: () => ownHomes()[0] as string },
  { name: 'another id', path: 'planted', other: '22222222-2222-4222-8222-222222222222' },
])('a journal that names $name is never acted on', async ({ path, target, other }) => {
  await using home = await TempWorkspace.create();
  await using folder = await TempWorkspace.create();
  const id = '11111111-1111-4111-8111-111111111111';
  const places = applyPlaces(home.path, id);
  const before = { type: 'file', mode: 0o755, size: 1, sha256: '0'.repeat(64) };
  const owner = { pid: 999_999, start: '1', host: 'h', boot: 'b', namespace: 'n' };
  const journal = {
    ...{
      version: 1,
      id: other ?? id,
      target: target?.() ?? folder.path,
      state: 'applying',
      isolation_id: null,
    },
    steps: [{ path, before, after: null, before_mtime: null }],
    ...{ owner, created_at: new Date(0).toISOString() },
  };
  await mkdir(dirname(places.content('before', 0)), { recursive: true });
  await writeFile(places.content('before', 0), 'x');
  await writeFile(places.record, JSON.stringify(journal));
  expect(await recoverApplies(home.path)).toEqual([]);
  await expect(undoApply(id, { home: home.path })).rejects.toMatchObject({ code: 'RECORD_INVALID' });
});
