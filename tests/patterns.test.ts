import { readdir, readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const packages = fileURLToPath(new URL('../packages/', import.meta.url));

/**
 * Every place where a JavaScript regular expression is made from a text, with the reason why the text is ours. A pattern that a file,
 * a model or a request contains is compiled with `loadPatterns` of core.
 */
const REVIEWED: Readonly<Record<string, string>> = {
  'daemon/src/tenants/bind-database.ts': 'names of our own tables',
  'host/src/trust/file-names.ts':
    'forms that are written in the file, and names of letters, digits and underscores',
  'modules/src/shell/known-options.ts': 'options and sed commands that are written in the file',
  'modules/src/shell/read-options.ts': 'letters of options that are written in the tables',
  'modules/src/shell/run-variables.ts': 'names of variables that are written in the file',
  'cli/src/terminal/screen.ts': 'a control character that is written in the file',
};

const MAKES_ONE = /\bRegExp\s*\(/;
/** `match`, `matchAll` and `search` make a regular expression of a text that is no regular expression yet. */
const MAKES_ONE_OF_TEXT = /\.(?:match|matchAll|search)\(\s*(?:`|'|"|String\()/;
/** A member of Zod that would do the same with a foreign JSON Schema, and a validator with its own engine. */
const READS_SCHEMAS = /fromJSONSchema|validators\/ajv/;

it('no source makes a regular expression from a text that is not its own', async () => {
  const all = await readdir(packages, { recursive: true });
  const sources = all.filter(
    (path) => /^[\w-]+\/src\/.*\.tsx?$/.test(path) && !/\.test\.tsx?$|^testkit\//.test(path),
  );
  expect(sources.length).toBeGreaterThan(500);
  const found = new Set<string>();
  for (const path of sources) {
    const text = await readFile(`${packages}${path}`, 'utf8');
    if ([MAKES_ONE, MAKES_ONE_OF_TEXT, READS_SCHEMAS].some((pattern) => pattern.test(text))) found.add(path);
  }
  expect([...found].sort()).toEqual(Object.keys(REVIEWED).sort());
});

it('the engine without backtracking is imported in one place', async () => {
  const all = await readdir(packages, { recursive: true });
  const sources = all.filter((path) => /^[\w-]+\/src\/.*\.tsx?$/.test(path));
  const importers = [];
  for (const path of sources)
    if (/import\('re2js'\)/.test(await readFile(`${packages}${path}`, 'utf8'))) importers.push(path);
  expect(importers).toEqual(['core/src/text/pattern.ts']);
});
