import { existsSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { TempGitRepo, TempWorkspace } from './temp-workspace.js';

describe('temporary workspace', () => {
  it('holds the files it was given and is gone afterwards', async () => {
    let path: string;
    {
      await using workspace = await TempWorkspace.create({ 'a/b.txt': 'hello' });
      path = workspace.path;
      expect(await workspace.read('a/b.txt')).toBe('hello');
    }
    expect(existsSync(path)).toBe(false);
  });
});

describe('temporary git repository', () => {
  it('has one commit, and commits more', async () => {
    await using repo = await TempGitRepo.create({ 'a.txt': 'one' });
    await repo.write('a.txt', 'two');
    const id = await repo.commit('second');
    expect(id).toMatch(/^[0-9a-f]{40}$/);
    expect((await repo.git('log', '--format=%s')).split('\n')).toEqual(['second', 'first']);
    expect(await repo.git('status', '--porcelain')).toBe('');
  });

  it('is another one, and clean, when its files are those of an earlier one', async () => {
    await using first = await TempGitRepo.create({ 'a.txt': 'one' });
    await first.write('a.txt', 'two');
    await first.commit('second');
    await using next = await TempGitRepo.create({ 'a.txt': 'one' });
    expect(await next.git('log', '--format=%s')).toBe('first');
    expect(await next.git('status', '--porcelain')).toBe('');
    expect(await next.read('a.txt')).toBe('one');
  });

  it('says so when git fails', async () => {
    await using repo = await TempGitRepo.create();
    await expect(repo.git('checkout', 'nowhere')).rejects.toThrow();
  });
});
