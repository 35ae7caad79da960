import { mkdir, readdir, utimes, writeFile } from 'node:fs/promises';
import { TempWorkspace } from '@amplifier/testkit';
import { describe, expect, it } from 'vitest';
import { acquireFileLock } from './file-lock.js';
import { systemLiveness } from './process-identity.js';

const OPTIONS = { wait_ms: 0, stale_ms: 5_000 };

describe('a file lock', () => {
  it('has one holder at a time, and leaves nothing and no listener behind', async () => {
    await using space = await TempWorkspace.create();
    const file = space.resolve('locks/a');
    const listeners = () => ['SIGTERM', 'SIGINT', 'exit'].map((event) => process.listenerCount(event));
    const before = listeners();
    const first = await acquireFileLock(file, OPTIONS);
    expect(await acquireFileLock(file, OPTIONS)).toBeNull();
    const second = acquireFileLock(file, { ...OPTIONS, wait_ms: 60_000 });
    await first?.[Symbol.asyncDispose]();
    await (await second)?.[Symbol.asyncDispose]();
    expect(await readdir(space.resolve('locks'))).toEqual([]);
    expect(listeners()).toEqual(before);
  });

  it('never has two holders, however many want it and however it was abandoned', async () => {
    await using space = await TempWorkspace.create();
    const file = space.resolve('a');
    const holder = { ...systemLiveness.self, pid: 999_999_999, start: '1' };
    await writeFile(`${file}.lock`, JSON.stringify({ id: 'x', holder }));
    let holders = 0;
    let done = 0;
    const use = async () => {
      await using lock = await acquireFileLock(file, { ...OPTIONS, wait_ms: 60_000 });
      expect(lock).not.toBeNull();
      expect(++holders).toBe(1);
      await readdir(space.path);
      holders--;
      done++;
    };
    await Promise.all(Array.from({ length: 20 }, use));
    expect(done).toBe(20);
  });

  it.each([
    ['a file that was not written to its end', (lock: string) => writeFile(lock, '{')],
    ['a folder, as earlier versions made it', (lock: string) => mkdir(lock)],
    [
      'the file of a process in another container',
      (lock: string) =>
        writeFile(lock, JSON.stringify({ holder: { ...systemLiveness.self, namespace: 'pid:[1]' } })),
    ],
  ])('that is %s is taken over when it is old, not before', async (_, make) => {
    await using space = await TempWorkspace.create();
    const file = space.resolve('a');
    await make(`${file}.lock`);
    expect(await acquireFileLock(file, OPTIONS)).toBeNull();
    const old = new Date(Date.now() - 60_000);
    await utimes(`${file}.lock`, old, old);
    await using lock = await acquireFileLock(file, OPTIONS);
    expect(lock).not.toBeNull();
  });

  it('of a living process is kept however old it is', async () => {
    await using space = await TempWorkspace.create();
    const file = space.resolve('a');
    await using _ = await acquireFileLock(file, OPTIONS);
    await utimes(`${file}.lock`, new Date(0), new Date(0));
    expect(await acquireFileLock(file, OPTIONS)).toBeNull();
  });
});
