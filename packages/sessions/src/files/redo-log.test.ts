import { cp, mkdir, readdir, rm, truncate } from 'node:fs/promises';
import { join } from 'node:path';
import { TempWorkspace } from '@amplifier/testkit';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Liveness } from '../process-identity.js';
import { FileSessionStore } from './file-session-store.js';

/** The machine before and after a power cut: whoever lived in an earlier boot is dead. */
function boot(name: string): Liveness {
  return {
    self: { pid: 1, start: '1', host: 'h', boot: name, namespace: null },
    isAlive: (other) => other.boot === name,
  };
}

const before = boot('before');
const after = boot('after');
const report = () => undefined;
const user = (content: string) => ({ role: 'user' as const, content });

async function openBefore(workspace: TempWorkspace): Promise<FileSessionStore> {
  return FileSessionStore.open({ folder: workspace.resolve('sessions'), liveness: before, report });
}

/** What the disk holds when the power goes: a copy of the store, with `damage` done to what was never flushed. */
async function powerCut(
  workspace: TempWorkspace,
  damage: (folder: string) => Promise<void>,
): Promise<FileSessionStore> {
  const folder = workspace.resolve('after');
  await rm(folder, { recursive: true, force: true });
  await cp(workspace.resolve('sessions'), folder, { recursive: true });
  await damage(folder);
  return FileSessionStore.open({ folder, liveness: after, report });
}

const contents = async (store: FileSessionStore, id: string) =>
  (await store.messages(id)).map(({ content }) => content);

describe('after a power cut', () => {
  it('a new session that never reached the disk is there, with its documents', async () => {
    await using workspace = await TempWorkspace.create();
    await using store = await openBefore(workspace);
    await store.create(
      { session_id: 's' },
      { documents: { launch: { version: 1 } }, messages: [user('hello')] },
    );
    await using recovered = await powerCut(workspace, (folder) => rm(join(folder, 's'), { recursive: true }));
    expect(await contents(recovered, 's')).toEqual(['hello']);
    expect(await recovered.document('s', 'launch')).toEqual({ version: 1 });
    expect((await recovered.list()).sessions.map(({ session_id }) => session_id)).toEqual(['s']);
    expect(await readdir(workspace.resolve('after/.redo'))).toEqual([]);
  });

  it('every acknowledged line is there, whatever the files lost', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.record({ session: fc.nat(3), text: fc.string(), loss: fc.nat(400) }), { maxLength: 20 }),
        async (appends) => {
          await using workspace = await TempWorkspace.create();
          await using store = await openBefore(workspace);
          const logs = await Promise.all(
            Array.from({ length: 4 }, (_, at) => store.create({ session_id: `s${at}` })),
          );
          await Promise.all(appends.map(({ session, text }) => logs[session]?.appendMessages([user(text)])));
          await using recovered = await powerCut(workspace, async (folder) => {
            for (const { session, loss } of appends) {
              const path = join(folder, `s${session}`, 'transcript.jsonl');
              await truncate(path, loss);
              await rm(join(folder, `s${session}`, 'metadata.json'), { force: true });
            }
          });
          for (const at of logs.keys()) {
            const expected = appends.filter(({ session }) => session === at).map(({ text }) => text);
            expect(await contents(recovered, `s${at}`)).toEqual(expected);
          }
        },
      ),
      { numRuns: 30 },
    );
  });

  it('what the redo log itself lost was never acknowledged, and is left out', async () => {
    await using workspace = await TempWorkspace.create();
    await using store = await openBefore(workspace);
    const log = await store.create({ session_id: 's' });
    await log.appendMessages([user('one')]);
    await log.appendMessages([user('two')]);
    const [name = ''] = await readdir(workspace.resolve('sessions/.redo'));
    const text = await workspace.read(`sessions/.redo/${name}`);
    await using recovered = await powerCut(workspace, async (folder) => {
      await truncate(join(folder, '.redo', name), text.indexOf('"two"') + 2);
      await rm(join(folder, 's'), { recursive: true });
    });
    expect(await contents(recovered, 's')).toEqual(['one']);
  });

  it('a birth of which the redo log has a part never was, and the store opens', async () => {
    await using workspace = await TempWorkspace.create();
    await using store = await openBefore(workspace);
    await store.create({ session_id: 's' }, { documents: { launch: { version: 1 } } });
    await store.create({ session_id: 'half' }, { documents: { launch: { version: 1 } } });
    const [name = ''] = await readdir(workspace.resolve('sessions/.redo'));
    const text = await workspace.read(`sessions/.redo/${name}`);
    for (const file of ['launch.json', 'events.jsonl', 'transcript.jsonl']) {
      await using recovered = await powerCut(workspace, async (folder) => {
        await truncate(join(folder, '.redo', name), text.indexOf(`"half","${file}"`));
        for (const id of ['s', 'half']) await rm(join(folder, id), { recursive: true });
      });
      expect((await recovered.list()).sessions.map(({ session_id }) => session_id)).toEqual(['s']);
      expect(await recovered.has('half')).toBe(false);
    }
  });

  it('a document that was replaced since stays the later one', async () => {
    await using workspace = await TempWorkspace.create();
    await using store = await openBefore(workspace);
    const log = await store.create({ session_id: 's' }, { documents: { launch: { version: 1 } } });
    await log.putDocument('launch', { version: 2 });
    await using recovered = await powerCut(workspace, async () => undefined);
    expect(await recovered.document('s', 'launch')).toEqual({ version: 2 });
  });

  it('a deleted session stays deleted, and can be brought back whole', async () => {
    await using workspace = await TempWorkspace.create();
    await using store = await openBefore(workspace);
    const log = await store.create({ session_id: 's' }, { messages: [user('hello')] });
    await log.close();
    await store.delete('s');
    await using recovered = await powerCut(workspace, async () => undefined);
    expect(await recovered.has('s')).toBe(false);
    await recovered.restore('s');
    expect(await contents(recovered, 's')).toEqual(['hello']);
  });

  it('what an owner wrote after it was shut out is not put back', async () => {
    await using workspace = await TempWorkspace.create();
    await using store = await openBefore(workspace);
    await (await store.create({ session_id: 's' })).close();
    const old = await store.open('s', { lease: 1 });
    await old.appendMessages([user('one')]);
    await using rival = await openBefore(workspace);
    const current = await rival.open('s', { lease: 2 });
    await expect(old.appendMessages([user('too late, and longer than what follows')])).rejects.toMatchObject({
      code: 'FENCED',
    });
    await current.appendMessages([user('two')]);
    await using recovered = await powerCut(workspace, async () => undefined);
    expect(await contents(recovered, 's')).toEqual(['one', 'two']);
  });
});

describe('the redo log', () => {
  it('is gone when a store is closed', async () => {
    await using workspace = await TempWorkspace.create();
    const store = await openBefore(workspace);
    await store.create({ session_id: 's' });
    expect(await readdir(workspace.resolve('sessions/.redo'))).toHaveLength(1);
    await store.close();
    expect(await readdir(workspace.resolve('sessions/.redo'))).toEqual([]);
  });

  it('is settled by the next to open the store when its process was killed', async () => {
    await using workspace = await TempWorkspace.create();
    const folder = workspace.resolve('sessions');
    await using store = await openBefore(workspace);
    await store.create({ session_id: 's' });
    const dead: Liveness = { self: { ...before.self, start: '2' }, isAlive: ({ start }) => start === '2' };
    const next = await FileSessionStore.open({ folder, liveness: dead, report });
    expect(await readdir(workspace.resolve('sessions/.redo'))).toHaveLength(1);
    await next.close();
    expect(await readdir(workspace.resolve('sessions/.redo'))).toEqual([]);
  });

  it('is not needed: where it cannot be written, each session is flushed by itself', async () => {
    await using workspace = await TempWorkspace.create();
    await mkdir(workspace.resolve('sessions'));
    await workspace.write('sessions/.redo', 'a file stands where the folder should be');
    const codes: string[] = [];
    await using store = await FileSessionStore.open({
      folder: workspace.resolve('sessions'),
      report: ({ code }) => void codes.push(code),
    });
    const log = await store.create({ session_id: 's' });
    await log.appendMessages([user('one')]);
    expect(await contents(store, 's')).toEqual(['one']);
    expect(codes).toEqual(['REDO_NOT_WRITTEN']);
  });
});
