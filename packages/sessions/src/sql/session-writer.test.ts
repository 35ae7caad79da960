import { expect, it, vi } from 'vitest';
import { SqliteDatabase } from '../database/sqlite-database.js';
import { MOST_JOINED } from '../defaults.js';
import { SqlSessionStore } from './sql-session-store.js';

const said = (content: string) => [{ role: 'user' as const, content }];

async function openStore() {
  const database = await SqliteDatabase.open(':memory:');
  const store = new SqlSessionStore(database, {}, () => database.close());
  return { database, store, write: vi.spyOn(database, 'write') };
}

it('appends of a session are one write, and its end with them', async () => {
  const { database, store, write } = await openStore();
  const log = await store.create();
  const { commits } = database;
  write.mockClear();
  const appended = [log.appendMessages(said('one'), { trailing: true }), log.transition('active')];
  await Promise.all([...appended, log.update({ extra: { a: 1 } }), log.close()]);
  expect([write.mock.calls.length, database.commits - commits]).toEqual([1, 1]);
  expect(await store.owner(log.session_id)).toBeNull();
  const { message_count, event_count, status, extra } = await store.metadata(log.session_id);
  expect([message_count, event_count, status, extra]).toEqual([1, 3, 'active', { a: 1 }]);
  await store.close();
});

it('flush waits for what others asked for, and runs no transaction where nothing waits', async () => {
  const { database, store } = await openStore();
  const [one, other] = [await store.create(), await store.create()];
  const before = [database.commits, database.statements];
  await one.flush();
  expect([database.commits, database.statements]).toEqual(before);
  const appended = other.appendMessages(said('next'), { trailing: true });
  await one.flush();
  expect(database.commits).toBe((before[0] ?? 0) + 1);
  expect((await store.messages(other.session_id)).map(({ content }) => content)).toEqual(['next']);
  await appended;
  await store.close();
});

it('an append goes behind what others asked for since: it is never found without that', async () => {
  const { store, write } = await openStore();
  const [one, other] = [await store.create(), await store.create()];
  write.mockClear();
  await Promise.all([one, other, one].map((log) => log.appendMessages(said('next'))));
  expect(write).toHaveBeenCalledTimes(3);
  await store.close();
});

it('so many appends that they would hold up others are several writes', async () => {
  const { store, write } = await openStore();
  const log = await store.create();
  write.mockClear();
  const lines = Array.from({ length: MOST_JOINED + 1 }, (_, at) => log.appendMessages(said(String(at))));
  const numbered = (await Promise.all(lines)).flat();
  expect(write).toHaveBeenCalledTimes(2);
  expect(await store.messages(log.session_id)).toEqual(numbered);
  await store.close();
});

it('what follows a refused write of a session is refused, and leaves no gap', async () => {
  const { store, write } = await openStore();
  const [log, other] = [await store.create(), await store.create()];
  const lost = new Error('The disk is gone.');
  write.mockImplementationOnce(() => Promise.reject(lost));
  const first = log.appendMessages(said('lost'));
  const between = other.appendMessages(said('kept'));
  const second = log.appendMessages(said('after'));
  await expect(first).rejects.toBe(lost);
  await expect(second).rejects.toBe(lost);
  await between;
  await expect(log.appendMessages(said('later'))).rejects.toMatchObject({ code: 'LOG_BROKEN' });
  await log.close();
  expect(await store.messages(log.session_id)).toEqual([]);
  expect((await store.metadata(log.session_id)).message_count).toBe(0);
  await store.close();
});

it('an append that cannot be stored leaves no gap before the next one of its commit', async () => {
  const { store } = await openStore();
  const [log, other] = [await store.create(), await store.create()];
  const bad = log.update({ name: ['no text'] as unknown as string });
  const between = other.appendMessages(said('kept'));
  const after = log.update({ name: 'text' });
  await expect(bad).rejects.toThrow();
  await expect(after).rejects.toThrow();
  await between;
  expect((await store.events(log.session_id)).map(({ seq }) => seq)).toEqual([1]);
  await store.close();
});

it('an append may be of any length', async () => {
  const { store } = await openStore();
  const log = await store.create();
  const count = 150_000;
  await log.appendMessages(Array.from({ length: count }, () => ({ role: 'assistant', content: '' })));
  expect((await store.metadata(log.session_id)).message_count).toBe(count);
  expect((await store.tail(log.session_id, 1)).map(({ seq }) => seq)).toEqual([count]);
  await store.close();
});
