import { existsSync, watch } from 'node:fs';
import { verifyRecord } from '@amplifier/host';
import { openDatabase, openSessionStore } from '@amplifier/sessions';
import { TempWorkspace } from '@amplifier/testkit';
import { expect, it } from 'vitest';
import { startActor } from '../packages/sessions/test-support/start-actor.js';

it('a process killed while it backs up leaves the record whole and no half a backup', async () => {
  await using folder = await TempWorkspace.create();
  await using store = await openSessionStore(folder.resolve('record.db'));
  const log = await store.create({ session_id: 's' });
  for (let at = 0; at < 40; at++) await log.appendMessages([{ role: 'user', content: 'x'.repeat(200_000) }]);
  const backup = folder.resolve('backup.db');
  await using actor = startActor(folder.path);
  let isUnderWay = false;
  const watcher = watch(folder.path, (_, name) => {
    if (name !== 'backup.db.part') return;
    isUnderWay = true;
    actor.process.kill('SIGKILL');
  });
  await expect(actor.ask('backup', { path: backup })).rejects.toMatchObject({ code: 'GONE' });
  watcher.close();
  expect(isUnderWay).toBe(true);
  if (existsSync(backup)) expect(await verifyRecord(backup)).toEqual({ sessions: 1, problems: [] });
  await log.appendMessages([{ role: 'user', content: 'and on' }]);
  expect(await verifyRecord(folder.resolve('record.db'))).toEqual({ sessions: 1, problems: [] });
  await using database = await openDatabase(folder.resolve('record.db'));
  await database.backup(backup);
  expect(existsSync(`${backup}.part`)).toBe(false);
  expect(await verifyRecord(backup)).toEqual({ sessions: 1, problems: [] });
  await using copy = await openSessionStore(backup);
  expect(await copy.tail('s', 1)).toMatchObject([{ seq: 41, content: 'and on' }]);
});
