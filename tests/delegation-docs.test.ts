import { readFile } from 'node:fs/promises';
import { expect, it } from 'vitest';

const ROOTS: Record<string, string> = {
  D: 'packages/delegation/src',
  F: 'packages/foundation/src',
  C: 'packages/core/src',
  S: 'packages/sessions/src',
  T: 'packages/delegation/torture',
};

it('every test that docs/delegation.md names is there, under its name', async () => {
  const page = await readFile('docs/delegation.md', 'utf8');
  const rows = page.split('\n').filter((line) => /^\|.*\b[DFCST]\/\S+\.(test|torture)\.ts/.test(line));
  expect(rows.length).toBeGreaterThan(50);
  for (const row of rows) {
    for (const [, root = '', path = '', names = ''] of row.matchAll(
      /\b([DFCST])\/(\S+?\.(?:test|torture)\.ts)((?:[ ,]*"[^"]+")*)/g,
    )) {
      const file = await readFile(`${ROOTS[root]}/${path}`, 'utf8');
      for (const [, name = ''] of names.matchAll(/"([^"]+)"/g)) {
        for (const part of name.split(/…| › /).filter((text) => text !== ''))
          expect(file.includes(part), `${path}: ${name}`).toBe(true);
      }
    }
  }
});
