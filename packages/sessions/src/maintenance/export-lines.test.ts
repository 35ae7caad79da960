import { expect, it } from 'vitest';
import { openMemoryStore } from '../open-record.js';
import { exportLines, readExport } from '../record.js';

it('lines of an export are the session again, and a cut or broken copy is refused', async () => {
  await using store = await openMemoryStore();
  const messages = [{ role: 'user' as const, content: 'ü\u2028' }];
  await store.create({ session_id: 's' }, { messages, documents: { launch: { v: 1 } } });
  const lines: string[] = [];
  for await (const line of exportLines(await store.export('s'))) lines.push(line);
  expect(await readExport(lines)).toEqual({
    session_id: 's',
    documents: { launch: { v: 1 } },
    events: await store.events('s'),
    messages: await store.messages('s'),
    mail: [],
  });
  for (const broken of [
    lines.slice(0, -1),
    lines.slice(1),
    ['{}'],
    [],
    ['not json'],
    [...lines.slice(0, 2), '{'],
  ])
    await expect(readExport(broken)).rejects.toMatchObject({ code: 'INVALID_EXPORT' });
});
