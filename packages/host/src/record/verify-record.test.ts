import { chmod, open, writeFile } from 'node:fs/promises';
import { openDatabase, openSessionStore, run } from '@amplifier/sessions';
import { TempWorkspace } from '@amplifier/testkit';
import { describe, expect, it } from 'vitest';
import { verifyRecord } from './verify-record.js';

const isRoot = process.getuid?.() === 0;

/** A record of twenty sessions with a few pages each. */
async function filled(file: string): Promise<void> {
  await using store = await openSessionStore(file);
  for (let at = 0; at < 20; at++) {
    const log = await store.create({ session_id: `s-${at}` });
    await log.appendMessages([{ role: 'user', content: 'x'.repeat(9_000) }]);
    await log.close();
  }
  await using database = await openDatabase(file);
  await database.compact();
}

describe('what goes wrong under the record', () => {
  it.skipIf(isRoot)(
    'a read-only folder is refused by name, and the record in it is still whole',
    async () => {
      await using folder = await TempWorkspace.create();
      const file = folder.resolve('home/record.db');
      await filled(file);
      await chmod(file, 0o400);
      await chmod(folder.resolve('home'), 0o500);
      await expect(openSessionStore(file)).rejects.toMatchObject({
        code: 'STORAGE_DENIED',
        message: expect.stringContaining(file),
      });
      await chmod(folder.resolve('home'), 0o700);
      await chmod(file, 0o600);
      expect(await verifyRecord(file)).toEqual({ sessions: 20, problems: [] });
    },
  );

  it('a damaged page is an error where it is met, never an empty session', async () => {
    await using folder = await TempWorkspace.create();
    const file = folder.resolve('record.db');
    await filled(file);
    const handle = await open(file, 'r+');
    const { size } = await handle.stat();
    // Everything behind the tables' own first pages.
    for (let at = 40 * 4_096; at < size; at += 4_096)
      await handle.write(Buffer.alloc(4_096, 0xff), 0, 4_096, at);
    await handle.close();
    await using store = await openSessionStore(file);
    const codes = new Set<string>();
    for (let at = 0; at < 20; at++) {
      const read = await store.messages(`s-${at}`).then(
        (messages) => `${messages.length} messages`,
        (error) => String(error.code),
      );
      codes.add(read);
    }
    expect([...codes].filter((code) => !['1 messages', 'SESSION_CORRUPT'].includes(code))).toEqual([]);
    expect(codes).toContain('SESSION_CORRUPT');
    const { problems } = await verifyRecord(file);
    expect(problems).toContainEqual(expect.stringMatching(/^Session s-\d+ cannot be read: .*malformed\.$/));
    expect(problems.join(), 'they are verifying it').not.toContain('record verify');
  });
});

it('a session that is listed as something else than its messages and events lead to is named', async () => {
  await using folder = await TempWorkspace.create();
  const file = folder.resolve('record.db');
  await filled(file);
  await using database = await openDatabase(file);
  const sql = "UPDATE sessions SET turn_count = 7, status = 'failed' WHERE session_id = 's-7'";
  await database.write(() => run(sql));
  const { sessions, problems } = await verifyRecord(file);
  expect([sessions, problems]).toEqual([20, [expect.stringMatching(/s-7 .*status, turn_count/)]]);
});

it('what a fork shares is not counted as its own', async () => {
  await using folder = await TempWorkspace.create();
  const file = folder.resolve('record.db');
  await using store = await openSessionStore(file);
  const log = await store.create();
  await log.appendMessages([
    { role: 'user', content: 'asked' },
    { role: 'assistant', content: 'answered', agent: 'helper' },
  ]);
  const fork = await store.fork(log.session_id);
  await fork.appendMessages([{ role: 'assistant', content: 'more', agent: 'helper' }]);
  await Promise.all([log.close(), fork.close()]);
  expect(await verifyRecord(file)).toEqual({ sessions: 2, problems: [] });
});

it('a record that cannot be opened is what is wrong, and stays where it is', async () => {
  await using folder = await TempWorkspace.create();
  const file = folder.resolve('record.db');
  await writeFile(file, 'no database any more, and long enough to have been one');
  expect(await verifyRecord(file)).toEqual({
    sessions: 0,
    problems: ['The record cannot be opened: file is not a database.'],
  });
  expect(await folder.read('record.db')).toMatch(/^no database/);
});
