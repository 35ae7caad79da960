import { readFile } from 'node:fs/promises';
import { TempWorkspace } from '@amplifier/testkit';
import { describe, expect, it } from 'vitest';
import { openRecord, projectCopies } from '../record.js';

const PYTHON = '01234567-89ab-cdef-0123-456789abcdef';
const EARLIER = 'session_01K9ZZZZZZZZZZZZZZZZZZZZZZ';
const jsonl = (lines: object[]) => lines.map((line) => `${JSON.stringify(line)}\n`).join('');

function earlierEvent(seq: number, name: string, data: object): object {
  const about = { session_id: EARLIER, parent_id: null, root_id: EARLIER };
  return { seq, id: `e${seq}`, time: '2026-01-01T00:00:00.000Z', name, ...about, data };
}

const CREATED = {
  session_id: EARLIER,
  parent_id: null,
  root_id: EARLIER,
  trace_id: '0'.repeat(32),
  depth: 0,
  agent_name: null,
  tool_call_id: null,
  parallel_group_id: null,
  created: '2026-01-01T00:00:00.000Z',
  working_dir: '/work',
  profile_name: null,
  config: { session: {} },
  agent_overlay: null,
  forked_from: null,
  imported_from: null,
  name: 'before',
};

/** A home of before: a session of the Python CLI, one of ours in files with half a line at its end, and a damaged one. */
async function oldHome() {
  const call = [{ id: 'c1', name: 'grep', input: {}, type: 'tool_use' }];
  const message = (seq: number, turn: number, role: string, content: string) => ({
    id: `m${seq}`,
    seq,
    turn,
    timestamp: '2026-01-01T00:00:00.000Z',
    role,
    content,
  });
  const events = [
    earlierEvent(1, 'session:created', CREATED),
    earlierEvent(2, 'session:status', { status: 'active' }),
  ];
  return TempWorkspace.create({
    [`projects/p/sessions/${PYTHON}/transcript.jsonl`]: jsonl([
      { role: 'user', content: 'first' },
      { role: 'assistant', content: call },
      { role: 'user', content: 'second' },
    ]).trimEnd(),
    [`projects/p/sessions/${PYTHON}/metadata.json`]: JSON.stringify({
      created: '2025-11-06T10:00:00.123Z',
      model: 'm-1',
    }),
    [`projects/p/sessions/${EARLIER}/events.jsonl`]: jsonl(events),
    [`projects/p/sessions/${EARLIER}/transcript.jsonl`]: `${jsonl([message(1, 1, 'user', 'hi'), message(2, 1, 'assistant', 'hello')])}{"half`,
    [`projects/p/sessions/${EARLIER}/launch.json`]: JSON.stringify({ version: 1, plan: { session: {} } }),
    [`projects/p/sessions/${EARLIER}/.free.3`]: '{}',
    'projects/p/sessions/broken/transcript.jsonl': 'no json\n',
  });
}

describe('sessions of before', () => {
  it('are found, listed and continued, once, and stay as they are where they lie', async () => {
    await using home = await oldHome();
    const files = [
      `${PYTHON}/transcript.jsonl`,
      `${PYTHON}/metadata.json`,
      `${EARLIER}/transcript.jsonl`,
    ].map((name) => home.resolve('projects/p/sessions', name));
    const before = await Promise.all(files.map((file) => readFile(file, 'utf8')));
    const told: string[] = [];
    const open = () =>
      openRecord(home.resolve('amplifier.db'), {
        project: 'p',
        copies: projectCopies(home.resolve('projects')),
        report: ({ message }) => told.push(message),
        adoptFrom: home.resolve('projects/p/sessions'),
      });
    {
      await using store = await open();
      const listed = (await store.list()).sessions;
      expect(listed.map(({ session_id }) => session_id).sort()).toEqual([PYTHON, EARLIER].sort());
      const roles = (await store.messages(PYTHON)).map(({ role }) => role);
      expect(roles).toEqual(['user', 'assistant', 'tool', 'user']);
      expect(await store.metadata(PYTHON)).toMatchObject({
        imported_from: { format: 'python-cli', session_id: PYTHON },
        model: 'm-1',
        status: 'completed',
      });
      expect(await store.metadata(EARLIER)).toMatchObject({ name: 'before', project: 'p', status: 'active' });
      expect(await store.document(EARLIER, 'launch')).toEqual({ version: 1, plan: { session: {} } });
      const log = await store.open(EARLIER);
      await log.appendMessages([{ role: 'user', content: 'again' }]);
      expect((await store.messages(EARLIER)).map(({ seq }) => seq)).toEqual([1, 2, 3]);
    }
    expect(await Promise.all(files.map((file) => readFile(file, 'utf8')))).toEqual(before);
    const copy = home.resolve('projects/p/sessions', `${EARLIER}.continued`, 'transcript.jsonl');
    expect((await readFile(copy, 'utf8')).trim().split('\n')).toHaveLength(3);
    expect(told).toEqual([expect.stringMatching(/broken.*line 1/)]);
    {
      await using store = await open();
      await store.delete(PYTHON);
    }
    await using store = await open();
    expect((await store.list()).sessions.map(({ session_id }) => session_id)).toEqual([EARLIER]);
    expect(told).toHaveLength(1);
    await home.write('projects/p/sessions/broken/transcript.jsonl', '{"role":"user","content":"repaired"}\n');
    await using repaired = await open();
    expect(await repaired.messages('broken')).toMatchObject([{ content: 'repaired' }]);
    expect(told).toHaveLength(1);
  });
});
