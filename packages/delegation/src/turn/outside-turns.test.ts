import {
  CancellationToken,
  jsonDigest,
  NO_USAGE,
  type Tool,
  type ToolResult,
  toolSuccess,
} from '@amplifier/core';
import { describe, expect, it, vi } from 'vitest';
import { delegating, delegationBench, gate, type Scene } from '../../test-support/delegation-bench.js';
import { QUESTION_ASKED, QUESTION_CLOSED } from '../engine/questions.js';
import { Limits } from '../metering/limits.js';
import { Tree } from '../metering/tree.js';
import { createChild } from './create-child.js';

const setting = (cwd: string) => ({ cwd, trusted: true, safety_mode: 'write' as const });

describe('a session that an entry point created itself', () => {
  async function made() {
    const bench = await delegationBench();
    const log = await bench.store.create({ session_id: 'mine' });
    await log.appendMessages([{ role: 'user', content: 'My name is Ada.' }]);
    // As a copy of another session would bring along.
    await log.update({ extra: { turn: 7, outcome_turn: 7, outcome: { status: 'completed' } } });
    await log.close();
    const request = async () => ({ plan: bench.rootPlan, ...setting(bench.workspace.path) });
    return { bench, adopt: () => bench.delegator.adopt('mine', request) };
  }

  it('is given a record, keeps its conversation, and is run', async () => {
    const { bench, adopt } = await made();
    await using _ = bench;
    const record = await adopt();
    expect(record).toMatchObject({ session_id: 'mine', root_id: 'mine', depth: 0, parent_id: null });
    expect(await adopt()).toEqual(record);
    const { outcome } = await bench.delegator.resume('mine', 'Who am I?', { call_id: 'run-1' });
    expect(outcome).toMatchObject({ status: 'completed', session_id: 'mine' });
    expect(JSON.stringify(bench.model.requests[0]?.messages)).toContain('My name is Ada.');
  });

  it('knows its turns by the names the entry point gave them', async () => {
    const { bench, adopt } = await made();
    await using _ = bench;
    await adopt();
    expect(await bench.delegator.startedBy('mine', 'run-1')).toBeNull();
    const { outcome } = await bench.delegator.resume('mine', 'Go.', { call_id: 'run-1' });
    expect(await bench.delegator.startedBy('mine', 'run-1')).toEqual({ turn: 1, outcome });
    await bench.delegator.resume('mine', 'Go on.', { call_id: 'run-2' });
    expect(await bench.delegator.startedBy('mine', 'run-1')).toBeNull();
  });
});

describe('limits of one turn', () => {
  it('hold for its children together, and for no other turn', async () => {
    const task = { agent: 'explorer', instruction: 'Look.', context_depth: 'none' };
    const scene: Scene = (_, { system, calls }) =>
      system.includes('root') && calls === 0 ? delegating(task, task, task) : { text: 'Done.' };
    await using bench = await delegationBench({ scene });
    const { session_id } = await bench.root('Go.', { limits: { max_children: 10 } });
    const children = async () => (await bench.store.children(session_id)).length;
    expect(await children()).toBe(3);
    await bench.delegator.resume(session_id, 'Again.', { limits: { max_children: 2 } });
    expect(await children()).toBe(5);
    await bench.delegator.resume(session_id, 'Again.', { limits: { max_children: 9 } });
    expect(await children()).toBe(8);
    await bench.delegator.resume(session_id, 'Again.', { limits: { max_children: 9 } });
    expect(await children()).toBe(10);
  });

  it('count what the turn had spent before its process died, and leave the tree as it is without any', async () => {
    const tree = new Tree('root', Limits.parse({ max_tokens: 1_000 }));
    const children_before = 0;
    const untouched = { limits: { ...tree.limits, timeout: 1, max_turns: 2 }, children_before };
    expect(tree.forTurn(untouched, NO_USAGE)).toBe(tree);
    const limits = { ...tree.limits, max_tokens: 100 };
    const turn = tree.forTurn({ limits, children_before }, { ...NO_USAGE, total_tokens: 60 });
    expect(await turn.budget.reserve({ tokens: 41, cost_usd: null })).toEqual({ refused: 'tokens' });
    expect(await turn.budget.reserve({ tokens: 40, cost_usd: null })).toHaveProperty('settle');
    expect(tree.budget.remaining.tokens).toBe(1_000);
  });

  it('count the children that the turn had before its process died', () => {
    const tree = new Tree('root', Limits.parse({ max_children: 10 }), 5);
    const turn = tree.forTurn({ limits: { ...tree.limits, max_children: 3 }, children_before: 3 }, NO_USAGE);
    expect([turn.admitChild(3), turn.admitChild(3)]).toEqual([true, false]);
    expect(tree.children).toBe(6);
  });
});

describe('a child that an entry point launched and whose process died, continued while its parent is in a turn of its own', () => {
  /** The child is at work again, in the middle of a tool; `ended` tells how it ends once it may `go` on. */
  async function atWork() {
    const [entered, go] = [gate<void>(), gate<void>()];
    const wait: Tool = {
      name: 'wait',
      description: 'Waits.',
      inputSchema: { type: 'object' },
      execute: async () => {
        entered.resolve();
        await go.promise;
        return toolSuccess('waited');
      },
    };
    const scene: Scene = (_, { results }) =>
      results.length === 0 ? { tool_calls: [{ name: 'wait' }] } : { text: 'Done.' };
    const bench = await delegationBench({ scene, tools: [wait] });
    const root = await bench.liveRoot();
    const outside = new CancellationToken();
    const parent = await bench.delegator.parent(root.parent.session_id, { cancellation: outside });
    const request = {
      agent: 'explorer',
      instruction: 'Look.',
      context_depth: 'none',
      tool_call_id: 'run-1',
    };
    await (await createChild(bench.store, await bench.delegator.plan(request, parent))).close();
    const ended = bench.delegator.finishCall(parent, { id: 'run-1', session_id: null });
    await entered.promise;
    return {
      bench,
      outside,
      ended,
      go: () => go.resolve(),
      root_id: root.parent.session_id,
      async [Symbol.asyncDispose]() {
        await root[Symbol.asyncDispose]();
        await bench[Symbol.asyncDispose]();
      },
    };
  }

  it('goes on when that turn is cancelled', async () => {
    await using work = await atWork();
    await work.bench.delegator.control.cancel(work.root_id, {
      level: 'immediate',
      by: 'ada',
      subtree: false,
    });
    work.go();
    expect(await work.ended).toMatchObject({ outcome: { status: 'completed', text: 'Done.' } });
  });

  it('stops when its entry point says so', async () => {
    await using work = await atWork();
    work.outside.request('graceful');
    work.go();
    expect(await work.ended).toMatchObject({ outcome: { status: 'cancelled' } });
  });
});

describe('a question that a dead process asked', () => {
  /** A session in the middle of a turn whose process died while it waited for approval to use the tool. */
  async function left(reask: boolean, digest: string | null = jsonDigest(['guarded', {}])) {
    const asked: string[] = [];
    const guarded = {
      name: 'guarded',
      description: '',
      inputSchema: {},
      execute: async (): Promise<ToolResult> => ({ success: true, output: 'done it' }),
    };
    const guard = {
      mount: ({ hooks }: { hooks: { register: (event: string, handler: () => Promise<object>) => void } }) =>
        hooks.register('tool:pre', async () => ({
          action: 'ask_user',
          approval_prompt: 'May I?',
          approval_options: ['Allow', 'Deny'],
          approval_timeout: 1,
        })),
    };
    const scene: Scene = (_, { results }) =>
      reask && !results.some((text) => text.includes('done it'))
        ? { tool_calls: [{ name: 'guarded' }] }
        : { text: 'Done.' };
    const bench = await delegationBench({
      scene,
      tools: [guarded],
      modules: { 'hooks-guard': guard as never },
      plan: { hooks: ['hooks-guard'] },
      withoutTimeout: true,
      onQuestion: ({ id }) => asked.push(id),
    });
    await (await bench.store.create({ session_id: 'cut' })).close();
    const request = async () => ({ plan: bench.rootPlan, ...setting(bench.workspace.path) });
    await bench.delegator.adopt('cut', request);
    const log = await bench.store.open('cut');
    const start = {
      prompt: 'Go.',
      after: 0,
      usage: log.metadata.usage,
      parent_id: null,
      tool_call_id: 'run-1',
    };
    const { grant, limits, safety_mode } = (await bench.store.document('cut', 'launch')) as never;
    await log.update({
      extra: { turn: 1, turn_start: { ...start, grant, limits, safety_mode, background: false } },
    });
    await log.transition('active');
    await log.appendMessages([
      { role: 'user', content: 'Go.' },
      { role: 'assistant', content: '', tool_calls: [{ id: 'c1', tool: 'guarded', arguments: {} }] },
    ]);
    const question = {
      id: 'q1',
      kind: 'approval',
      prompt: 'May I?',
      options: ['Allow', 'Deny'],
      agent: null,
      digest,
    };
    await log.appendEvents([{ name: QUESTION_ASKED, data: question }]);
    await log.close();
    return { bench, asked };
  }
  const names = async (bench: Awaited<ReturnType<typeof left>>['bench'], name: string) =>
    (await bench.store.events('cut')).filter((event) => event.name === name);

  it('is taken up under its own id, and an answer that came meanwhile counts', async () => {
    const { bench, asked } = await left(true);
    await using _ = bench;
    expect(await bench.delegator.startedBy('cut', 'run-1')).toEqual({ turn: 1, outcome: null });
    await bench.delegator.control.answer('cut', 'q1', 'Allow', 'ada');
    const { outcome } = await bench.delegator.continue('cut');
    expect(outcome).toMatchObject({ status: 'completed', text: 'Done.' });
    expect(asked).toEqual([]);
    expect(await names(bench, QUESTION_ASKED)).toHaveLength(1);
  });

  it('waits on for its answer', async () => {
    const { bench } = await left(true);
    await using _ = bench;
    const ended = bench.delegator.continue('cut');
    await bench.delegator.control.answer('cut', 'q1', 'Allow');
    expect((await ended).outcome.status).toBe('completed');
    expect(await names(bench, QUESTION_ASKED)).toHaveLength(1);
  });

  it.each([
    ['another call', jsonDigest(['guarded', { other: true }])],
    ['no call, as in records of earlier versions', null],
  ])('is not taken up in the same words when it was about %s', async (_about, digest) => {
    const { bench, asked } = await left(true, digest);
    await using _ = bench;
    await bench.delegator.control.answer('cut', 'q1', 'Allow');
    const ended = bench.delegator.continue('cut');
    await vi.waitFor(() => expect(asked).toHaveLength(1), { timeout: 60_000, interval: 5 });
    expect(asked).not.toContain('q1');
    await bench.delegator.control.answer('cut', asked[0] ?? '', 'Allow');
    expect((await ended).outcome.status).toBe('completed');
    expect(await names(bench, QUESTION_CLOSED)).toMatchObject([{ data: { id: 'q1' } }]);
  });

  it('is closed when the turn ends without asking again', async () => {
    const { bench } = await left(false);
    await using _ = bench;
    await bench.delegator.continue('cut');
    expect(await names(bench, QUESTION_CLOSED)).toMatchObject([{ data: { id: 'q1' } }]);
    expect(await bench.delegator.control.questions('cut')).toEqual([]);
  });

  it('goes with its turn when that is cancelled, also while the status is still that of the turn before', async () => {
    const { bench } = await left(true);
    await using _ = bench;
    const log = await bench.store.open('cut');
    await log.transition('terminated');
    await log.close();
    expect(await bench.delegator.control.cancel('cut', { by: 'ada' })).toEqual(['cut']);
    const [outcome] = await bench.delegator.control.wait(['cut']);
    expect(outcome).toMatchObject({ status: 'cancelled', by: 'ada' });
    expect((await bench.store.metadata('cut')).status).toBe('terminated');
  });

  it('leaves a turn that is interrupted until it is continued', async () => {
    const { bench } = await left(true);
    await using _ = bench;
    const outcome = await bench.delegator.interrupt('cut');
    expect(outcome).toMatchObject({ status: 'interrupted', error: { code: 'INTERRUPTED' } });
    expect(await bench.delegator.interrupt('cut')).toEqual(outcome);
    expect(await bench.store.metadata('cut')).toMatchObject({ status: 'active', interrupted: true });
    await bench.delegator.control.answer('cut', 'q1', 'Allow');
    expect((await bench.delegator.continue('cut')).outcome.status).toBe('completed');
  });
});
