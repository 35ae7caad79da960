import { readdir, readFile, utimes, writeFile } from 'node:fs/promises';
import { TempWorkspace } from '@amplifier/testkit';
import { expect, it } from 'vitest';
import { acpBench } from '../../test-support/acp-bench.js';
import { JOURNAL_BYTES, JOURNALS_KEPT } from '../defaults.js';
import { FrameJournals } from './frame-journal.js';

interface Line {
  time: string;
  from: string;
  frame: { method?: string; params?: { update?: { content?: { text?: string } } } } | string;
}

it('keeps every frame of a turn as it came, the handshake included, in order and without secrets', async () => {
  await using folder = await TempWorkspace.create();
  await using bench = await acpBench({ engine: { framesFolder: folder.path } });
  const mcp_servers = [
    { name: 'docs', command: 'x', args: [], env: [{ name: 'KEY', value: 'abc-of-docs' }] },
  ];
  const { session_id } = await bench.run('!junk a banner\n!updates 3\n!say Bearer abc-of-agent', {
    metadata: { acp: { mcp_servers } },
  });
  await bench.engine.close();
  const [name = ''] = await readdir(folder.path);
  expect(name).toBe(`${session_id}.1.jsonl`);
  const text = await readFile(folder.resolve(name), 'utf8');
  const lines = text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Line);
  const methods = lines.map(({ frame }) => (typeof frame === 'string' ? frame : frame.method));
  expect(methods[0]).toBe('initialize');
  expect(methods).toContain('a banner');
  const said = lines.flatMap(({ frame }) =>
    typeof frame === 'string' ? [] : (frame.params?.update?.content?.text ?? []),
  );
  expect(said.slice(0, 3)).toEqual(['0 ', '1 ', '2 ']);
  expect(text).not.toContain('abc-of-');
  expect(text).toContain('"mcpServers":[{"name":"docs"}]');
  expect(lines.map(({ time }) => time)).toEqual(lines.map(({ time }) => time).sort());
});

it('is bounded: what is too much is counted, and old journals go', async () => {
  await using folder = await TempWorkspace.create();
  const old = Array.from({ length: JOURNALS_KEPT + 2 }, (_, index) => `old${index}.1.jsonl`);
  for (const [index, name] of old.entries()) {
    await writeFile(folder.resolve(name), '');
    await utimes(folder.resolve(name), index, index);
  }
  const journals = new FrameJournals(folder.path, { now: () => 0, after: () => () => {} }, () => {});
  const journal = await journals.open('session_01ARZ3NDEKTSV4RRFFQ69G5FAV', 1);
  journal.take('agent', '{"a":1}');
  journal.take('agent', 'x'.repeat(JOURNAL_BYTES));
  journals.finish(journal);
  await journals.close();
  const text = await readFile(folder.resolve('session_01ARZ3NDEKTSV4RRFFQ69G5FAV.1.jsonl'), 'utf8');
  expect(
    text
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line)),
  ).toMatchObject([{ from: 'agent', frame: { a: 1 } }, { dropped: 1 }]);
  const names = await readdir(folder.path);
  expect(names).not.toContain('old0.1.jsonl');
  expect(names).toContain(`old${JOURNALS_KEPT + 1}.1.jsonl`);
});
