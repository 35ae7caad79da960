import { chmod, open, writeFile } from 'node:fs/promises';
import { TempWorkspace } from '@amplifier/testkit';
import { describe, expect, it } from 'vitest';
import { all, run } from '../database/database.js';
import { openDatabase, openSessionStore } from '../open-record.js';
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
    // Everything behind the tables' own first pages and the rows of the sessions.
    for (let at = 50 * 4_096; at < size; at += 4_096)
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

it('a damaged document is named: its text, its kind, a digest, a missing part, a session that is not there', async () => {
  await using folder = await TempWorkspace.create();
  const file = folder.resolve('record.db');
  const ids = ['text', 'kind', 'extra', 'digest', 'part', 'whole'];
  {
    await using store = await openSessionStore(file);
    for (const session_id of ids) {
      const documents = {
        launch: { version: 1, plan: { tools: [session_id] } },
        mount_plan: { of: session_id },
      };
      const log = await store.create({ session_id }, { documents });
      await log.update({ extra: { a: 1 } });
      await log.close();
    }
  }
  expect(await verifyRecord(file)).toEqual({ sessions: ids.length, problems: [] });
  await using database = await openDatabase(file);
  const change = (sql: string, ...values: string[]) => database.write(() => run(sql, ...values));
  const numberOf = (id: string) => `(SELECT n FROM sessions WHERE session_id = '${id}')`;
  const body = (id: string, kind: number, text: string) =>
    change(`UPDATE documents SET body = ?, plan = NULL WHERE place = ${numberOf(id)} * 4 + ${kind}`, text);
  await body('text', 0, '{"version":');
  await body('kind', 1, '"a text"');
  await body('extra', 3, 'no JSON');
  const planOf = (id: string) => `(SELECT plan FROM documents WHERE place = ${numberOf(id)} * 4)`;
  await change(`UPDATE plans SET body = '{"tools":["other"]}' WHERE hash = ${planOf('digest')}`);
  await database.read(() => all('PRAGMA foreign_keys = OFF'));
  await change(`DELETE FROM plans WHERE hash = ${planOf('part')}`);
  await change(`INSERT INTO documents (place, body) VALUES (9999 * 4, '{}')`);
  const { problems } = await verifyRecord(file);
  for (const named of [
    /^The document launch of session text is damaged: .*JSON/,
    /^The document mount_plan of session kind is damaged: it is of another kind\.$/,
    /^The document extra of session extra is damaged: .*JSON/,
    /^The stored plan or grant \S+ is not what its digest says\. Sessions with it: digest\.$/,
    /^The document launch of session part is damaged: a part that it refers to is missing\.$/,
    /^The document launch at 39996 belongs to no session\.$/,
  ])
    expect(problems).toContainEqual(expect.stringMatching(named));
  expect(problems.join()).not.toContain('whole');
});
