import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ROOT, readPages } from './read-blocks.js';

/** Tables of which every row names a test: the page, the heading above, the first word of the head, and how many rows there are at least. */
const GUARANTEES = [
  ['docs/security.md', '', '(?:threat|loop)', 40],
  ['docs/internals/statements.md', '## External agents and editors', '(?:guarantee|statement)', 50],
] as const;

const read = (page: string) => readFile(join(ROOT, page), 'utf8');
const pages = await readPages();

describe('every page', () => {
  it.each(pages)('links to files and headings that exist: %s', async (page) => {
    const broken = [];
    for (const [, target = ''] of withoutCode(await read(page)).matchAll(/\]\(([^)\s]+)\)/g)) {
      if (/^[a-z]+:/.test(target)) continue;
      const [path = '', anchor] = target.split('#');
      const file = path === '' ? page : join(dirname(page), path);
      const leads =
        existsSync(join(ROOT, file)) && (anchor === undefined || (await anchorsOf(file)).has(anchor));
      if (!leads) broken.push(target);
    }
    expect(broken).toEqual([]);
  });

  it.each(pages)('names tests that exist, by file and words: %s', async (page) => {
    const missing = [];
    for (const line of (await read(page)).split('\n')) missing.push(...(await missingTests(line)));
    expect(missing).toEqual([]);
  });
});

it.each(GUARANTEES)('every row of %s names a test', async (page, heading, head, count) => {
  const text = await read(page);
  const isHead = new RegExp(`^\\|(\\s*-|\\s*${head})`);
  const rows = text
    .slice(text.indexOf(heading))
    .split('\n')
    .filter((line) => line.startsWith('|') && !isHead.test(line));
  expect(rows.filter((row) => testsIn(row).length === 0)).toEqual([]);
  expect(rows.length).toBeGreaterThan(count);
});

const withoutCode = (text: string) => text.replace(/^```[\s\S]*?^```$/gm, '').replace(/`[^`\n]*`/g, '');

async function anchorsOf(page: string): Promise<Set<string>> {
  const text = await read(page);
  const headings = [...text.matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\s_-]/gu, '')
      .trim()
      .replace(/\s/g, '-'),
  );
  const named = [...text.matchAll(/<a id="([^"]+)">/g)].map(([, id = '']) => id);
  return new Set([...headings, ...named]);
}

/** The tests that a line names: a file, and the words of tests in it. */
function testsIn(line: string): { file: string; words: string[] }[] {
  const files = [...line.matchAll(/`([\w./-]+(?:\.(?:test|torture|interop)|\/attacks)\.ts)`([^`]*)/g)].map(
    ([, file = '', after = '']) => ({
      file,
      words: [...after.matchAll(/"([^"]+)"/g)].map(([, words = '']) => words),
    }),
  );
  const hostile = /hostile ((?:`[\w-]+`(?:, )?)+)/.exec(line)?.[1] ?? '';
  const ways = [...hostile.matchAll(/`([\w-]+)`/g)].map(([, name = '']) => ({
    file: `tests/hostile/ways-in/${name}.ts`,
    words: [],
  }));
  return [...files, ...ways];
}

async function missingTests(line: string): Promise<string[]> {
  const missing = [];
  for (const { file, words } of testsIn(line)) {
    const path = [`packages/${file}`, file].find((each) => existsSync(join(ROOT, each)));
    if (path === undefined) {
      missing.push(file);
      continue;
    }
    const source = plain(await read(path));
    for (const piece of words.flatMap((each) => each.split(/…| › /)).map((each) => plain(each.trim())))
      if (!source.includes(piece)) missing.push(`${file}: ${piece}`);
  }
  return missing;
}

/** Without escapes of quotes and with single blanks, so that line breaks of a source do not matter. */
function plain(text: string): string {
  return text.replace(/\\(['"`])/g, '$1').replace(/\s+/g, ' ');
}
