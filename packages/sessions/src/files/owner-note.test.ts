import { readdir, readFile, rm, stat } from 'node:fs/promises';
import { TempWorkspace } from '@amplifier/testkit';
import { expect, it } from 'vitest';
import { systemLiveness } from '../process-identity.js';
import { FileSessionStore } from './file-session-store.js';

it('one note says for all sessions whose they are, and is gone with its process', async () => {
  await using workspace = await TempWorkspace.create();
  const folder = workspace.resolve('sessions');
  const store = await FileSessionStore.open({ folder });
  const first = await store.create({ session_id: 'first' });
  const second = await store.create({ session_id: 'second' });
  const [one, two] = await Promise.all([stat(`${folder}/first/.lock.1`), stat(`${folder}/second/.lock.1`)]);
  expect(one.ino).toBe(two.ino);
  expect(await store.owner('second')).toMatchObject({ pid: process.pid, lease: null });

  await first.close();
  await second.close();
  await store.close();
  expect(await readdir(`${folder}/.owners`)).toEqual([]);
  expect(JSON.parse(await readFile(`${folder}/first/.free.1`, 'utf8')).process).toMatchObject({
    pid: process.pid,
  });
});

it('is written again when somebody has tidied it away', async () => {
  await using workspace = await TempWorkspace.create();
  const folder = workspace.resolve('sessions');
  await using store = await FileSessionStore.open({ folder });
  await (await store.create({ session_id: 'first' })).close();
  await rm(`${folder}/.owners`, { recursive: true });
  await (await store.create({ session_id: 'second' })).close();
  await (await store.open('first')).close();
  expect((await stat(`${folder}/second/.free.1`)).ino).toBe((await stat(`${folder}/first/.free.2`)).ino);
});

it('that a dead process left behind is removed by whoever opens the store next', async () => {
  await using workspace = await TempWorkspace.create();
  const folder = workspace.resolve('sessions');
  const left = await FileSessionStore.open({ folder });
  await (await left.create()).close();
  expect(await readdir(`${folder}/.owners`)).toHaveLength(1);
  const liveness = { ...systemLiveness, isAlive: () => false };
  await using _ = await FileSessionStore.open({ folder, liveness });
  expect(await readdir(`${folder}/.owners`)).toEqual([]);
  await left.close();
});
