import { readdir, rm, writeFile } from 'node:fs/promises';
import { TempWorkspace } from '@amplifier/testkit';
import { expect, it } from 'vitest';
import { run } from '../database/database.js';
import { openDatabase } from '../open-record.js';
import { openRecord, projectCopies, takeLease } from '../record.js';
import { rebuildRecord } from './bring-back.js';

it('a record that cannot be read is set aside by name, and the sessions of every project come back from their copies', async () => {
  await using home = await TempWorkspace.create();
  const file = home.resolve('amplifier.db');
  const copies = projectCopies(home.resolve('projects'));
  for (const project of ['a', 'b']) {
    await using store = await openRecord(file, { project, copies });
    const log = await store.create({ session_id: `s-${project}` });
    await log.appendMessages([{ role: 'user', content: `hello ${project}` }]);
  }
  await using database = await openDatabase(file);
  await database.compact();
  await database.close();
  await writeFile(file, 'no database any more, and long enough to have been one');
  // Whoever comes first, and knows nothing of copies, does not keep them from coming back.
  await (await takeLease(file, 'worker')).release();
  const told: string[] = [];
  const open = () =>
    openRecord(file, { project: 'a', copies, report: ({ message }) => void told.push(message) });
  await using store = await open();
  const { sessions } = await store.list({ project: null });
  expect(sessions.map(({ session_id, project }) => [session_id, project]).sort()).toEqual([
    ['s-a', 'a'],
    ['s-b', 'b'],
  ]);
  expect(await store.messages('s-b')).toMatchObject([{ seq: 1, content: 'hello b' }]);
  const aside = (await readdir(home.path)).find((name) => /^amplifier\.db\.damaged-[^.]*$/.test(name));
  expect(told).toEqual([expect.stringMatching(new RegExp(`${aside}.* copies: 2`))]);
  const log = await store.open('s-a');
  await log.appendMessages([{ role: 'assistant', content: 'still here' }]);
  await log.close();
  // Once is enough.
  await using again = await open();
  expect(await again.messages('s-a')).toHaveLength(2);
  expect(told).toHaveLength(1);
});

it('a record whose file is gone gets its sessions back from their copies', async () => {
  await using home = await TempWorkspace.create();
  const file = home.resolve('amplifier.db');
  const copies = projectCopies(home.resolve('projects'));
  const told: string[] = [];
  const report = ({ message }: { message: string }) => void told.push(message);
  const open = (project: string) =>
    openRecord(file, { project, copies, adoptFrom: copies.folderOf(project), report });
  for (const project of ['a', 'b']) {
    await using store = await open(project);
    const log = await store.create({ session_id: `s-${project}` });
    await log.appendMessages([{ role: 'user', content: `hello ${project}` }]);
  }
  for (const suffix of ['', '-wal', '-shm']) await rm(file + suffix, { force: true });
  // Sessions of another program are no sign that there was a record of ours.
  await home.write('projects/c/sessions/s-c/transcript.jsonl', '{"role":"user","content":"hello c"}\n');
  await using store = await open('a');
  const { sessions } = await store.list({ project: null });
  expect(sessions.map(({ session_id }) => session_id).sort()).toEqual(['s-a', 's-b']);
  expect(told).toEqual([expect.stringMatching(/was missing or empty\..* copies: 2\./)]);
  for (const session_id of ['s-a', 's-b']) await store.delete(session_id);
  await using again = await open('a');
  expect((await again.list({ project: null })).sessions, 'deleted on purpose').toEqual([]);
  expect(told).toHaveLength(1);
});

it('a record is not rebuilt while somebody is at work in it, nor one of a newer program', async () => {
  await using home = await TempWorkspace.create();
  const file = home.resolve('amplifier.db');
  const copies = projectCopies(home.resolve('projects'));
  const rebuild = () => rebuildRecord(file, copies, () => {});
  const lease = await takeLease(file, 'daemon');
  await expect(rebuild()).rejects.toMatchObject({
    code: 'SESSION_LOCKED',
    message: expect.stringContaining(`Process ${process.pid}`),
  });
  await lease.release();
  await using database = await openDatabase(file);
  await database.write(() => run('PRAGMA user_version = 999'));
  await database.close();
  await expect(rebuild()).rejects.toMatchObject({ code: 'RECORD_TOO_NEW' });
  expect((await readdir(home.path)).filter((name) => name.includes('damaged'))).toEqual([]);
});
