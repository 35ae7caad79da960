import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { TempWorkspace } from '@amplifier/testkit';
import { expect, it } from 'vitest';
import { SqliteDatabase } from '../database/sqlite-database.js';
import { openSessionStore } from '../open-record.js';
import { SqlSessionStore } from '../sql/sql-session-store.js';
import { projectCopies } from './copy-layout.js';

const user = (content: string) => [{ role: 'user' as const, content }];

it('copies that a killed process did not get to are made good by the next that opens the record', async () => {
  await using home = await TempWorkspace.create();
  const file = home.resolve('amplifier.db');
  const database = await SqliteDatabase.open(file);
  const self = { pid: 1, start: 'dead', host: 'h', boot: null, namespace: null };
  const dead = new SqlSessionStore(database, { project: 'p', liveness: { self, isAlive: () => true } });
  const log = await dead.create({ session_id: 's' }, { messages: user('one') });
  await log.appendMessages(user('two'));
  const copies = projectCopies(home.resolve('projects'));
  const transcript = home.resolve('projects/p/sessions/s/transcript.jsonl');
  const alive = await openSessionStore(file, {
    project: 'p',
    copies,
    liveness: { self: { ...self, start: 'alive' }, isAlive: () => false },
  });
  await alive.close();
  const lines = (await readFile(transcript, 'utf8')).trimEnd().split('\n');
  expect(lines.map((line) => JSON.parse(line).content)).toEqual(['one', 'two']);
  await database.close();
});

it('no copies are written where they are switched off', async () => {
  await using home = await TempWorkspace.create();
  const copies = { ...projectCopies(home.resolve('projects')), isOff: true };
  const store = await openSessionStore(home.resolve('amplifier.db'), { project: 'p', copies });
  await (await store.create({ session_id: 's' }, { messages: user('one') })).close();
  await store.close();
  expect(existsSync(home.resolve('projects'))).toBe(false);
});
