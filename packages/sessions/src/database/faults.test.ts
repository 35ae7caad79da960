import { chmod, open } from 'node:fs/promises';
import { TempWorkspace } from '@amplifier/testkit';
import { describe, expect, it } from 'vitest';
import { openSessionStore } from '../open-record.js';
import { SqlSessionStore } from '../sql/sql-session-store.js';
import { verifyRecord } from '../verify-record.js';
import { get } from './database.js';
import { SqliteDatabase } from './sqlite-database.js';

const user = (content: string) => [{ role: 'user' as const, content }];
const isRoot = process.getuid?.() === 0;

/** A record of twenty sessions with a few pages each. */
async function filled(file: string): Promise<void> {
  await using store = await openSessionStore(file);
  for (let at = 0; at < 20; at++) {
    const log = await store.create({ session_id: `s-${at}` });
    await log.appendMessages(user('x'.repeat(9_000)));
    await log.close();
  }
  await using database = await SqliteDatabase.open(file);
  await database.compact();
}

describe('what goes wrong under the record', () => {
  it('a full disk refuses what does not fit, keeps what was there, and takes more when there is room', async () => {
    await using folder = await TempWorkspace.create();
    const database = await SqliteDatabase.open(folder.resolve('record.db'));
    await using store = new SqlSessionStore(database, {}, () => database.close());
    const log = await store.create({ session_id: 's' }, { messages: user('safe') });
    const pages = await database.read(() => get<{ page_count: number }>('PRAGMA page_count'));
    await database.read(() => get(`PRAGMA max_page_count = ${(pages?.page_count ?? 0) + 1}`));
    const asked = [log.appendMessages(user('x'.repeat(100_000))), log.appendMessages(user('fits'))];
    for (const each of await Promise.allSettled(asked))
      expect(each).toMatchObject({ status: 'rejected', reason: { code: 'STORAGE_FULL' } });
    await expect(log.appendMessages(user('more'))).rejects.toMatchObject({ code: 'LOG_BROKEN' });
    await log.close();
    expect((await store.messages('s')).map(({ content }) => content)).toEqual(['safe']);
    await database.read(() => get('PRAGMA max_page_count = 1000000'));
    await (await store.open('s')).appendMessages(user('again'));
    expect((await store.messages('s')).map(({ seq }) => seq)).toEqual([1, 2]);
  });

  it('a place that cannot be a file is named', async () => {
    await using folder = await TempWorkspace.create({ file: 'not a folder' });
    const place = folder.resolve('file/record.db');
    await expect(openSessionStore(place)).rejects.toMatchObject({
      code: expect.stringMatching(/^STORAGE_/),
      message: expect.stringContaining(place),
    });
  });

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
    expect((await verifyRecord(file)).problems).not.toEqual([]);
  });
});
