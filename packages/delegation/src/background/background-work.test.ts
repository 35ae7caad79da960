import type { ToolResult } from '@amplifier/core';
import { type Claim, openRunQueue, type RunQueue, SessionError } from '@amplifier/sessions';
import { VirtualClock } from '@amplifier/testkit';
import { describe, expect, it } from 'vitest';
import { delegating, delegationBench, gate, QUEUE, type Scene } from '../../test-support/delegation-bench.js';

const TERMINAL = /^delegate:(agent_completed|agent_cancelled|error)$/;

/** A root that starts one child in the background and goes on only when `step` lets it. */
function backgroundScene(answer: Scene = () => ({ text: 'Found it.' })) {
  const step = gate<void>();
  const seen: string[][] = [];
  const scene: Scene = (request, about) => {
    if (!about.system.includes('root')) return answer(request, about);
    seen.push(request.messages.filter(({ role }) => role === 'user').map(({ content }) => String(content)));
    const spawned = request.messages.some(({ role }) => role === 'tool');
    if (!spawned) return delegating({ agent: 'explorer', instruction: 'Look.', background: true });
    return about.calls === 1 ? { tool_calls: [{ name: 'pause' }] } : { text: `Heard: ${about.prompt}` };
  };
  const pause = {
    name: 'pause',
    description: '',
    inputSchema: {},
    execute: async (): Promise<ToolResult> => {
      await step.promise;
      return { success: true, output: 'went on' };
    },
  };
  return { scene, tools: [pause], step, seen };
}

it('a model is told which children in the background are at work, in a later turn and another service, too', async () => {
  const told: string[] = [];
  const scene: Scene = ({ messages }, { system, prompt, calls }) => {
    if (!system.includes('root')) return { hang: true };
    told.push(messages.map(({ content }) => String(content)).join('\n'));
    return prompt === 'Go.' && calls === 0
      ? delegating({ agent: 'explorer', instruction: 'Look.', background: true })
      : { text: 'Ok.' };
  };
  await using bench = await delegationBench({ scene, background: true });
  const { session_id } = await bench.root('Go.');
  const [child] = await bench.store.children(session_id);
  const line = `- explorer ${child?.session_id} (`;
  expect(told.map((text) => text.includes(line))).toEqual([false, true]);
  // It knows nothing of the child but what the record says.
  await using later = await delegationBench({ scene, folder: bench.workspace.resolve('sessions') });
  await later.delegator.resume(session_id, 'And now?');
  expect(told.at(-1)).toContain(line);
  await bench.hanging;
  await bench.delegator.control.cancel(child?.session_id ?? '', { level: 'immediate' });
  await bench.delegator.control.wait([child?.session_id ?? '']);
  await later.delegator.resume(session_id, 'And now?');
  expect(told.at(-1)).not.toContain(line);
});

describe('background work', () => {
  const lookOnce: Scene = (request, { system }) => {
    if (!system.includes('root')) return { text: 'Found it.' };
    const spawned = request.messages.some(({ role }) => role === 'tool');
    return spawned
      ? { text: 'Ok.' }
      : delegating({ agent: 'explorer', instruction: 'Look.', background: true });
  };
  const full = () => Object.assign(new Error('no space left'), { code: 'ENOSPC' });

  it('continues when its queue fails for a while, and reports it', async () => {
    await using bench = await delegationBench({ scene: lookOnce, background: true });
    const { queue, delegator } = bench;
    if (!queue) throw new Error('no queue');
    const failing = gate<void>();
    const claims = queue.claims.bind(queue);
    let failures = 0;
    queue.claims = (options) => {
      if (++failures > 2) return claims(options);
      if (failures === 2) failing.resolve();
      throw full();
    };
    await bench.root('Go.');
    await failing.promise;
    expect(bench.worker?.health[0]).toMatchObject({
      name: 'background work',
      state: 'retrying',
      last_error: { code: 'ENOSPC' },
    });
    const [outcome] = await delegator.control.wait([await firstChild(bench)]);
    expect(outcome).toMatchObject({ status: 'completed', text: 'Found it.' });
    expect(bench.worker?.health[0]).toMatchObject({ failures: 2, set_aside: 0 });
  });

  it('sets aside a child that cannot be looked at, and runs the others', async () => {
    await using bench = await delegationBench({ scene: lookOnce, background: true });
    const { queue, store, delegator } = bench;
    if (!queue) throw new Error('no queue');
    const has = store.has.bind(store);
    let damaged: string | null = null;
    store.has = async (session_id) => {
      damaged ??= session_id;
      if (session_id === damaged)
        throw new SessionError('A file is damaged.', { code: 'SESSION_CORRUPT', origin: session_id });
      return has(session_id);
    };
    await bench.root('Go.');
    const second = (await bench.root('Go.')).session_id;
    const [child] = await store.children(second);
    const [outcome] = await delegator.control.wait([child?.session_id ?? '']);
    await completionSent(bench, child?.session_id ?? '');
    expect(outcome).toMatchObject({ status: 'completed' });
    expect(bench.worker?.health[0]).toMatchObject({ set_aside: 1 });
    expect(await queue.list({ status: ['queued', 'running'] })).toHaveLength(0);
  });

  it('keeps a child at work while its lease cannot be written, and ends it when another has taken the lease', async () => {
    const clock = new VirtualClock();
    const scene: Scene = (request, about) =>
      about.system.includes('root') ? lookOnce(request, about) : { hang: true };
    await using bench = await delegationBench({ scene, background: true, clock });
    const { queue, delegator } = bench;
    if (!queue) throw new Error('no queue');
    let beats = 0;
    let fails: unknown = full();
    queue.keepAlive = async () => {
      beats++;
      throw fails;
    };
    await bench.root('Go.');
    await bench.hanging;
    while (beats < 2) await clock.advance(1_000);
    const child = await firstChild(bench);
    expect(delegator.live.has(child)).toBe(true);
    expect(bench.worker?.health[1]).toMatchObject({ name: 'leases of runs', set_aside: beats });
    fails = new SessionError('Taken over.', { code: 'FENCED', origin: child });
    while (delegator.live.has(child)) await clock.advance(1_000);
    expect(await bench.store.metadata(child)).toMatchObject({ status: 'active' });
  });

  it('writes nothing more of a child that another has claimed, nor of what runs below it', async () => {
    const clock = new VirtualClock();
    const woken = gate<void>();
    let isLeft = false;
    const scene: Scene = (_, about) => {
      if (about.system.includes('explorer')) return isLeft ? { text: 'Found it.' } : { hang: true };
      const [result] = about.results;
      if (result !== undefined) return { text: result };
      return about.system.includes('root')
        ? delegating({ agent: 'planner', instruction: 'Plan.', background: true })
        : delegating({ agent: 'explorer', instruction: 'Look.' });
    };
    await using bench = await delegationBench({ scene, background: true, clock });
    const { queue, delegator, store } = bench;
    if (!queue) throw new Error('no queue');
    standStill(queue, woken.promise);
    const { session_id: root } = await bench.root('Go.');
    await bench.hanging;
    const child = await firstChild(bench);
    const [below] = await store.children(child);
    const ids = [root, child, below?.session_id ?? ''];
    const facts = () => Promise.all(ids.map((id) => Promise.all([store.messages(id), store.events(id)])));
    await using elsewhere = await openRunQueue(bench.workspace.resolve(QUEUE), { clock });
    let claim = await elsewhere.claim();
    for (; claim === null; claim = await elsewhere.claim()) await clock.advance(1_000);
    const before = await facts();
    woken.resolve();
    while (ids.some((id) => delegator.live.has(id))) await clock.advance(1);
    expect(await facts()).toEqual(before);
    expect(await store.mail(root)).toEqual([]);
    isLeft = true;
    const { outcome } = await delegator.continue(child, { lease: claim.token });
    expect(outcome).toMatchObject({ status: 'completed', text: expect.stringContaining('Found it.') });
  });

  it('does not run a child that another has claimed before it was opened', async () => {
    const clock = new VirtualClock();
    await using bench = await delegationBench({ scene: lookOnce, background: true, clock });
    const { queue, store } = bench;
    if (!queue) throw new Error('no queue');
    const woken = gate<void>();
    standStill(queue, woken.promise);
    await using elsewhere = await openRunQueue(bench.workspace.resolve(QUEUE), { clock });
    const has = store.has.bind(store);
    let claim: Claim | null = null;
    store.has = async (session_id) => {
      for (; claim === null; claim = await elsewhere.claim()) await clock.advance(1_000);
      woken.resolve();
      return has(session_id);
    };
    await bench.root('Go.');
    const child = await firstChild(bench);
    while (bench.worker?.active.length !== 0) await clock.advance(1);
    expect(await store.messages(child)).toHaveLength(1);
  });
});

describe('a child in the background', () => {
  it('returns at once with its id, and its end is told to the parent at its next step, once', async () => {
    const { scene, tools, step, seen } = backgroundScene();
    await using bench = await delegationBench({ scene, tools, background: true });
    const ended = bench.root('Go.');
    const child = await firstChild(bench);
    await bench.delegator.control.wait([child]);
    await completionSent(bench, child);
    step.resolve();
    const { outcome, session_id } = await ended;
    expect(outcome).toMatchObject({ status: 'completed' });
    const lines = await bench.store.messages(session_id);
    const result = lines.find(({ role }) => role === 'tool');
    expect(JSON.parse(String(result?.content))).toMatchObject({ session_id: child, status: 'running' });
    const news = lines.filter(({ metadata }) => metadata?.kind === 'completion');
    expect(news.map(({ content }) => content)).toEqual([expect.stringContaining('Found it.')]);
    expect(seen.at(-1)?.filter((text) => text.includes('Found it.'))).toHaveLength(1);
    const ends = (await bench.store.events(session_id)).filter(({ name }) => TERMINAL.test(name));
    expect(ends).toMatchObject([{ name: 'delegate:agent_completed', data: { sub_session_id: child } }]);
    expect(bench.events.filter(({ name }) => TERMINAL.test(name))).toHaveLength(1);
  });

  it('is told to a parent that had ended, when it is resumed, and not again after that', async () => {
    const go = gate<void>();
    const wait = {
      name: 'wait',
      description: '',
      inputSchema: {},
      execute: async (): Promise<ToolResult> => {
        await go.promise;
        return { success: true, output: 'waited' };
      },
    };
    const scene: Scene = (request, { system, calls, prompt }) => {
      if (!system.includes('root'))
        return calls === 0 ? { tool_calls: [{ name: 'wait' }] } : { text: 'Found it.' };
      const spawned = request.messages.some(({ role }) => role === 'tool');
      return spawned
        ? { text: `Heard: ${prompt}` }
        : delegating({ agent: 'explorer', instruction: 'Look.', background: true });
    };
    await using bench = await delegationBench({ scene, tools: [wait], background: true });
    const { session_id } = await bench.root('Go.');
    const child = await firstChild(bench);
    go.resolve();
    await bench.delegator.control.wait([child]);
    await completionSent(bench, child);
    await bench.delegator.resume(session_id, 'Any news?');
    await bench.delegator.resume(session_id, 'And now?');
    const lines = await bench.store.messages(session_id);
    expect(lines.filter(({ metadata }) => metadata?.kind === 'completion')).toHaveLength(1);
    const ends = (await bench.store.events(session_id)).filter(({ name }) => TERMINAL.test(name));
    expect(ends).toHaveLength(1);
  });

  it('tells also how it failed', async () => {
    const { scene, tools, step } = backgroundScene(() => ({ error: new Error('no luck') }));
    await using bench = await delegationBench({ scene, tools, background: true });
    const ended = bench.root('Go.');
    const child = await firstChild(bench);
    const [outcome] = await bench.delegator.control.wait([child]);
    expect(outcome).toMatchObject({ status: 'failed' });
    await completionSent(bench, child);
    step.resolve();
    expect((await ended).outcome).toMatchObject({ text: expect.stringContaining('no luck') });
  });

  it('may be resumed in the background too, and its second end is told as well', async () => {
    await using bench = await delegationBench({ background: true });
    await using root = await bench.liveRoot();
    const { launch } = await bench.delegator.delegate(
      { agent: 'explorer', instruction: 'a', background: true, tool_call_id: 't1' },
      root.parent,
    );
    await bench.delegator.control.wait([launch.session_id]);
    await completionSent(bench, launch.session_id);
    const again = await bench.delegator.delegate(
      { session_id: launch.session_id, instruction: 'b', background: true, tool_call_id: 't2' },
      root.parent,
    );
    expect(again.kind).toBe('background');
    await bench.delegator.control.wait([launch.session_id]);
    await completionSent(bench, launch.session_id, 2);
    const items = await bench.store.mail(root.parent.session_id);
    expect(items.map(({ id }) => id)).toEqual(
      [1, 2].map((turn) => `completion_${launch.session_id}_${turn}`),
    );
  });
});

/** As if the process stood still after its first claim. */
function standStill(queue: RunQueue, woken: Promise<void>): void {
  const [claims, keepAlive] = [queue.claims.bind(queue), queue.keepAlive.bind(queue)];
  queue.claims = async function* (options) {
    for await (const claim of claims(options)) {
      yield claim;
      await woken;
    }
  };
  queue.keepAlive = async (claim) => {
    await woken;
    return keepAlive(claim);
  };
}

async function firstChild({ store }: Awaited<ReturnType<typeof delegationBench>>): Promise<string> {
  for await (const { event } of store.feed({ after: '0' })) {
    if (event.name === 'session:created' && event.parent_id !== null) return event.session_id;
  }
  throw new Error('no child');
}

/** The mail to the parent trails the outcome by a moment; the end of the run is the sign that it is there. */
async function completionSent(
  { queue }: Awaited<ReturnType<typeof delegationBench>>,
  child: string,
  turn = 1,
): Promise<void> {
  for await (const { status } of queue?.watch(`${child}_${turn}`) ?? []) if (status === 'finished') return;
}
