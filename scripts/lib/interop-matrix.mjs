// What runs of `npm run interop` saw of each agent and client, kept beside them, and the tables of it in the pages.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { relative } from 'node:path';
import { root } from './paths.mjs';
import { say } from './run.mjs';

/**
 * Adds what a run saw to what earlier ones saw: by package and version, then by the file of the cases. A case that the file has no
 * more is forgotten with the next run of it.
 */
export function keepSeen(file, testResults, packages) {
  const seen = existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : {};
  for (const { name: path, assertionResults } of testResults) {
    const place = relative(root, path);
    for (const [id, spec] of Object.entries(packages)) {
      const own = assertionResults.filter(({ ancestorTitles: [title = ''] }) => title.split(',')[0] === id);
      if (own.length === 0) continue;
      const rows = own.map(({ title, status }) => {
        const [name, reason = null] = title.split(/: (.*)/);
        return { name, reason, cell: reason ? 'see below' : status === 'passed' ? 'yes' : 'FAILED' };
      });
      seen[spec] = { ...seen[spec], [place]: rows };
    }
  }
  writeFileSync(file, `${JSON.stringify(seen, null, 2)}\n`);
  return seen;
}

/** Puts what was seen into a page, between two marks. A table that would have an empty column stays as it is. */
export function writeMatrix(page, packages, seen, mark) {
  const columns = Object.entries(packages).map(([id, spec]) => ({
    id,
    version: spec.split('@').at(-1),
    rows: Object.values(seen[spec] ?? {}).flat(),
  }));
  const absent = columns.filter(({ rows }) => rows.length === 0).map(({ id }) => id);
  if (absent.length > 0) return say(`${page} is left as it is: ${absent.join(', ')} did not run.`);
  const names = [...new Set(columns.flatMap(({ rows }) => rows.map(({ name }) => name)))];
  const cell = ({ rows }, name) => rows.find((row) => row.name === name)?.cell ?? 'not run';
  const reasons = columns.flatMap(({ id, rows }) =>
    rows.flatMap(({ name, reason }) => (reason ? [`- ${id}, ${name}: ${reason}`] : [])),
  );
  const line = (cells) => `| ${cells.join(' | ')} |`;
  const table = [
    line(['', ...columns.map(({ id, version }) => `${id} ${version}`)]),
    line(['---', ...columns.map(() => '---')]),
    ...names.map((name) => line([name, ...columns.map((column) => cell(column, name))])),
  ];
  const [before, , after] = readFileSync(page, 'utf8').split(mark);
  const body = [...table, ...(reasons.length > 0 ? ['', ...reasons] : [])].join('\n');
  writeFileSync(page, `${before}${mark}\n${body}\n${mark}${after}`);
}
