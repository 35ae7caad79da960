import { readFile } from 'node:fs/promises';
import { TempWorkspace } from '@amplifier/testkit';
import { describe, expect, it } from 'vitest';
import { FileSessionStore } from './file-session-store.js';

const ID = '3f1d8f3e-7f3b-4a52-9a50-5d6f5b1c0c11';
const metadata = {
  session_id: ID,
  created: '2025-11-06T10:00:00.123456+00:00',
  bundle: 'dev',
  model: 'm-1',
  turn_count: 2,
  config: { session: {} },
};
const transcript = [
  { role: 'user', content: 'first' },
  { role: 'assistant', content: 'calling', tool_calls: [{ id: 'c1', tool: 'task', arguments: {} }] },
  { role: 'user', content: 'second' },
  { role: 'assistant', content: [{ type: 'text', text: 'done' }], thinking_text: 'hm' },
];

async function pythonSession(): Promise<TempWorkspace> {
  const lines = transcript.map((message) => JSON.stringify(message)).join('\n');
  return TempWorkspace.create({
    [`${ID}/transcript.jsonl`]: lines,
    [`${ID}/metadata.json`]: JSON.stringify(metadata, null, 2),
  });
}

describe('a session of the Python CLI', () => {
  it('is listed and read as it is, and not written', async () => {
    await using workspace = await pythonSession();
    await using store = await FileSessionStore.open({ folder: workspace.path });
    const [listed] = (await store.list()).sessions;
    expect(listed).toMatchObject({
      session_id: ID,
      foreign: true,
      created: '2025-11-06T10:00:00.123Z',
      turn_count: 2,
    });
    const messages = await store.messages(ID);
    expect(messages.map(({ seq, turn, role }) => [seq, turn, role])).toEqual([
      [1, 1, 'user'],
      [2, 1, 'assistant'],
      [3, 2, 'user'],
      [4, 2, 'assistant'],
    ]);
    expect((await store.tail(ID, 1))[0]).toMatchObject({ thinking_text: 'hm' });
    await expect(store.open(ID)).rejects.toMatchObject({ code: 'SESSION_FOREIGN', message: /adopt it/ });
    await expect(store.fork(ID)).rejects.toMatchObject({ code: 'SESSION_FOREIGN' });
  });

  it('goes on as a session of ours, mended, and stays untouched itself', async () => {
    await using workspace = await pythonSession();
    const before = await readFile(workspace.resolve(ID, 'transcript.jsonl'));
    await using store = await FileSessionStore.open({ folder: workspace.path });
    const id = await store.adopt(ID);
    expect(await store.adopt(ID)).toBe(id);
    expect(await store.adopt(id)).toBe(id);
    const log = await store.open(id);
    await log.appendMessages([{ role: 'user', content: 'third' }]);
    const roles = (await store.messages(id)).map(({ role }) => role);
    expect(roles).toEqual(['user', 'assistant', 'tool', 'assistant', 'user', 'assistant', 'user']);
    expect(log.metadata).toMatchObject({
      imported_from: { format: 'python-cli', session_id: ID },
      config: { session: {} },
      model: 'm-1',
      turn_count: 3,
    });
    expect(await readFile(workspace.resolve(ID, 'transcript.jsonl'))).toEqual(before);
  });

  it('is an error that names the line when it is damaged, never an empty conversation', async () => {
    await using workspace = await pythonSession();
    await workspace.write(`${ID}/transcript.jsonl`, `${JSON.stringify(transcript[0])}\nbroken\n`);
    await using store = await FileSessionStore.open({ folder: workspace.path });
    await expect(store.messages(ID)).rejects.toMatchObject({ code: 'SESSION_CORRUPT', message: /line 2/ });
    await workspace.write(`${ID}/metadata.json`, '{');
    await expect(store.metadata(ID)).rejects.toMatchObject({
      code: 'SESSION_CORRUPT',
      message: /metadata\.json/,
    });
  });
});
