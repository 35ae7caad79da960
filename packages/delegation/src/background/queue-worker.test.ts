import { once } from 'node:events';
import { systemClock } from '@amplifier/core';
import { openRunQueue } from '@amplifier/sessions';
import { TempWorkspace } from '@amplifier/testkit';
import { expect, it } from 'vitest';
import { type ClaimedRun, QueueWorker, type RunAgain, type RunEnd } from './queue-worker.js';

it('executes what is submitted at once, and what others left only when asked to', async () => {
  await using folder = await TempWorkspace.create();
  await using queue = await openRunQueue(folder.resolve('record.db'));
  const performed: string[] = [];
  const perform = async ({ run, assign }: ClaimedRun): Promise<RunEnd> => {
    performed.push(run.run_id);
    if (run.run_id === 'bad') throw new Error('It cannot be executed.');
    await assign('s2');
    return { result: { status: 'completed' } };
  };
  const worker = new QueueWorker({
    queue,
    store: { has: async () => false },
    clock: systemClock,
    report: () => {},
    kinds: {
      job: {
        ...{ name: 'jobs', limit: 8, isAwaited: false, createsSession: true, perform },
        failed: () => ({ result: { status: 'failed' } }),
      },
    },
  });
  worker.start();
  await queue.enqueue({ session_id: 's', run_id: 'left', kind: 'job' });
  const submit = (run_id: string) =>
    queue.enqueueClaimed({ session_id: 's', run_id, line: run_id, kind: 'job' });
  const claim = await submit('own');
  expect(claim.run).toMatchObject({ run_id: 'own', status: 'running' });
  await worker.execute(claim);
  expect(await queue.get('own')).toMatchObject({ session_id: 's2', result: { status: 'completed' } });
  await worker.execute(await submit('bad'));
  expect((await queue.get('bad'))?.result).toEqual({ status: 'failed' });
  expect(performed).toEqual(['own', 'bad']);
  await worker.claimAll('job');
  expect((await queue.get('left'))?.status).toBe('finished');
  await worker.close();
});

it('puts a run back that has to be tried again, and cancels at once what has no grace', async () => {
  await using folder = await TempWorkspace.create();
  await using queue = await openRunQueue(folder.resolve('record.db'));
  const cancelled: string[] = [];
  let onHanging = () => {};
  const hanging = new Promise<void>((resolve) => {
    onHanging = resolve;
  });
  const perform = async ({ run, claim }: ClaimedRun): Promise<RunAgain> => {
    if (run.payload.tries === 0) return { again: { line: 'later', payload: { tries: 1 } } };
    onHanging();
    const { signal } = claim.cancellation;
    if (!signal.aborted) await once(signal, 'abort');
    cancelled.push(run.run_id);
    return { again: {} };
  };
  const worker = new QueueWorker({
    queue,
    store: { has: async () => false },
    clock: systemClock,
    report: () => {},
    kinds: {
      tries: {
        ...{ name: 'tries', limit: 8, createsSession: true, hasGrace: false, perform },
        failed: () => null,
      },
    },
  });
  worker.start();
  await queue.enqueue({ session_id: 's', run_id: 'r', kind: 'tries', payload: { tries: 0 } });
  await hanging;
  await worker.close();
  expect(new Set(cancelled)).toEqual(new Set(['r']));
  expect(await queue.get('r')).toMatchObject({
    status: 'queued',
    line: 'later',
    attempts: 0,
    payload: { tries: 1 },
  });
});

it('serves queues of other projects beside its own, each in its own way and until it is told to stop', async () => {
  await using folder = await TempWorkspace.create();
  await using queue = await openRunQueue(folder.resolve('record.db'));
  const worker = new QueueWorker({
    ...{ queue, clock: systemClock, report: () => {}, kinds: {} },
    store: { has: async () => true },
  });
  const serve = (project: string) => {
    const how = {
      name: project,
      limit: 1,
      perform: async () => ({ result: { status: 'completed', by: project } }),
      failed: () => null,
    };
    return worker.serveQueue('child', how, queue.of(project));
  };
  const run = (project: string, run_id: string) =>
    queue.of(project).enqueue({ run_id, session_id: run_id, kind: 'child' });
  const ended = async (run_id: string) => {
    for await (const { ended, result } of queue.watch(run_id)) if (ended !== null) return result;
    return null;
  };
  const stop = serve('a');
  serve('b');
  await run('a', 'one');
  await run('b', 'two');
  expect([await ended('one'), await ended('two')]).toMatchObject([{ by: 'a' }, { by: 'b' }]);
  await stop();
  await run('a', 'three');
  await run('b', 'four');
  expect(await ended('four')).toMatchObject({ by: 'b' });
  expect((await queue.get('three'))?.status).toBe('queued');
  expect(worker.health.map(({ name }) => name)).toEqual(['b', 'leases of runs']);
  await worker.close();
});

it('closes when the runs have ended that were being claimed, also those of other queues', async () => {
  // Close comes at each step of a claim once.
  for (let steps = 0; steps < 60; steps += 4) {
    await using folder = await TempWorkspace.create();
    await using queue = await openRunQueue(folder.resolve('record.db'));
    const open = new Set<string>();
    const perform = async ({ run }: ClaimedRun): Promise<RunEnd> => {
      open.add(run.run_id);
      await new Promise((resolve) => setImmediate(resolve));
      open.delete(run.run_id);
      return { result: {} };
    };
    const how = { name: 'children', limit: 8, createsSession: true, perform, failed: () => null };
    const worker = new QueueWorker({ ...bare, queue, kinds: {} });
    await queue.enqueue({ session_id: 's', run_id: 'r', kind: 'child' });
    worker.serveQueue('child', how, queue);
    for (let step = 0; step < steps; step++) await Promise.resolve();
    await worker.close();
    const { status } = (await queue.get('r')) ?? {};
    expect([open.size, status === 'running']).toEqual([0, false]);
  }
});

it('executes nothing that it gets after its grace has ended', async () => {
  await using folder = await TempWorkspace.create();
  await using queue = await openRunQueue(folder.resolve('record.db'));
  await queue.enqueue({ session_id: 's', run_id: 'r', kind: 'child' });
  const gate = deferred();
  const asked = deferred();
  const claim = queue.claim.bind(queue);
  queue.claim = async (options) => {
    const claimed = await claim(options);
    asked.resolve();
    await gate.promise;
    return claimed;
  };
  const performed: string[] = [];
  const perform = async ({ run }: ClaimedRun): Promise<RunEnd> => {
    performed.push(run.run_id);
    return { result: {} };
  };
  const how = { name: 'children', limit: 8, createsSession: true, perform, failed: () => null };
  const worker = new QueueWorker({ ...bare, queue, kinds: { child: how } });
  worker.start();
  await asked.promise;
  await worker.close(1, async () => gate.resolve());
  expect(performed).toEqual([]);
});

const bare = { store: { has: async () => true }, clock: systemClock, report: () => {} };

function deferred(): { promise: Promise<void>; resolve: () => void } {
  let resolve = () => {};
  const promise = new Promise<void>((done) => {
    resolve = done;
  });
  return { promise, resolve };
}
