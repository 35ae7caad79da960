import { existsSync } from 'node:fs';
import {
  appendFile,
  chmod,
  chown,
  cp,
  mkdir,
  readdir,
  readFile,
  rm,
  truncate,
  writeFile,
} from 'node:fs/promises';
import { TempWorkspace, VirtualClock } from '@amplifier/testkit';
import { describe, expect, it } from 'vitest';
import { startActor } from '../../torture/start-actor.js';
import type { NewMessage } from '../records.js';
import { FileSessionStore } from './file-session-store.js';

const user = (content: string): NewMessage => ({ role: 'user', content });
const quiet = () => undefined;
const isRoot = process.getuid?.() === 0;
const NOBODY = 65_534;

/** A session with three messages, closed, and the folder it lies in. */
async function oneSession(workspace: TempWorkspace): Promise<string> {
  await using store = await FileSessionStore.open({ folder: workspace.path });
  await store.create({ session_id: 's' }, { messages: [user('one'), user('two'), user('three')] });
  return workspace.resolve('s');
}

const reopen = (workspace: TempWorkspace) => FileSessionStore.open({ folder: workspace.path, report: quiet });

describe('damage on disk', () => {
  it('cuts a torn last line, says so, and never shows it', async () => {
    await using workspace = await TempWorkspace.create();
    const folder = await oneSession(workspace);
    await appendFile(`${folder}/transcript.jsonl`, '{"id":"msg_4","seq":4,"rol');
    await appendFile(`${folder}/events.jsonl`, '\0\0\0\0');
    await using store = await reopen(workspace);
    expect(await store.messages('s')).toHaveLength(3);
    const log = await store.open('s');
    expect(log.mended.map(({ file, line }) => [file.split('/').at(-1), line])).toEqual([
      ['transcript.jsonl', 4],
      ['events.jsonl', 2],
    ]);
    await log.appendMessages([user('four')]);
    expect((await store.messages('s')).map(({ seq }) => seq)).toEqual([1, 2, 3, 4]);
  });

  it('keeps a last line that lacks only its line break', async () => {
    await using workspace = await TempWorkspace.create();
    const folder = await oneSession(workspace);
    const text = await readFile(`${folder}/transcript.jsonl`, 'utf8');
    const line = JSON.stringify({ ...JSON.parse(text.split('\n')[2] ?? ''), seq: 4, turn: 4 });
    await appendFile(`${folder}/transcript.jsonl`, line);
    await using store = await reopen(workspace);
    const log = await store.open('s');
    expect(log.mended).toEqual([]);
    expect(log.metadata.message_count).toBe(4);
  });

  it('names file and line of garbage in the middle, and serves the other sessions', async () => {
    await using workspace = await TempWorkspace.create();
    const folder = await oneSession(workspace);
    const lines = (await readFile(`${folder}/transcript.jsonl`, 'utf8')).split('\n');
    lines[1] = '%%%';
    await writeFile(`${folder}/transcript.jsonl`, lines.join('\n'));
    await rm(`${folder}/metadata.json`);
    await using store = await reopen(workspace);
    const damaged = { code: 'SESSION_CORRUPT', message: /transcript\.jsonl, line 2/ };
    await expect(store.messages('s')).rejects.toMatchObject(damaged);
    await expect(store.open('s')).rejects.toMatchObject(damaged);
    await store.create({ session_id: 't' });
    expect((await store.list()).sessions).toHaveLength(2);
    lines.splice(1, 1);
    await writeFile(`${folder}/transcript.jsonl`, lines.join('\n'));
    await expect(store.messages('s')).rejects.toMatchObject({
      code: 'SESSION_CORRUPT',
      message: /message 3 follows/,
    });
  });

  it('refuses a transcript that was cut, until a person accepts it by removing the cache', async () => {
    await using workspace = await TempWorkspace.create();
    const folder = await oneSession(workspace);
    const first = (await readFile(`${folder}/transcript.jsonl`, 'utf8')).indexOf('\n') + 1;
    for (const length of [0, first + 5]) {
      await truncate(`${folder}/transcript.jsonl`, length);
      await using store = await reopen(workspace);
      const cut = { code: 'SESSION_CORRUPT', message: /transcript\.jsonl: the file has \d+ bytes/ };
      await expect(store.messages('s')).rejects.toMatchObject(cut);
      await expect(store.tail('s', 1)).rejects.toMatchObject(cut);
      await expect(store.open('s')).rejects.toMatchObject(cut);
    }
    await rm(`${folder}/transcript.jsonl`);
    await using store = await reopen(workspace);
    await expect(store.messages('s')).rejects.toMatchObject({
      code: 'SESSION_CORRUPT',
      message: /is missing/,
    });
    await writeFile(`${folder}/transcript.jsonl`, '');
    await rm(`${folder}/metadata.json`);
    expect(await store.messages('s')).toEqual([]);
  });

  it.each(['', '{"version":1', 'null', '{"version":1,"storage":5}'])(
    'makes metadata again from the logs (%j)',
    async (text) => {
      await using workspace = await TempWorkspace.create();
      const folder = await oneSession(workspace);
      await using store = await reopen(workspace);
      const before = await store.metadata('s');
      await writeFile(`${folder}/metadata.json`, text);
      expect(await store.metadata('s')).toEqual(before);
      await rm(`${folder}/metadata.json`);
      expect(await store.metadata('s')).toEqual(before);
    },
  );

  it('makes the index again when it is lost, damaged or wrong', async () => {
    await using workspace = await TempWorkspace.create();
    await oneSession(workspace);
    const ids = async () => {
      await using store = await reopen(workspace);
      return (await store.list()).sessions.map(({ session_id }) => session_id);
    };
    await rm(workspace.resolve('.index'), { recursive: true });
    expect(await ids()).toEqual(['s']);
    await reopen(workspace).then(async (store) => {
      expect(await store.rebuildIndex()).toBe(1);
      await store.close();
    });
    expect(existsSync(workspace.resolve('index.json'))).toBe(true);
    expect(await ids()).toEqual(['s']);
    await writeFile(workspace.resolve('index.json'), '{"generation":1,"sess');
    expect(await ids()).toEqual(['s']);
    await rm(workspace.resolve('.index'), { recursive: true });
    const ghost = { created: '2026-01-01T00:00:00.000Z', status: 'active' };
    await writeFile(
      workspace.resolve('index.json'),
      JSON.stringify({ version: 1, generation: 1, sessions: { ghost } }),
    );
    expect(await ids()).toEqual(['s']);
    await appendFile(workspace.resolve('.index/index.1.jsonl'), '{"session_id":"half');
    await using store = await reopen(workspace);
    await store.create({ session_id: 't' });
    expect((await store.list()).sessions).toHaveLength(2);
  });

  it('is not confused by a clock that is set back', async () => {
    await using workspace = await TempWorkspace.create();
    const clock = new VirtualClock('2026-05-01T00:00:00.000Z');
    await using store = await FileSessionStore.open({ folder: workspace.path, clock });
    const log = await store.create({}, { messages: [user('one')] });
    clock.set('2020-01-01T00:00:00.000Z');
    await log.appendMessages([user('two')]);
    await log.transition('active');
    await store.create({ session_id: 'older' });
    await log.close();
    expect((await store.messages(log.session_id)).map(({ content }) => content)).toEqual(['one', 'two']);
    expect((await store.metadata(log.session_id)).updated).toBe('2026-05-01T00:00:00.000Z');
    const first = await store.list({ limit: 1 });
    const second = await store.list({ limit: 1, cursor: first.next_cursor ?? '' });
    expect([...first.sessions, ...second.sessions].map(({ session_id }) => session_id)).toEqual([
      log.session_id,
      'older',
    ]);
  });
});

describe('a disk that refuses', () => {
  it('is full: the append fails with the file named, what was acknowledged stays, and it goes on when there is room', async () => {
    await using workspace = await TempWorkspace.create();
    // A limit on file size stands in for a full disk: writes stop half way just the same.
    const limited = (command: string[]) => [
      'bash',
      '-c',
      'trap \'\' XFSZ; ulimit -f 100; exec "$@"',
      'bash',
      ...command,
    ];
    await using actor = startActor(workspace.path, {}, limited);
    const id = await actor.ask<string>('create', { session: { session_id: 's' } });
    await expect(actor.ask('fill', { id, bytes: 9_000 })).rejects.toMatchObject({
      code: 'STORAGE_FULL',
      message: /transcript\.jsonl.*Free some space/,
    });
    await expect(actor.ask('append', { id, text: 'x' })).rejects.toMatchObject({ code: 'LOG_BROKEN' });
    await actor.kill('SIGKILL');
    await using store = await FileSessionStore.open({ folder: workspace.resolve('sessions') });
    const log = await store.open('s');
    expect(log.mended).toEqual([]);
    const whole = await store.messages('s');
    expect(whole).toHaveLength(11);
    expect(whole.every(({ content }) => content.length === 9_000)).toBe(true);
    await log.appendMessages([user('goes on')]);
    expect((await store.tail('s', 1))[0]?.seq).toBe(12);
  });

  it.runIf(isRoot)('may not be written, or no longer: the folder is named, reading goes on', async () => {
    await using workspace = await TempWorkspace.create();
    await chmod(workspace.path, 0o755);
    await mkdir(workspace.resolve('sessions'));
    await mkdir(workspace.resolve('queue'));
    for (const name of ['sessions', 'queue']) await chown(workspace.resolve(name), NOBODY, NOBODY);
    await using actor = startActor(workspace.path, { uid: NOBODY, gid: NOBODY });
    const id = await actor.ask<string>('create', { session: { session_id: 's' } });
    await actor.ask('append', { id, text: 'one' });
    await chmod(workspace.resolve('sessions'), 0o555);
    await expect(actor.ask('create', { session: { session_id: 't' } })).rejects.toMatchObject({
      code: 'STORAGE_DENIED',
      message: /sessions/,
    });
    await chown(workspace.resolve('sessions/s'), 0, 0);
    await expect(actor.ask('open', { id: 's' })).rejects.toMatchObject({
      code: expect.stringMatching(/STORAGE_DENIED/),
    });
    await actor.kill('SIGKILL');
    await using store = await FileSessionStore.open({ folder: workspace.resolve('sessions') });
    expect(await store.messages('s')).toHaveLength(1);
    expect((await readdir(workspace.resolve('sessions'))).filter((name) => name.startsWith('.new-'))).toEqual(
      [],
    );
  });
});

it('tells listing and feed what an owner wrote that died before it told them', async () => {
  await using workspace = await TempWorkspace.create();
  const [folder, found] = [workspace.resolve('sessions'), workspace.resolve('found')];
  const self = { pid: 1, start: 'doomed', host: 'test', boot: null, namespace: null };
  const doomed = await FileSessionStore.open({ folder, liveness: { self, isAlive: () => true } });
  const cursor = await doomed.feedCursor();
  const log = await doomed.create({ session_id: 's' });
  await log.transition('active');
  await cp(folder, found, { recursive: true });
  await log.appendEvents([{ name: 'untold' }]);
  await log.transition('completed');
  // What is found: the session as it became, beside a listing and a feed as they were.
  await cp(`${folder}/s`, `${found}/s`, { recursive: true });
  const expected = await doomed.events('s');
  await doomed.close();

  const liveness = { self: { ...self, start: 'heir' }, isAlive: () => false };
  await using store = await FileSessionStore.open({ folder: found, report: quiet, liveness });
  expect((await store.list({ status: 'active' })).sessions).toHaveLength(1);
  expect(await store.recover()).toEqual(['s']);
  expect((await store.list({ status: 'completed' })).sessions).toHaveLength(1);
  const told: unknown[] = [];
  for await (const { event } of store.feed({ after: cursor })) {
    told.push(event);
    if (told.length === expected.length) break;
  }
  expect(told).toEqual(expected);
});

it('keeps what it writes to its owner', async () => {
  await using workspace = await TempWorkspace.create();
  const folder = workspace.resolve('sessions');
  await using store = await FileSessionStore.open({ folder });
  const log = await store.create({}, { documents: { launch: {} }, messages: [user('x')] });
  await store.send({ to: log.session_id, kind: 'message', body: {} });
  const { stat } = await import('node:fs/promises');
  const modes = new Set<string>();
  for (const name of await readdir(folder, { recursive: true })) {
    const found = await stat(`${folder}/${name}`);
    modes.add(`${found.isDirectory() ? 'd' : 'f'}${(found.mode & 0o777).toString(8)}`);
  }
  expect([...modes].sort()).toEqual(['d700', 'f600']);
});
