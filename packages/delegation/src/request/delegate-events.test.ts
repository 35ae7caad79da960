import { describe, expect, it } from 'vitest';
import { delegating, delegationBench, rootCalls, type Scene } from '../../test-support/delegation-bench.js';

const DELEGATE = /^delegate:/;

describe('the events of a delegation', () => {
  it('tell of a spawn and its end with the agent, both keys and the slot for metadata', async () => {
    await using bench = await delegationBench({
      scene: rootCalls([{ agent: 'explorer', instruction: 'Look.', context_depth: 'all' }]),
    });
    const { session_id } = await bench.root('Go.');
    const [child] = await bench.store.children(session_id);
    const shared = {
      agent: 'explorer',
      sub_session_id: child?.session_id,
      session_id: child?.session_id,
      parent_session_id: session_id,
      tool_call_id: 'call_1',
      parallel_group_id: expect.any(String),
      metadata: null,
    };
    const events = bench.events.filter(({ name }) => DELEGATE.test(name));
    expect(events).toMatchObject([
      {
        name: 'delegate:agent_spawned',
        data: { ...shared, context_depth: 'all', context_scope: 'conversation' },
      },
      { name: 'delegate:agent_completed', data: { ...shared, success: true } },
    ]);
    const kept = (await bench.store.events(session_id)).filter(({ name }) => DELEGATE.test(name));
    expect(kept.map(({ name }) => name)).toEqual(events.map(({ name }) => name));
  });

  it('tell of a resume without guessing the agent', async () => {
    await using bench = await delegationBench();
    await using root = await bench.liveRoot();
    const first = await bench.delegator.delegate({ agent: 'explorer', instruction: 'a' }, root.parent);
    const { session_id } = first.launch;
    await bench.delegator.delegate({ session_id, instruction: 'b', tool_call_id: 't2' }, root.parent);
    const events = bench.events.filter(({ name }) => DELEGATE.test(name)).slice(2);
    expect(events.map(({ name }) => name)).toEqual(['delegate:agent_resumed', 'delegate:agent_completed']);
    for (const { data } of events) {
      expect(data).toMatchObject({
        sub_session_id: session_id,
        session_id,
        parent_session_id: root.parent.session_id,
        tool_call_id: 't2',
        metadata: null,
      });
      expect(data).not.toHaveProperty('agent');
    }
    const announced = bench.events.filter(({ data }) => data.session_id === session_id);
    expect(announced.map(({ name }) => name)).toContain('session:resume');
  });

  it('come only after the child exists', async () => {
    let existed: boolean | undefined;
    await using bench = await delegationBench({
      scene: rootCalls([{ agent: 'explorer', instruction: 'Look.' }]),
      equip: ({ hooks }, { depth }) => {
        if (depth > 0) return;
        hooks.register('delegate:agent_spawned', async (_, data) => {
          existed = await bench.store.has(String(data.sub_session_id));
        });
      },
    });
    await bench.root('Go.');
    expect(existed).toBe(true);
  });

  it('stand in the feed of all sessions right after the creation of the child, before anything that it does', async () => {
    await using bench = await delegationBench({
      scene: rootCalls([{ agent: 'explorer', instruction: 'Look.' }]),
    });
    const after = await bench.store.feedCursor();
    const { session_id } = await bench.root('Go.');
    const seen: string[] = [];
    for await (const { event } of bench.store.feed({ after })) {
      seen.push(event.session_id === session_id ? event.name : `child ${event.name}`);
      if (event.name === 'delegate:agent_completed') break;
    }
    const [first, running, ...rest] = seen.slice(seen.findIndex((name) => name.startsWith('child ')));
    expect([first, running]).toEqual(['child session:created', 'child session:status']);
    expect(rest.find((name) => !name.startsWith('tool:'))).toBe('delegate:agent_spawned');
  });

  it('of a child reach the root with its lineage, once for each level', async () => {
    const scene: Scene = (_, { system, calls, prompt }) => {
      if (system.includes('root') && calls === 0)
        return delegating({ agent: 'planner', instruction: 'Plan.' });
      if (system.includes('planner') && calls === 0)
        return delegating({ agent: 'explorer', instruction: 'Look.' });
      return { text: `Done with ${prompt}` };
    };
    await using bench = await delegationBench({ scene });
    const { session_id } = await bench.root('Go.');
    const [planner] = await bench.store.children(session_id);
    const [explorer] = await bench.store.children(planner?.session_id ?? '');
    const answers = bench.events.filter(({ name }) => name === 'provider:response');
    expect(answers.map(({ data }) => (data.lineage as { depth: number }).depth).sort()).toEqual([
      0, 0, 1, 1, 2,
    ]);
    const deepest = answers.find(({ data }) => data.session_id === explorer?.session_id);
    expect(deepest?.data.lineage).toEqual({
      session_id: explorer?.session_id,
      parent_id: planner?.session_id,
      root_id: session_id,
      depth: 2,
      agent: 'explorer',
      tool_call_id: expect.any(String),
      parallel_group_id: expect.any(String),
    });
    expect(bench.events.filter(({ name }) => name === 'delegate:agent_completed')).toHaveLength(2);
  });

  it('carry the call’s metadata on the child’s session events', async () => {
    await using bench = await delegationBench();
    await using root = await bench.liveRoot();
    await bench.delegator.delegate(
      { agent: 'explorer', instruction: 'a', tool_call_id: 't1', metadata: { ticket: 7 } },
      root.parent,
    );
    const fork = bench.events.find(({ name, data }) => name === 'session:start' && data.parent_id);
    expect(fork?.data.metadata).toEqual({ ticket: 7, agent_name: 'explorer', tool_call_id: 't1' });
  });
});
