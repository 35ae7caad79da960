import { type JsonObject, ModuleLoader, type ToolResult } from '@amplifier/core';
import { VirtualClock } from '@amplifier/testkit';
import { grantForSafetyMode } from '@amplifier/workspace';
import { describe, expect, it, vi } from 'vitest';
import {
  delegating,
  delegationBench,
  fromAnotherProcess,
  gate,
  type Scene,
} from '../../test-support/delegation-bench.js';
import { Delegator } from '../delegator.js';
import type { Question } from '../engine/questions.js';
import { type Outcome, outcomeText } from '../request/outcome.js';

// Other processes are started here, which takes its time on a busy machine.
vi.setConfig({ testTimeout: 90_000 });

/** Children wait in the tool `work` until they are let go, by the text of their task. */
function workers() {
  const started = new Map<string, ReturnType<typeof gate<void>>>();
  const go = new Map<string, ReturnType<typeof gate<void>>>();
  const named = (gates: typeof go, name: string) => {
    const known = gates.get(name) ?? gate<void>();
    gates.set(name, known);
    return known;
  };
  const work = {
    name: 'work',
    description: '',
    inputSchema: {},
    execute: async ({ name }: Record<string, unknown>): Promise<ToolResult> => {
      named(started, String(name)).resolve();
      await named(go, String(name)).promise;
      return { success: true, output: 'worked' };
    },
  };
  const scene: Scene = ({ messages }, { prompt }) =>
    messages.some(({ role }) => role === 'tool')
      ? { text: `Done: ${prompt}` }
      : { text: 'At work.', tool_calls: [{ name: 'work', arguments: { name: prompt } }] };
  return {
    scene,
    tools: [work],
    started: (name: string) => named(started, name).promise,
    letGo: (name: string) => named(go, name).resolve(),
  };
}

async function team(names: string[], more: object = {}) {
  const { scene, tools, started, letGo } = workers();
  const bench = await delegationBench({ scene, tools, background: true, ...more });
  const root = await bench.liveRoot();
  const ids: string[] = [];
  for (const name of names) {
    const request = { agent: 'explorer', instruction: name, background: true, context_depth: 'none' };
    const { launch } = await bench.delegator.delegate(request, root.parent);
    ids.push(launch.session_id);
  }
  await Promise.all(names.map(started));
  return {
    bench,
    control: bench.delegator.control,
    parent: root.parent,
    ids,
    letGo,
    async [Symbol.asyncDispose]() {
      for (const name of names) letGo(name);
      await root[Symbol.asyncDispose]();
      await bench[Symbol.asyncDispose]();
    },
  };
}

describe('looking after children', () => {
  it('waits for one, for all, and for the first of several', async () => {
    await using live = await team(['a', 'b']);
    const [a = '', b = ''] = live.ids;
    const first = live.control.wait([a, b], { any: true });
    live.letGo('b');
    expect((await first).map(({ session_id }) => session_id)).toEqual([b]);
    const all = live.control.wait([a, b]);
    live.letGo('a');
    expect((await all).map(({ status }) => status)).toEqual(['completed', 'completed']);
    expect(await live.control.wait([a])).toHaveLength(1);
  });

  it('wakes a worker for a child whose process dies while it is waited for', async () => {
    const end = new AbortController();
    let isWaitedFor = false;
    const wake = () => {
      if (isWaitedFor) void bench.worker?.serve(end.signal);
    };
    await using bench = await delegationBench({ background: true, runInBackground: wake });
    await using root = await bench.liveRoot();
    const { control } = bench.delegator;
    const request = { agent: 'explorer', instruction: 'x', background: true };
    const { launch } = await bench.delegator.delegate(request, root.parent);
    // At the first looks it has an owner, as while its process is exiting.
    const owner = bench.store.owner.bind(bench.store);
    const looks = vi.fn();
    bench.store.owner = async (session_id) => {
      looks();
      return looks.mock.calls.length <= 4 ? owner(root.parent.session_id) : owner(session_id);
    };
    isWaitedFor = true;
    expect(await control.wait([launch.session_id])).toMatchObject([{ status: 'completed' }]);
    end.abort();
  });

  it('stops waiting when told to', async () => {
    await using live = await team(['a']);
    const stop = new AbortController();
    const waiting = live.control.wait(live.ids, { signal: stop.signal });
    stop.abort();
    expect(await waiting).toEqual([]);
    expect(await live.control.wait(live.ids, { signal: AbortSignal.abort() })).toEqual([]);
  });

  it('reads status and progress', async () => {
    await using live = await team(['a']);
    const [a = ''] = live.ids;
    expect(await live.control.status(a)).toMatchObject({
      status: 'active',
      agent: 'explorer',
      messages: 2,
      outcome: null,
    });
    live.letGo('a');
    await live.control.wait([a]);
    expect(await live.control.status(a)).toMatchObject({
      status: 'completed',
      outcome: { status: 'completed' },
    });
  });

  it('sends a message that the child reads at its next step, once', async () => {
    await using live = await team(['a']);
    const [a = ''] = live.ids;
    await live.control.message(a, 'Hurry up.');
    live.letGo('a');
    const [outcome] = await live.control.wait([a]);
    expect(outcome).toMatchObject({ text: 'Done: Hurry up.' });
    const lines = await live.bench.store.messages(a);
    expect(lines.filter(({ content }) => content === 'Hurry up.')).toHaveLength(1);
  });

  it('cancels one child and leaves the others alone', async () => {
    await using live = await team(['a', 'b']);
    const [a = '', b = ''] = live.ids;
    expect(await live.control.cancel(a, { by: 'me' })).toEqual([a]);
    live.letGo('a');
    const [outcome] = await live.control.wait([a]);
    expect(outcome).toMatchObject({ status: 'cancelled', by: 'me', partial_text: 'At work.' });
    expect((await live.control.status(b)).status).toBe('active');
  });

  it('tells one that runs elsewhere before it opens its log, which may be waited for', async () => {
    await using live = await team(['a']);
    const [a = ''] = live.ids;
    const { store } = live.bench;
    const toldBefore: string[][] = [];
    const patient = Object.create(store, {
      open: {
        value: async (session_id: string) => {
          toldBefore.push((await store.mail(session_id)).map(({ kind }) => kind));
          return store.open(session_id);
        },
      },
    });
    const elsewhere = new Delegator({ store: patient, loader: new ModuleLoader({ builtins: {} }) });
    expect(await elsewhere.control.cancel(a, { by: 'me' })).toEqual([a]);
    expect(toldBefore).toEqual([['cancel']]);
    live.letGo('a');
    expect(await live.control.wait([a])).toMatchObject([{ status: 'cancelled', by: 'me' }]);
  });

  it('ends a child that nobody runs yet, and tells its parent', async () => {
    await using bench = await delegationBench({ background: true, runInBackground: () => {} });
    await using root = await bench.liveRoot();
    const { control } = bench.delegator;
    const { launch } = await bench.delegator.delegate(
      { agent: 'explorer', instruction: 'x', background: true },
      root.parent,
    );
    expect(await control.cancel(launch.session_id, { by: 'me' })).toEqual([launch.session_id]);
    expect(await control.status(launch.session_id)).toMatchObject({
      status: 'terminated',
      outcome: { status: 'cancelled', by: 'me' },
    });
    expect(await control.cancel(launch.session_id)).toEqual([]);
    expect(await bench.store.mail(root.parent.session_id)).toMatchObject([
      { kind: 'completion', body: { status: 'cancelled' } },
    ]);
    expect(await bench.queue?.claim()).toBeNull();
  });

  it('refuses what is not there', async () => {
    await using live = await team([]);
    await expect(live.control.status('nobody')).rejects.toMatchObject({ code: 'SESSION_NOT_FOUND' });
    await expect(live.control.message('nobody', 'x')).rejects.toMatchObject({ code: 'SESSION_NOT_FOUND' });
    await expect(
      live.control.descendant(live.parent.session_id, live.parent.session_id),
    ).rejects.toMatchObject({
      code: 'SESSION_NOT_FOUND',
    });
  });
});

describe('looking after children from another process', () => {
  it('waits, reads status, sends messages and cancels', async () => {
    await using live = await team(['a', 'b']);
    const [a = '', b = ''] = live.ids;
    const status = await fromAnotherProcess(live.bench, 'status', a);
    expect(status.result).toMatchObject({ status: 'active', messages: 2 });
    await fromAnotherProcess(live.bench, 'message', a, 'From afar.');
    expect(
      (await fromAnotherProcess(live.bench, 'cancel', b, { by: 'afar', level: 'graceful' })).result,
    ).toEqual([b]);
    live.letGo('b');
    const waiting = fromAnotherProcess(live.bench, 'wait', [a, b]);
    live.letGo('a');
    const { result } = await waiting;
    expect(result).toMatchObject([
      { status: 'completed', text: 'Done: From afar.' },
      { status: 'cancelled', by: 'afar' },
    ]);
  });
});

describe('cancelling a tree', () => {
  it.each(['graceful', 'immediate'] as const)('stops everything below, %s', async (level) => {
    const { tools, started, letGo } = workers();
    const scene: Scene = (_, { system, calls }) => {
      if (system.includes('planner') && calls === 0)
        return delegating(
          { agent: 'explorer', instruction: 'x', context_depth: 'none' },
          { agent: 'explorer', instruction: 'y', context_depth: 'none' },
        );
      if (system.includes('explorer') && calls === 0)
        return { tool_calls: [{ name: 'work', arguments: { name: 'w' } }] };
      return { text: 'done' };
    };
    await using bench = await delegationBench({ scene, tools });
    await using root = await bench.liveRoot();
    const running = bench.delegator.delegate({ agent: 'planner', instruction: 'Plan.' }, root.parent);
    await started('w');
    const [planner] = await bench.store.children(root.parent.session_id);
    const stopped = await bench.delegator.control.cancel(planner?.session_id ?? '', { by: 'me', level });
    expect(stopped).toHaveLength(3);
    letGo('w');
    const delegation = await running;
    if (delegation.kind !== 'outcome') throw new Error('in the background');
    expect(delegation.outcome).toMatchObject({ status: 'cancelled', by: 'me' });
    for (const { session_id } of await bench.store.children(planner?.session_id ?? '')) {
      const { status, last_outcome } = await bench.store.metadata(session_id);
      expect(status).toBe('terminated');
      expect(last_outcome?.outcome).toMatchObject({ status: 'cancelled' });
    }
    expect(bench.events.filter(({ name }) => name === 'delegate:agent_cancelled')).toHaveLength(3);
  });
});

describe('a large tree', () => {
  it('stops at once: 200 sessions below a root, before anything is read from disk', async () => {
    const [planners, leaves] = [4, 49];
    const count = planners + planners * leaves;
    const all = gate<void>();
    let hanging = 0;
    const scene: Scene = (_, { system, calls }) => {
      if (system.includes('explorer')) {
        if (++hanging === planners * leaves) all.resolve();
        return { hang: true };
      }
      const [agent, length] = system.includes('root') ? ['planner', planners] : ['explorer', leaves];
      const task = { agent, instruction: 'x', context_depth: 'none' };
      return calls === 0 ? delegating(...Array.from({ length }, () => task)) : { text: 'ok' };
    };
    const tokens: { isCancelled: boolean }[] = [];
    await using bench = await delegationBench({
      scene,
      equip: ({ cancellation }) => void tokens.push(cancellation),
    });
    const session_id = 'session_large';
    const limits = { max_children: count, max_concurrency: count };
    const ended = bench.root('Go.', { session_id, limits });
    await all.promise;
    const cancelling = bench.delegator.control.cancel(session_id, { level: 'immediate' });
    expect(tokens.filter(({ isCancelled }) => isCancelled)).toHaveLength(count + 1);
    expect(await cancelling).toHaveLength(count + 1);
    expect((await ended).outcome.status).toBe('cancelled');
  });
});

describe('questions', () => {
  const asking: Scene = (_, { system, calls, prompt, results }) => {
    if (!system.includes('explorer')) return { text: 'ok' };
    if (calls === 0 && prompt.includes('Paint'))
      return { text: 'Hm.', tool_calls: [{ name: 'ask_parent', arguments: { question: 'Which colour?' } }] };
    return { text: `Painted ${results.at(-1) ?? prompt}` };
  };

  it('of a child whose parent waits end its turn, and the answer resumes it', async () => {
    await using bench = await delegationBench({ scene: asking });
    await using root = await bench.liveRoot();
    const first = await bench.delegator.delegate(
      { agent: 'explorer', instruction: 'Paint.', context_depth: 'none' },
      root.parent,
    );
    if (first.kind !== 'outcome') throw new Error('in the background');
    expect(first.outcome).toMatchObject({ status: 'needs_input', question: 'Which colour?' });
    const { session_id } = first.outcome;
    expect((await bench.store.metadata(session_id)).status).toBe('active');
    const second = await bench.delegator.delegate({ session_id, instruction: 'Red.' }, root.parent);
    if (second.kind !== 'outcome') throw new Error('in the background');
    expect(second.outcome).toMatchObject({ status: 'completed', text: 'Painted Red.' });
  });

  it('of a child in the background come to its parent as a message; it waits and gets the answer, once', async () => {
    await using bench = await delegationBench({ scene: asking, background: true });
    await using root = await bench.liveRoot();
    const { launch } = await bench.delegator.delegate(
      { agent: 'explorer', instruction: 'Paint.', context_depth: 'none', background: true },
      root.parent,
    );
    const item = await mailTo(bench, root.parent.session_id, 'question');
    expect(item).toMatchObject({ from: launch.session_id, body: { text: 'Which colour?' } });
    const [open] = await bench.delegator.control.questions(launch.session_id);
    expect(open).toMatchObject({
      id: item?.id,
      prompt: 'Which colour?',
      kind: 'question',
      agent: 'explorer',
    });
    const answers = await Promise.all(
      ['Blue.', 'Green.'].map((text) =>
        fromAnotherProcess(bench, 'answer', launch.session_id, open?.id, text),
      ),
    );
    const codes = answers.map(({ error }) => error?.code ?? 'accepted').sort();
    expect(codes).toEqual(['QUESTION_ANSWERED', 'accepted']);
    const [outcome] = await bench.delegator.control.wait([launch.session_id]);
    const accepted = answers.findIndex(({ error }) => !error) === 0 ? 'Blue.' : 'Green.';
    expect(outcome).toMatchObject({ text: `Painted ${accepted}` });
    expect(await bench.delegator.control.questions(launch.session_id)).toEqual([]);
    await expect(bench.delegator.control.answer(launch.session_id, 'no-such', 'x')).rejects.toMatchObject({
      code: 'QUESTION_NOT_FOUND',
    });
  });

  it('of a child with more rights than the turn are not answered by the model, and it gets no message', async () => {
    const calls: { name: string; arguments: JsonObject }[] = [];
    const scene: Scene = ({ messages }, about) => {
      if (about.system.startsWith('You are the explorer')) return asking({ messages } as never, about);
      const results = messages.filter(({ role }) => role === 'tool').map(({ content }) => String(content));
      return calls.length === 0
        ? { text: `Results: ${results.join(' | ')}` }
        : { text: 'So.', tool_calls: calls.splice(0) };
    };
    await using bench = await delegationBench({ scene, background: true });
    const task = { agent: 'explorer', instruction: 'Paint.', context_depth: 'none', background: true };
    calls.push({ name: 'delegate', arguments: task });
    const { session_id } = await bench.root('Go.');
    const [started] = await bench.store.children(session_id);
    const child = started?.session_id ?? '';
    await expect.poll(() => bench.delegator.control.questions(child)).toHaveLength(1);
    const answer = { name: 'agents', arguments: { action: 'answer', session_id: child, text: 'Red.' } };
    const message = { name: 'agents', arguments: { action: 'message', session_id: child, text: 'Hurry.' } };
    calls.push(answer, message);
    const grant = grantForSafetyMode('read_only', { cwd: bench.workspace.path, trusted: true });
    const rights = { safety_mode: 'read_only' as const, grant, trusted: true, trust_declared: false };
    const narrow = await bench.delegator.resume(session_id, 'Answer it.', { rights });
    expect(outcomeText(narrow.outcome).match(/may do more \(write/g)).toHaveLength(2);
    expect(await bench.delegator.control.questions(child)).toHaveLength(1);
    // A turn with the same rights answers, and needs no id for the only question.
    calls.push(answer);
    await bench.delegator.resume(session_id, 'Answer it.');
    const [outcome] = await bench.delegator.control.wait([child]);
    expect(outcome).toMatchObject({ text: expect.stringContaining('Painted Red.') });
  });

  it('can be switched off', async () => {
    await using bench = await delegationBench();
    await using root = await bench.liveRoot();
    const { DelegateConfig } = await import('../request/delegate-config.js');
    const off = DelegateConfig.parse({ features: { questions: { enabled: false } } });
    await bench.delegator.delegate({ agent: 'explorer', instruction: 'x' }, root.parent, off);
    expect(bench.model.requests.at(-1)?.tools?.map(({ name }) => name)).not.toContain('ask_parent');
    await bench.delegator.delegate({ agent: 'explorer', instruction: 'x' }, root.parent);
    expect(bench.model.requests.at(-1)?.tools?.map(({ name }) => name)).toContain('ask_parent');
  });
});

describe('approvals', () => {
  const gatekeeper = {
    mount: ({ hooks }: { hooks: { register(event: string, handler: () => unknown): unknown } }) =>
      void hooks.register('tool:pre', () => ({ action: 'ask_user', approval_prompt: 'May I?' })),
  };
  const scene: Scene = (_, { system, calls, results }) => {
    if (!system.includes('explorer')) return { text: 'ok' };
    return calls === 0
      ? { tool_calls: [{ name: 'echo', arguments: { text: 'hi' } }] }
      : { text: results.join('') };
  };
  const guarded = {
    scene,
    roster: { explorer: { instruction: 'You are the explorer.', hooks: ['hooks-gate'] } },
    modules: { 'hooks-gate': gatekeeper as never },
  };

  it('of a child are asked with its name, answered once, and are facts in its log', async () => {
    const asked = gate<Question>();
    await using bench = await delegationBench({ ...guarded, onQuestion: asked.resolve });
    await using root = await bench.liveRoot();
    const running = bench.delegator.delegate({ agent: 'explorer', instruction: 'x' }, root.parent);
    const question = await asked.promise;
    expect(question).toMatchObject({ kind: 'approval', prompt: 'May I?', agent: 'explorer' });
    await bench.delegator.control.answer(question.session_id, question.id, 'Allow once');
    await expect(
      bench.delegator.control.answer(question.session_id, question.id, 'Deny'),
    ).rejects.toMatchObject({ code: 'QUESTION_ANSWERED' });
    expect(await running).toMatchObject({ outcome: { status: 'completed', text: 'hi' } });
    const facts = (await bench.store.events(question.session_id)).filter(({ name }) =>
      /^question:/.test(name),
    );
    expect(facts).toMatchObject([
      { name: 'question:asked', data: { id: question.id, prompt: 'May I?' } },
      { name: 'question:answered', data: { id: question.id, answer: 'Allow once' } },
    ]);
  });

  it('whose time is over are a no, and an answer that comes later is refused', async () => {
    const clock = new VirtualClock();
    const asked = gate<Question>();
    const patient = { action: 'ask_user', approval_prompt: 'May I?', approval_timeout: 10 };
    const modules = {
      'hooks-gate': {
        mount: ({ hooks }: { hooks: { register(event: string, handler: () => unknown): unknown } }) =>
          void hooks.register('tool:pre', () => patient),
      } as never,
    };
    await using bench = await delegationBench({ ...guarded, modules, clock, onQuestion: asked.resolve });
    await using root = await bench.liveRoot();
    const running = bench.delegator.delegate({ agent: 'explorer', instruction: 'x' }, root.parent);
    const { session_id, id } = await asked.promise;
    await clock.advance(11_000);
    expect(await running).toMatchObject({ outcome: { text: expect.stringContaining('Denied') } });
    await expect(bench.delegator.control.answer(session_id, id, 'Allow once')).rejects.toMatchObject({
      code: 'QUESTION_NOT_FOUND',
    });
  });

  it('are a no where nobody is there to answer', async () => {
    await using bench = await delegationBench(guarded);
    await using root = await bench.liveRoot();
    const { outcome } = (await bench.delegator.delegate(
      { agent: 'explorer', instruction: 'x' },
      root.parent,
    )) as { outcome: Outcome };
    expect(outcome).toMatchObject({ text: expect.stringContaining('Denied') });
  });
});

async function mailTo(
  { store }: Awaited<ReturnType<typeof delegationBench>>,
  session_id: string,
  kind: string,
) {
  for (;;) {
    const found = (await store.mail(session_id)).find((item) => item.kind === kind);
    if (found) return found;
    await new Promise((resolve) => setImmediate(resolve));
  }
}
