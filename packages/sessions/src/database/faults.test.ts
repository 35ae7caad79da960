import { TempWorkspace, VirtualClock } from '@amplifier/testkit';
import { describe, expect, it } from 'vitest';
import { LEASE_MS } from '../defaults.js';
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

  it('a session that could not be given back is opened again by its process, and then by others', async () => {
    await using folder = await TempWorkspace.create();
    const file = folder.resolve('record.db');
    const database = await SqliteDatabase.open(file);
    const leaseClock = new VirtualClock(Date.now());
    await using store = new SqlSessionStore(database, { leaseClock }, () => database.close());
    await using other = await openSessionStore(file, { leaseClock });
    const logs = [await store.create({ session_id: 'a' }), await store.create({ session_id: 'b' })];
    await database.read(() => get('PRAGMA query_only = ON'));
    for (const log of logs) {
      await expect(log.appendMessages(user('lost'))).rejects.toMatchObject({ code: 'STORAGE_DENIED' });
      await expect(log.close()).rejects.toMatchObject({ code: 'STORAGE_DENIED' });
    }
    await database.read(() => get('PRAGMA query_only = OFF'));
    const again = await store.open('a');
    await again.appendMessages(user('kept'));
    await expect(other.open('a')).rejects.toMatchObject({ code: 'SESSION_LOCKED' });
    await expect(other.open('b')).rejects.toMatchObject({ code: 'SESSION_LOCKED' });
    await leaseClock.advance(LEASE_MS / 2);
    const opened = () => other.open('b').then((log) => log.close());
    await expect.poll(() => opened().then(() => 'opened', String), { timeout: 10_000 }).toBe('opened');
    await expect(other.open('a')).rejects.toMatchObject({ code: 'SESSION_LOCKED' });
    expect((await other.messages('a')).map(({ content }) => content)).toEqual(['kept']);
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
