import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { expect } from 'vitest';

const place = (path: string) => fileURLToPath(new URL(`../${path}`, import.meta.url));

export const readPage = (path: string) => readFile(place(path), 'utf8');

/** Lines of tables, without their heads, which begin with the given word. */
export function tableRows(page: string, head: string): string[] {
  const isHead = new RegExp(`^\\|(\\s*-|\\s*${head})`);
  return page.split('\n').filter((line) => line.startsWith('|') && !isHead.test(line));
}

/** The tests that a line names: a file, and the words of tests in it. */
function namedIn(row: string): { file: string; words: string[] }[] {
  const files = [...row.matchAll(/`([\w./-]+(?:\.(?:test|torture|interop)|\/attacks)\.ts)`([^`]*)/g)].map(
    ([, file = '', after = '']) => ({
      file,
      words: [...after.matchAll(/"([^"]+)"/g)].map(([, words = '']) => words),
    }),
  );
  const hostile = /hostile ((?:`[\w-]+`(?:, )?)+)/.exec(row)?.[1] ?? '';
  const ways = [...hostile.matchAll(/`([\w-]+)`/g)].map(([, name = '']) => ({
    file: `testkit/src/hostile/ways-in/${name}.ts`,
    words: [],
  }));
  return [...files, ...ways];
}

/** As it stands in a source: quotes may be escaped there, and lines broken. */
const plain = (text: string) => text.replace(/\\(['"`])/g, '$1').replace(/\s+/g, ' ');

/** Every line names at least one test, and all that it names are there, by file and by words. */
export async function expectNamedTests(row: string): Promise<void> {
  const named = namedIn(row);
  expect(named, 'every line has a test').not.toEqual([]);
  for (const { file, words } of named) {
    const path = [`packages/${file}`, file].map(place).find(existsSync);
    expect(path, `${file} is there`).toBeDefined();
    const source = plain(await readFile(path ?? '', 'utf8'));
    for (const piece of words.flatMap((each) => each.split('…')).map((each) => each.trim()))
      expect(source.includes(plain(piece)), `${file} says: ${piece}`).toBe(true);
  }
}
