import { readdir, writeFile } from 'node:fs/promises';
import { systemClock } from '@amplifier/core';
import { TempWorkspace } from '@amplifier/testkit';
import { describe, expect, it } from 'vitest';
import type { Liveness } from '../process-identity.js';
import { WriterLock } from './writer-lock.js';

function living(name: string, dead: ReadonlySet<string> = new Set()): Liveness {
  return {
    self: { pid: 1, start: name, host: 'h', boot: null, namespace: null },
    isAlive: ({ start }) => !dead.has(start ?? ''),
  };
}

const acquire = async (folder: string, name: string, dead?: ReadonlySet<string>, lease?: number) =>
  WriterLock.acquire(folder, 'it', { clock: systemClock, liveness: living(name, dead), lease });

describe('the lock', () => {
  it('goes to one of many who find its owner dead', async () => {
    await using workspace = await TempWorkspace.create();
    await acquire(workspace.path, 'victim');
    const dead = new Set(['victim']);
    for (let round = 0; round < 20; round++) {
      const names = Array.from({ length: 8 }, (_, at) => `r${round}-${at}`);
      const results = await Promise.allSettled(names.map((name) => acquire(workspace.path, name, dead)));
      expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
      for (const name of names) dead.add(name);
    }
    expect(await readdir(workspace.path)).toEqual(['.lock.21']);
  });

  it('is not fooled by a number that was given back while somebody slept', async () => {
    await using workspace = await TempWorkspace.create();
    const lock = await acquire(workspace.path, 'a');
    lock.release();
    const next = await acquire(workspace.path, 'b');
    expect([lock.epoch, next.epoch]).toEqual([1, 2]);
    expect(lock.isCurrent()).toBe(false);
    lock.release();
    expect(next.isCurrent()).toBe(true);
    expect(next.before).toMatchObject({ clean: true, wasAlive: false });
  });

  it('falls when its note is unreadable, as after a power cut', async () => {
    await using workspace = await TempWorkspace.create();
    await writeFile(workspace.resolve('.lock.3'), '');
    const lock = await acquire(workspace.path, 'a');
    expect(lock.epoch).toBe(4);
    expect(lock.before).toMatchObject({ clean: false, record: null });
  });

  it('says who has it and what to do', async () => {
    await using workspace = await TempWorkspace.create();
    await acquire(workspace.path, 'a');
    await expect(acquire(workspace.path, 'b')).rejects.toThrow(/process 1 on h since .*end that process/);
    await expect(acquire(workspace.path, 'a')).rejects.toThrow(/this very process/);
  });
});
