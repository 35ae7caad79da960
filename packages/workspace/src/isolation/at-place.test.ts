import { chmod, readdir, symlink } from 'node:fs/promises';
import { Outside, randomRepo, seededRandom, swapFolders, TempWorkspace } from '@amplifier/testkit';
import { describe, expect, it } from 'vitest';
import { removeTree } from './at-place.js';

describe('removing a tree', () => {
  it('removes what may not be written, and links but not what they lead to', async () => {
    await using space = await TempWorkspace.create({ 'tree/a/b/c': 'c', 'kept/x': 'x' });
    await symlink(space.resolve('kept'), space.resolve('tree/a/link'));
    await chmod(space.resolve('tree/a/b'), 0o500);
    await removeTree(space.resolve('tree'));
    await removeTree(space.resolve('tree'));
    expect(await readdir(space.path)).toEqual(['kept']);
    expect(await space.read('kept/x')).toBe('x');
  });

  it('never reaches through a folder that turns into a link meanwhile', async () => {
    for (let seed = 0; seed < 3; seed++) {
      const random = seededRandom(seed);
      await using outside = await Outside.create();
      await using repo = await randomRepo(random, outside);
      const stop = new AbortController();
      const swapping = swapFolders(repo.path, await outside.copy(repo.path), random, stop.signal);
      await removeTree(repo.path).catch(({ code }) => expect(code).toMatch(/^E/));
      stop.abort();
      await swapping;
      expect(await outside.isUntouched()).toBe(true);
    }
  });
});
