import { TempWorkspace } from '@amplifier/testkit';
import { describe, expect, it } from 'vitest';
import { openSessionStore } from '../open-record.js';
import { SqlSessionStore } from '../sql/sql-session-store.js';
import { get } from './database.js';
import { SqliteDatabase } from './sqlite-database.js';

const user = (content: string) => [{ role: 'user' as const, content }];

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
});
