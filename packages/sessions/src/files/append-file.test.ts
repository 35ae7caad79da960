import { TempWorkspace } from '@amplifier/testkit';
import { describe, expect, it } from 'vitest';
import { AppendFile } from './append-file.js';
import { HandlePool } from './handle-pool.js';

const flush = () => Promise.resolve();

describe('a file that grows', () => {
  it('writes at once, and acknowledges in order', async () => {
    await using workspace = await TempWorkspace.create({ log: '' });
    const pool = new HandlePool(4);
    const commits: [number, number][] = [];
    const path = workspace.resolve('log');
    const file = new AppendFile({
      path,
      size: 0,
      pool,
      flush,
      onCommit: (from, to) => commits.push([from, to]),
    });
    await Promise.all(Array.from({ length: 100 }, (_, at) => file.append(`${at}\n`)));
    expect(commits.slice(0, 2)).toEqual([
      [0, 2],
      [2, 4],
    ]);
    expect(commits.at(-1)?.[1]).toBe(290);
    expect((await workspace.read('log')).split('\n').slice(0, 3)).toEqual(['0', '1', '2']);
    pool.close();
  });

  it('refuses everything after a failed write, and says what to do', async () => {
    await using workspace = await TempWorkspace.create();
    const pool = new HandlePool(4);
    const file = new AppendFile({
      path: workspace.resolve('missing'),
      size: 0,
      pool,
      flush,
      onCommit: () => undefined,
    });
    await expect(file.append('a\n')).rejects.toMatchObject({ code: 'STORAGE_FAILED' });
    await expect(file.append('b\n')).rejects.toMatchObject({ code: 'LOG_BROKEN', message: /open it again/ });
    expect(pool.size).toBe(0);
  });

  it('holds no more files open than allowed', async () => {
    const names = Array.from({ length: 20 }, (_, at) => `log-${at}`);
    await using workspace = await TempWorkspace.create(Object.fromEntries(names.map((name) => [name, ''])));
    const pool = new HandlePool(3);
    const files = names.map(
      (name) =>
        new AppendFile({ path: workspace.resolve(name), size: 0, pool, flush, onCommit: () => undefined }),
    );
    for (const file of files) await file.append('x\n');
    expect(pool.size).toBe(3);
    await Promise.all(files.map((file) => file.append('y\n')));
    for (const name of names) expect(await workspace.read(name)).toBe('x\ny\n');
    pool.close();
    expect(pool.size).toBe(0);
  });

  it('counts new files as well, under whatever name they have by now', async () => {
    await using workspace = await TempWorkspace.create();
    const pool = new HandlePool(3);
    for (let at = 0; at < 20; at++) {
      pool.create(workspace.resolve(`new-${at}`));
      pool.rename(workspace.resolve(`new-${at}`), workspace.resolve(`named-${at}`));
      expect(pool.size).toBeLessThanOrEqual(3);
    }
    expect([pool.has(workspace.resolve('named-19')), pool.has(workspace.resolve('new-19'))]).toEqual([
      true,
      false,
    ]);
    expect(() => pool.create(workspace.resolve('new-3'))).toThrow(/EEXIST/);
    pool.close();
  });
});
