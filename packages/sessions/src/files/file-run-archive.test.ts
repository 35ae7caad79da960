import { readdir, readFile, writeFile } from 'node:fs/promises';
import { TempWorkspace, VirtualClock } from '@amplifier/testkit';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { RUN_RETENTION_MS } from '../defaults.js';
import { MemoryRunQueue } from '../memory/memory-run-queue.js';
import { RunFold } from '../run-fold.js';
import type { RunQuery, RunQueue, RunRecord } from '../run-queue.js';
import { FileRunArchive } from './file-run-archive.js';
import { FileRunQueue } from './file-run-queue.js';

/** So small that the journal is folded away after every few runs. */
const journalBytes = 2_000;

async function runOne(queue: RunQueue, run_id: string, session_id = 's'): Promise<void> {
  await queue.enqueue({ session_id, run_id, kind: 'turn', payload: { text: `für ${run_id}` } });
  const claim = await queue.claim();
  if (claim) await queue.finish(claim, { text: `end of ${run_id}` });
}

async function ids(queue: RunQueue, query: RunQuery = {}): Promise<string[]> {
  return (await queue.list(query)).map(({ run_id }) => run_id);
}

function archives(folder: string): Promise<string[]> {
  return readdir(folder).then((names) => names.filter((name) => name.startsWith('ended.')));
}

describe('runs that have ended', () => {
  it('leave snapshot and journal, and are found as before', async () => {
    await using workspace = await TempWorkspace.create();
    const folder = workspace.resolve('queue');
    const names = Array.from({ length: 40 }, (_, at) => `r${at}`);
    const queue = await FileRunQueue.open({ folder, journalBytes });
    await queue.enqueue({ session_id: 'waits', run_id: 'waits', kind: 'other' });
    for (const [at, name] of names.entries()) {
      await queue.enqueue({ session_id: `s${at % 2}`, run_id: name, kind: 'turn', payload: { at } });
      const claim = await queue.claim({ kinds: ['turn'] });
      if (claim) await queue.finish(claim, { at });
    }
    const before = await queue.list();
    await queue.close();
    expect((await archives(folder)).length).toBeGreaterThan(3);
    const snapshot = JSON.parse(await readFile(workspace.resolve('queue/runs.json'), 'utf8'));
    expect(snapshot.runs.length).toBeLessThan(10);

    await using again = await FileRunQueue.open({ folder, journalBytes });
    expect(await again.list()).toEqual(before);
    expect(await again.get('r3')).toMatchObject({
      status: 'finished',
      payload: { at: 3 },
      result: { at: 3 },
    });
    expect(await again.get('r99')).toBeNull();
    expect(await ids(again, { order: 'newest', limit: 3, session_id: 's1' })).toEqual(['r39', 'r37', 'r35']);
    expect(await ids(again, { order: 'newest', limit: 2, before: 10 })).toEqual(['r7', 'r6']);
    expect(await ids(again, { status: ['queued', 'running'] })).toEqual(['waits']);
    // An id is taken for as long as its run can be seen.
    expect(await again.enqueue({ session_id: 's0', run_id: 'r2', kind: 'turn' })).toEqual(before[3]);
    expect(await again.claim({ kinds: ['turn'] })).toBeNull();
  });

  it('are given up after a week, with their files', async () => {
    await using workspace = await TempWorkspace.create();
    const folder = workspace.resolve('queue');
    const clock = new VirtualClock();
    const queue = await FileRunQueue.open({ folder, journalBytes, clock });
    for (let at = 0; at < 20; at++) await runOne(queue, `old${at}`);
    await clock.advance(RUN_RETENTION_MS + 1);
    for (let at = 0; at < 20; at++) await runOne(queue, `new${at}`);
    await queue.close();
    await using again = await FileRunQueue.open({ folder, journalBytes, clock });
    expect(await again.get('old0')).toBeNull();
    expect((await ids(again)).filter((id) => id.startsWith('new')).length).toBe(20);
    const texts = await Promise.all(
      (await archives(folder)).map((name) => readFile(`${folder}/${name}`, 'utf8')),
    );
    expect(texts.join('')).not.toContain('"old0"');
  });

  it('that a process had begun to put away when it died are there once', async () => {
    await using workspace = await TempWorkspace.create();
    const folder = workspace.resolve('queue');
    const queue = await FileRunQueue.open({ folder });
    for (let at = 0; at < 5; at++) await runOne(queue, `r${at}`);
    await queue.close();
    // The archive was written, the snapshot that names it was not.
    await writeFile(`${folder}/ended.2.jsonl`, 'half of it');
    const after = await FileRunQueue.open({ folder, journalBytes });
    for (let at = 5; at < 10; at++) await runOne(after, `r${at}`);
    await after.close();
    await using again = await FileRunQueue.open({ folder });
    expect(await ids(again)).toEqual(Array.from({ length: 10 }, (_, at) => `r${at}`));
    const texts = await Promise.all(
      (await archives(folder)).map((name) => readFile(`${folder}/${name}`, 'utf8')),
    );
    expect(texts.join('')).not.toContain('half of it');
  });

  it('are there when the snapshot that was to leave them out could not be written', async () => {
    await using workspace = await TempWorkspace.create({ 'queue/.keep': '' });
    const fold = new RunFold(() => '2000', new FileRunArchive(workspace.resolve('queue')));
    const end = (run_id: string) => {
      const run = { run_id, session_id: 's', kind: 'k', payload: {}, enqueued: '2026', not_before: null };
      fold.apply({ op: 'enqueue', run });
      fold.apply({ op: 'cancel', run_id, at: '2026', reason: 'x' });
    };
    const snapshot = async (generation: number, before: Buffer | null) => {
      await fold.prepareDump(generation, before);
      return Buffer.from(fold.dump(generation));
    };
    fold.load(null);
    end('first');
    const written = await snapshot(2, null);
    end('second');
    await snapshot(3, written);
    end('third');
    const next = await snapshot(4, written);
    const reader = new RunFold(() => '2000', new FileRunArchive(workspace.resolve('queue')));
    reader.load(next);
    for (const id of ['first', 'second', 'third']) expect(reader.get(id)?.run_id).toBe(id);
  });

  it('are seen by every process alike, whoever puts them away', async () => {
    await using workspace = await TempWorkspace.create();
    const folder = workspace.resolve('queue');
    await using one = await FileRunQueue.open({ folder, journalBytes });
    await using other = await FileRunQueue.open({ folder, journalBytes });
    for (let at = 0; at < 30; at++) await runOne(at % 3 === 0 ? one : other, `r${at}`);
    expect(await one.list()).toEqual(await other.list());
    expect(await one.get('r0')).toEqual(await other.get('r0'));
    expect((await one.list()).length).toBe(30);
  });

  it('of the first version of the snapshot are kept', async () => {
    await using workspace = await TempWorkspace.create();
    const folder = workspace.resolve('queue');
    const memory = new MemoryRunQueue();
    await runOne(memory, 'old');
    await memory.enqueue({ session_id: 's', run_id: 'open', kind: 'turn' });
    const runs = (await memory.list()).map(({ line: _, ...run }) => ({ ...run, process: null }));
    await (await FileRunQueue.open({ folder })).close();
    const snapshot = { version: 1, generation: 1, seq: 2, runs, tokens: { s: runs[0]?.token } };
    await writeFile(`${folder}/runs.json`, JSON.stringify(snapshot));
    await using queue = await FileRunQueue.open({ folder });
    expect(await ids(queue)).toEqual(['old', 'open']);
    const claim = await queue.claim();
    expect([claim?.run.run_id, (claim?.token ?? 0) > (runs[0]?.token ?? 0)]).toEqual(['open', true]);
  });
});

describe('a queue whose journal is folded away all the time', () => {
  const step = fc.oneof(
    { weight: 4, arbitrary: fc.record({ op: fc.constant('enqueue' as const), at: fc.nat(3) }) },
    { weight: 4, arbitrary: fc.record({ op: fc.constant('work' as const), at: fc.nat(3) }) },
    fc.record({
      op: fc.constantFrom('cancel' as const, 'repeat' as const, 'reopen' as const),
      at: fc.nat(30),
    }),
  );

  it('says the same as one that never forgets', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 20, maxLength: 60 }), async (steps) => {
        await using workspace = await TempWorkspace.create();
        const folder = workspace.resolve('queue');
        const clock = new VirtualClock();
        const model = new MemoryRunQueue({ clock });
        let queue = await FileRunQueue.open({ folder, journalBytes: 700, clock });
        const both = <T>(act: (queue: RunQueue) => Promise<T>) => Promise.all([act(model), act(queue)]);
        let made = 0;
        for (const { op, at } of steps) {
          if (op === 'enqueue') {
            const run_id = `r${made++}`;
            await both((each) =>
              each.enqueue({ session_id: `s${at}`, run_id, kind: 'turn', payload: { at } }),
            );
          } else if (op === 'repeat') {
            await both((each) => each.enqueue({ session_id: 's0', run_id: `r${at}`, kind: 'turn' }));
          } else if (op === 'cancel') {
            await both((each) => each.cancel(`r${at}`, 'enough').catch(() => null));
          } else if (op === 'work') {
            await both(async (each) => {
              const claim = await each.claim();
              if (claim) await each.finish(claim, { at });
            });
          } else {
            await queue.close();
            queue = await FileRunQueue.open({ folder, journalBytes: 700, clock });
          }
          await clock.advance(1);
        }
        const queries: RunQuery[] = [
          {},
          { order: 'newest', limit: 4 },
          { session_id: 's1' },
          { status: 'cancelled' },
        ];
        for (const query of queries) {
          const [expected, found] = await both(async (each) => (await each.list(query)).map(told));
          expect(found).toEqual(expected);
        }
        await queue.close();
      }),
      { numRuns: 40 },
    );
  });
});

/** Without what only one of them decides. */
function told({ token: _, owner: __, ...run }: RunRecord): Partial<RunRecord> {
  return run;
}
