import { expect, it } from 'vitest';
import { all, run, type Work } from './database.js';
import { SqliteDatabase } from './sqlite-database.js';

const put = (name: string) => run('INSERT INTO facts (name, value) VALUES (?, ?)', name, 'x');

it('a write that fails after it wrote takes no other along, and whoever asked hears of it before later ones run', async () => {
  await using database = await SqliteDatabase.open(':memory:');
  const heard: string[] = [];
  const failing = function* (): Work<void> {
    yield* put('half');
    throw new Error('No more of it.');
  };
  const later = function* (): Work<string> {
    yield* put('after');
    return heard.join();
  };
  const before = database.write(() => put('before'));
  const failed = database.write(failing).catch((error: Error) => heard.push(error.message));
  const after = database.write(later);
  expect([await before, await failed, await after]).toEqual([1, 1, 'No more of it.']);
  const names = await database.read(() => all<{ name: string }>('SELECT name FROM facts ORDER BY name'));
  expect(names.map(({ name }) => name)).toEqual(['after', 'before']);
});

it('a write that is refused before it wrote shares the commit of those before it, and is heard of before later ones run', async () => {
  await using database = await SqliteDatabase.open(':memory:');
  const { commits } = database;
  const before = database.write(() => put('before'));
  // biome-ignore lint/correctness/useYield: it is refused before its first statement
  const refused = database.write(function* (): Work<void> {
    throw new Error('Not this one.');
  });
  const heard: string[] = [];
  refused.catch((error: Error) => heard.push(error.message));
  const after = database.write(function* (): Work<string[]> {
    yield* put('after');
    return [...heard];
  });
  await expect(refused).rejects.toThrow('Not this one.');
  expect([await before, database.commits - commits]).toEqual([1, 1]);
  expect(await after).toEqual(['Not this one.']);
});
