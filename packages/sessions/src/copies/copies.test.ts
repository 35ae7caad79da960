import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import {
  appendFile,
  cp,
  mkdir,
  readdir,
  readFile,
  rm,
  stat,
  symlink,
  truncate,
  writeFile,
} from 'node:fs/promises';
import { join } from 'node:path';
import { TempWorkspace } from '@amplifier/testkit';
import { expect, it } from 'vitest';
import { openDatabase } from '../open-record.js';
import { openRecord, projectCopies } from '../record.js';
import { SqlSessionStore } from '../sql/sql-session-store.js';
import { rebuildRecord } from './bring-back.js';

const user = (content: string) => [{ role: 'user' as const, content }];

it('copies that a killed process did not get to are made good by the next that opens the record', async () => {
  await using home = await TempWorkspace.create();
  const file = home.resolve('amplifier.db');
  const database = await openDatabase(file);
  const self = { pid: 1, start: 'dead', host: 'h', boot: null, namespace: null };
  const dead = new SqlSessionStore(database, { project: 'p', liveness: { self, isAlive: () => true } });
  const log = await dead.create({ session_id: 's' }, { messages: user('one') });
  await log.appendMessages(user('two'));
  const copies = projectCopies(home.resolve('projects'));
  const transcript = home.resolve('projects/p/sessions/s/transcript.jsonl');
  const alive = await openRecord(file, {
    project: 'p',
    copies,
    liveness: { self: { ...self, start: 'alive' }, isAlive: () => false },
  });
  await alive.close();
  const lines = (await readFile(transcript, 'utf8')).trimEnd().split('\n');
  expect(lines.map((line) => JSON.parse(line).content)).toEqual(['one', 'two']);
  await database.close();
});

it('closing a record does not wait for copies that take long; the next that opens it writes them', async () => {
  await using home = await TempWorkspace.create();
  const copies = { ...projectCopies(home.resolve('projects')), closeMs: 0 };
  const store = await openRecord(home.resolve('amplifier.db'), { project: 'p', copies });
  const log = await store.create({ session_id: 's' }, { messages: user('one') });
  await store.writeCopies();
  await log.appendMessages(user('two'));
  await log.close();
  await store.close();
  const said = async () => {
    const text = await readFile(home.resolve('projects/p/sessions/s/transcript.jsonl'), 'utf8');
    return text
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line).content);
  };
  expect(await said()).toEqual(['one']);
  const next = await openRecord(home.resolve('amplifier.db'), { project: 'p', copies });
  await next.writeCopies();
  expect(await said()).toEqual(['one', 'two']);
  await next.close();
});

it('the copy of a session is a folder with what it said, what happened, what it is and what it was launched with', async () => {
  await using home = await TempWorkspace.create();
  const copies = projectCopies(home.resolve('projects'));
  await using store = await openRecord(home.resolve('amplifier.db'), { project: 'p', copies });
  const launch = { version: 1, plan: { tools: [] } };
  const log = await store.create({ session_id: 's' }, { messages: user('one'), documents: { launch } });
  await log.appendEvents([{ name: 'a' }, { name: 'b' }]);
  await store.writeCopies();
  await log.appendMessages(user('two'));
  await log.close();
  await store.writeCopies();
  const read = (file: string) => readFile(home.resolve('projects/p/sessions/s', file), 'utf8');
  const lines = async (file: string) => (await read(file)).trimEnd().split('\n');
  expect((await lines('transcript.jsonl')).map((line) => JSON.parse(line))).toEqual(
    await store.messages('s'),
  );
  expect((await lines('events.jsonl')).map((line) => JSON.parse(line))).toEqual(await store.events('s'));
  expect(JSON.parse(await read('launch.json'))).toEqual(launch);
  expect(JSON.parse(await read('metadata.json'))).toMatchObject({ session_id: 's', message_count: 2 });
});

it('a copy is appended to, and of its other files only those are replaced that changed', async () => {
  await using home = await TempWorkspace.create();
  const copies = projectCopies(home.resolve('projects'));
  await using store = await openRecord(home.resolve('amplifier.db'), { project: 'p', copies });
  const launch = { version: 1, plan: { tools: [] } };
  const log = await store.create({ session_id: 's' }, { messages: user('one'), documents: { launch } });
  await store.writeCopies();
  const place = (file: string) => home.resolve('projects/p/sessions/s', file);
  const inodes = async () => {
    const files = ['transcript.jsonl', 'events.jsonl', 'launch.json', 'metadata.json'];
    return Promise.all(files.map(async (file) => (await stat(place(file))).ino));
  };
  const before = await inodes();
  await log.appendMessages(user('two'));
  await store.writeCopies();
  const [transcript, events, launched, metadata] = await inodes();
  expect([transcript, events, launched]).toEqual(before.slice(0, 3));
  expect(metadata).not.toBe(before[3]);
  await log.putDocument('launch', { ...launch, version: 2 });
  await log.close();
  await store.writeCopies();
  expect(JSON.parse(await readFile(place('launch.json'), 'utf8'))).toMatchObject({ version: 2 });
  expect((await inodes()).slice(0, 2)).toEqual(before.slice(0, 2));
});

it('a copy that was cut, changed or removed meanwhile is written again with the next change', async () => {
  await using home = await TempWorkspace.create();
  const copies = projectCopies(home.resolve('projects'));
  await using store = await openRecord(home.resolve('amplifier.db'), { project: 'p', copies });
  const log = await store.create({ session_id: 's' }, { messages: user('one') });
  await store.writeCopies();
  const folder = home.resolve('projects/p/sessions/s');
  const transcript = join(folder, 'transcript.jsonl');
  const texts = async () => {
    const lines = (await readFile(transcript, 'utf8')).trimEnd().split('\n');
    return lines.map((line) => JSON.parse(line).content);
  };
  const say = async (content: string) => {
    await log.appendMessages(user(content));
    await store.writeCopies();
  };
  await truncate(transcript, 10);
  await say('two');
  expect(await texts()).toEqual(['one', 'two']);
  await appendFile(transcript, '{"seq":9,"id":"foreign"}\n');
  await say('three');
  expect(await texts()).toEqual(['one', 'two', 'three']);
  await rm(folder, { recursive: true });
  await say('four');
  expect(await texts()).toEqual(['one', 'two', 'three', 'four']);
  expect(await readdir(folder)).toEqual(
    expect.arrayContaining(['.copy', 'events.jsonl', 'metadata.json', 'transcript.jsonl']),
  );
  await log.close();
});

it('no copies are written where they are switched off', async () => {
  await using home = await TempWorkspace.create();
  const copies = { ...projectCopies(home.resolve('projects')), isOff: true };
  const store = await openRecord(home.resolve('amplifier.db'), { project: 'p', copies });
  await (await store.create({ session_id: 's' }, { messages: user('one') })).close();
  await store.close();
  expect(existsSync(home.resolve('projects'))).toBe(false);
});

it('a deleted session does not come back from a copy whose removal was cut short', async () => {
  await using home = await TempWorkspace.create();
  const copies = projectCopies(home.resolve('projects'));
  const sessions = home.resolve('projects/p/sessions');
  const open = () => openRecord(home.resolve('amplifier.db'), { project: 'p', copies, adoptFrom: sessions });
  const store = await open();
  for (const session_id of ['s', 't'])
    await (await store.create({ session_id }, { messages: user('one') })).close();
  await store.writeCopies();
  await store.delete('s', { force: true });
  await store.emptyTrash(0);
  await store.close();
  expect(await readdir(sessions)).toEqual(['t']);
  // As a process leaves it that is killed in the middle: its mark is gone already, what it said is not.
  await cp(join(sessions, 't'), join(sessions, 's.removed'), { recursive: true });
  await rm(join(sessions, 's.removed', '.copy'));
  await using again = await open();
  expect((await again.list()).sessions.map(({ session_id }) => session_id)).toEqual(['t']);
  expect(await readdir(sessions)).toEqual(['t']);
});

it('what lies among the sessions and can be neither read nor removed keeps no record from opening', async () => {
  await using home = await TempWorkspace.create({ 'projects/p/sessions/mine.removed': 'not ours' });
  const sessions = home.resolve('projects/p/sessions');
  await mkdir(join(sessions, 'broken'));
  await writeFile(join(sessions, 'broken', 'metadata.json'), '{');
  await writeFile(join(sessions, 'broken', 'transcript.jsonl'), '{\n{\n');
  await symlink(join(sessions, 'nowhere'), join(sessions, 'broken', 'link'));
  await writeFile(join(sessions, 'only-a-file'), '');
  await mkdir(join(sessions, 'no session.removed'));
  const open = () =>
    openRecord(home.resolve('amplifier.db'), { project: 'p', adoptFrom: sessions, report: () => {} });
  for (let start = 0; start < 2; start++) {
    await using store = await open();
    expect((await store.list()).sessions).toEqual([]);
  }
  expect(await readdir(sessions)).toContain('no session.removed');
});

it('a session whose deletion was acknowledged to no client is gone with its copy when a process was killed in between', async () => {
  await using home = await TempWorkspace.create();
  const file = home.resolve('amplifier.db');
  const copies = projectCopies(home.resolve('projects'));
  const kept = home.resolve('projects/p/sessions');
  const first = await openRecord(file, { project: 'p', copies });
  for (const session_id of ['gone', 'stays'])
    await (await first.create({ session_id }, { messages: user('one') })).close();
  await first.close();
  expect((await readdir(kept)).sort()).toEqual(['gone', 'stays']);
  // The record has deleted it, and nothing beside the record has been removed.
  const program = `
    import { openSessionStore } from '@amplifier/sessions';
    const store = await openSessionStore(${JSON.stringify(file)}, { project: 'p' });
    store.follow({ remove: async () => process.kill(process.pid, 'SIGKILL'), close: async () => {} });
    await store.delete('gone', { force: true });`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', program], { cwd: import.meta.dirname });
  expect(await once(child, 'exit')).toEqual([null, 'SIGKILL']);
  expect(await readdir(kept)).toContain('gone');
  const next = await openRecord(file, { project: 'p', copies });
  expect((await next.list()).sessions.map(({ session_id }) => session_id)).toEqual(['stays']);
  await next.writeCopies();
  expect(await readdir(kept)).toEqual(['stays']);
  await next.emptyTrash(0);
  await next.close();
  await rebuildRecord(file, copies, () => {});
  await using rebuilt = await openRecord(file, { project: 'p', copies });
  expect((await rebuilt.list()).sessions.map(({ session_id }) => session_id)).toEqual(['stays']);
});

it('a copy whose last line is long is appended to, and not written again', async () => {
  await using home = await TempWorkspace.create();
  const copies = projectCopies(home.resolve('projects'));
  const open = () => openRecord(home.resolve('amplifier.db'), { project: 'p', copies });
  const store = await open();
  const transcript = home.resolve('projects/p/sessions/s/transcript.jsonl');
  const log = await store.create({ session_id: 's' }, { messages: user('first') });
  await log.appendMessages(user('ü'.repeat(600_000)));
  await log.close();
  await store.close();
  // A change that only a file that is kept still has.
  await writeFile(transcript, (await readFile(transcript, 'utf8')).replace('first', 'FIRST'));
  await using next = await open();
  await using again = await next.open('s');
  await again.appendMessages(user('last'));
  await next.writeCopies();
  const lines = (await readFile(transcript, 'utf8')).trimEnd().split('\n');
  expect(lines.map((line) => JSON.parse(line).content.slice(0, 5))).toEqual(['FIRST', 'üüüüü', 'last']);
});
