import { execFileSync } from 'node:child_process';
import { readdir, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { TempWorkspace } from '@amplifier/testkit';
import { describe, expect, it } from 'vitest';
import { Isolation } from '../isolation/isolation.js';
import { applyPatch, recoverApplies } from './apply-patch.js';
import { invertChange } from './change.js';
import { type Move, makeChanges } from './make-changes.js';
import { readInTree } from './tree-entry.js';

/** A tree with two files, and the move of each from its old to its new content. */
async function scene() {
  const space = await TempWorkspace.create({
    'tree/a': 'old a',
    'tree/b': 'old b',
    'new/a': 'new a',
    'new/b': 'new b',
    'old/a': 'old a',
    'old/b': 'old b',
  });
  const moves: Move[] = [];
  for (const path of ['a', 'b']) {
    const [before, after] = await Promise.all(
      ['tree', 'new'].map((root) => readInTree(space.resolve(root), path)),
    );
    moves.push({
      path,
      before: before ?? null,
      after: after ?? null,
      content: space.resolve('new', path),
      mtime: null,
    });
  }
  const back = moves.map(
    (move): Move => ({ ...move, ...invertChange(move), content: space.resolve('old', move.path) }),
  );
  return Object.assign(space, { tree: space.resolve('tree'), moves, back });
}

const ID = '01234567-0000-4000-8000-000000000000';

describe('making changes', () => {
  it('stops at a path that somebody else changed, and going back leaves that one alone', async () => {
    await using space = await scene();
    await space.write('tree/b', 'mine');
    const making = makeChanges(space.tree, space.moves, { id: ID, strict: true });
    await expect(making).rejects.toMatchObject({ path: 'b' });
    expect(await space.read('tree/a')).toBe('new a');
    expect(await makeChanges(space.tree, space.back, { id: ID, strict: false })).toEqual(['b']);
    expect(await space.read('tree/a')).toBe('old a');
    expect(await space.read('tree/b')).toBe('mine');
  });

  it('going back removes what a kill left half written', async () => {
    await using space = await scene();
    await space.write('tree/.amplifier-01234567-0', 'half');
    await space.write('tree/.amplifier-99999999-0', 'of another one');
    await makeChanges(space.tree, space.back, { id: ID, strict: false });
    expect(await readdir(space.tree)).toEqual(['.amplifier-99999999-0', 'a', 'b']);
  });

  it('never reaches through a symlink that took the place of a folder', async () => {
    await using space = await TempWorkspace.create({ 'tree/d/x': 'x', 'outside/x': 'x' });
    const before = await readInTree(space.resolve('tree'), 'd/x');
    await rm(space.resolve('tree/d'), { recursive: true });
    await symlink('../outside', space.resolve('tree/d'));
    const move: Move = { path: 'd/x', before, after: null, content: null, mtime: null };
    await makeChanges(space.resolve('tree'), [move], { id: ID, strict: false });
    expect(await space.read('outside/x')).toBe('x');
  });
});

const canMount = mayMount();
if (!canMount) console.warn('SKIPPED: applying to a full disk. It needs root, to mount a small one.');

describe.runIf(canMount)('a full disk', () => {
  it('leaves the old tree and says what happened', async () => {
    await using space = await TempWorkspace.create();
    await using home = await TempWorkspace.create();
    const disk = await space.write('disk/x', '').then(() => space.resolve('disk'));
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=256k', 'none', disk]);
    try {
      await writeFile(join(disk, 'a'), 'a'.repeat(60_000));
      await writeFile(join(disk, 'b'), 'b');
      const isolation = await Isolation.create({ home: home.path, source: disk });
      await writeFile(join(isolation.path, 'a'), 'A'.repeat(70_000));
      await writeFile(join(isolation.path, 'c'), 'c'.repeat(300_000));
      await rm(join(isolation.path, 'b'));
      const applying = applyPatch(await isolation.patch(), { home: home.path });
      await expect(applying).rejects.toMatchObject({ code: 'ENOSPC' });
      expect((await readdir(disk)).sort()).toEqual(['a', 'b']);
      expect(await space.read('disk/a')).toBe('a'.repeat(60_000));
      expect(await space.read('disk/b')).toBe('b');
      expect(await recoverApplies(home.path)).toEqual([]);
      expect((await isolation.patch()).changes).toHaveLength(3);
    } finally {
      execFileSync('umount', [disk]);
    }
  });
});

function mayMount(): boolean {
  if (process.platform !== 'linux' || process.getuid?.() !== 0) return false;
  try {
    execFileSync('unshare', ['--mount', 'mount', '-t', 'tmpfs', 'none', '/mnt'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}
