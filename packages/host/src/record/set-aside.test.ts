import { readdir, writeFile } from 'node:fs/promises';
import { openDatabase } from '@amplifier/sessions';
import { TempWorkspace } from '@amplifier/testkit';
import { expect, it } from 'vitest';
import { openRecord, projectCopies, takeLease } from './index.js';

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
