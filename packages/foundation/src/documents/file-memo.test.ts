import { mkdir, readFile, rename, rm, stat, symlink, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { TempWorkspace } from '@amplifier/testkit';
import { describe, expect, it } from 'vitest';
import { FileMemo, type Places } from './file-memo.js';

/** A text made of files, and how often it was made. Time has passed since they were written, unless `now` says otherwise. */
async function open(files: Record<string, string>, now = () => Date.now() + 60_000) {
  const workspace = await TempWorkspace.create(files);
  const memo = new FileMemo<string>(now);
  const state = { made: 0, during: async () => {} };
  const read = (...names: string[]) =>
    memo.get(names.join(), async (places: Places) => {
      state.made++;
      const texts = await Promise.all(
        names.map((name) => {
          const path = join(workspace.path, name);
          places.add(path);
          return readFile(path, 'utf8').catch(() => 'none');
        }),
      );
      await state.during();
      return texts.join(' ');
    });
  /** Reads until the value is kept. */
  const settle = async (...names: string[]) => {
    await read(...names);
    await read(...names);
    const { made } = state;
    await read(...names);
    expect(state.made).toBe(made);
    await nextTick();
  };
  /** Returns when a change has another time than those before. */
  const nextTick = async () => {
    await using scratch = await TempWorkspace.create({ a: '' });
    const changed = async () => (await stat(scratch.path, { bigint: true })).ctimeNs;
    const first = await changed();
    while ((await changed()) === first) await scratch.write('a', '').then(() => rm(scratch.resolve('a')));
  };
  return { path: (name: string) => join(workspace.path, name), state, read, settle, workspace };
}

describe('a value made of files', () => {
  it('is kept while nothing changes', async () => {
    const { settle, workspace } = await open({ a: 'one', 'b/c': 'two' });
    await using _ = workspace;
    await settle('a', 'b/c', 'missing', 'b/missing', 'no/such/place');
  });

  it('is made again after a change that keeps size and modification time', async () => {
    const { path, settle, read, workspace } = await open({ a: 'one' });
    await using _ = workspace;
    await settle('a');
    const { atime, mtime } = await stat(path('a'));
    await writeFile(path('a'), 'two');
    await utimes(path('a'), atime, mtime);
    expect(await read('a')).toBe('two');
  });

  it('is made again after a file was replaced, removed or added', async () => {
    const { path, settle, read, workspace } = await open({ a: 'one', spare: 'two' });
    await using _ = workspace;
    await settle('a', 'new');
    await rename(path('spare'), path('a'));
    expect(await read('a', 'new')).toBe('two none');
    await rm(path('a'));
    expect(await read('a', 'new')).toBe('none none');
    await writeFile(path('new'), 'three');
    expect(await read('a', 'new')).toBe('none three');
  });

  it('is made again after one of many missing files appeared, also below a missing folder', async () => {
    const names = ['x', 'y', 'z', 'deep/er/file', 'deep/other'];
    const { path, settle, read, workspace } = await open({ a: 'one' });
    await using _ = workspace;
    await settle(...names);
    await mkdir(path('deep/er'), { recursive: true });
    await settle(...names);
    await writeFile(path('deep/er/file'), 'found');
    expect(await read(...names)).toBe('none none none found none');
    await settle(...names);
    await writeFile(path('y'), 'why');
    expect(await read(...names)).toBe('none why none found none');
  });

  it('is made again after what a link leads to appeared, or the link was pointed elsewhere', async () => {
    const { path, settle, read, workspace } = await open({ 'real/a': 'one', 'other/a': 'two' });
    await using _ = workspace;
    await symlink(path('later'), path('link'));
    await symlink(path('nowhere'), path('folder'));
    const names = ['link', 'folder/a', 'x', 'y', 'z'];
    await settle(...names);
    await writeFile(path('real/spare'), 'three');
    await symlink(path('real'), path('nowhere'));
    expect(await read(...names)).toBe('none one none none none');
    await settle(...names);
    await rm(path('nowhere'));
    await symlink(path('other'), path('nowhere'));
    expect(await read(...names)).toBe('none two none none none');
    await settle(...names);
    await rename(path('real/spare'), path('later'));
    expect(await read(...names)).toBe('three two none none none');
  });

  it('is not kept where a file changed while it was made', async () => {
    const { path, state, read, workspace } = await open({ a: 'one' });
    await using _ = workspace;
    await read('a');
    state.during = () => writeFile(path('a'), 'two');
    expect(await read('a')).toBe('one');
    state.during = async () => {};
    expect(await read('a')).toBe('two');
  });

  it('is not kept where the next change could have the same time', async () => {
    const { state, read, workspace } = await open({ a: 'one' }, Date.now);
    await using _ = workspace;
    for (const _ of [1, 2, 3]) await read('a');
    expect(state.made).toBe(3);
  });

  it('is made again for each caller while it cannot be made', async () => {
    const memo = new FileMemo<string>();
    const fail = () => memo.get('', () => Promise.reject(new Error('unreadable')));
    await expect(fail()).rejects.toThrow('unreadable');
    await expect(fail()).rejects.toThrow('unreadable');
    expect(await memo.get('', async () => 'made')).toBe('made');
  });
});
