import { writeFile } from 'node:fs/promises';

import { AgentLoader, AgentResolver } from '@amplifier/foundation';
import { describe, expect, it } from 'vitest';
import { delegationBench, type Scene } from '../../test-support/delegation-bench.js';
import { fileAgents } from '../plan/agents.js';
import type { SpawnResult } from '../request/delegate-result.js';

const remembering: Scene = ({ messages }) => ({
  text: messages
    .filter(({ role }) => role === 'user')
    .map(({ content }) => String(content).split('\n').at(-1))
    .join(' | '),
});

describe('a sub-session in the record', () => {
  it('has its transcript and launch record, and metadata that say what it was made of', async () => {
    await using bench = await delegationBench();
    const root = await bench.liveRoot();
    const { launch } = await bench.delegator.delegate(
      { agent: 'explorer', instruction: 'Look.' },
      root.parent,
    );
    await root[Symbol.asyncDispose]();
    const { store } = bench;
    expect(await store.document(launch.session_id, 'launch')).toMatchObject({
      session_id: launch.session_id,
    });
    expect((await store.messages(launch.session_id)).length).toBeGreaterThan(0);
    expect(await store.metadata(launch.session_id)).toMatchObject({
      session_id: launch.session_id,
      parent_id: root.parent.session_id,
      agent_name: 'explorer',
      created: expect.stringMatching(/^\d{4}-/),
      config: { session: { orchestrator: 'loop-streaming' } },
      agent_overlay: { instruction: 'You are the explorer.' },
      trace_id: expect.stringMatching(/^[0-9a-f]{32}$/),
    });
  });
});

describe('resuming a sub-session', () => {
  it('builds each turn on those before', async () => {
    await using bench = await delegationBench({ scene: remembering });
    await using root = await bench.liveRoot();
    const { launch } = await bench.delegator.delegate({ agent: 'explorer', instruction: 'one' }, root.parent);
    const { session_id } = launch;
    await bench.delegator.delegate({ session_id, instruction: 'two' }, root.parent);
    const third = await bench.delegator.delegate({ session_id, instruction: 'three' }, root.parent);
    expect(third).toMatchObject({ outcome: { text: 'one | two | three', session_id } });
    // Nothing is said by one whose turn it is no more, though the session is free.
    const check = () => Promise.reject(new Error('taken over'));
    await expect(bench.delegator.resume(session_id, 'four', { check })).rejects.toThrow('taken over');
    expect((await bench.delegator.resume(session_id, 'five')).outcome).toMatchObject({
      text: 'one | two | three | five',
    });
  });

  it('may be put under tighter limits, for that turn, and never under wider ones', async () => {
    await using bench = await delegationBench({ scene: remembering });
    await using root = await bench.liveRoot();
    const launching = { agent: 'explorer', instruction: 'one', timeout: 60, limits: { max_turns: 5 } };
    const { launch } = await bench.delegator.delegate(launching, root.parent);
    const { session_id } = launch;
    const limitsNow = async () => {
      const { turn_start } = (await bench.store.metadata(session_id)).extra;
      return (turn_start as { limits: object }).limits;
    };
    await bench.delegator.resume(session_id, 'two', { limits: { timeout: 7, max_turns: 50 } });
    expect(await limitsNow()).toMatchObject({ timeout: 7, max_turns: 5 });
    await bench.delegator.resume(session_id, 'three');
    expect(await limitsNow()).toMatchObject({ timeout: 60, max_turns: 5 });
  });

  it('needs nothing but the disk: another service with another plan continues with the stored one', async () => {
    await using bench = await delegationBench({ scene: remembering });
    await using root = await bench.liveRoot();
    const { launch } = await bench.delegator.delegate({ agent: 'explorer', instruction: 'one' }, root.parent);
    await using later = await delegationBench({
      folder: bench.workspace.resolve('sessions'),
      scene: remembering,
      roster: {},
      plan: { tools: [] },
    });
    const { outcome } = await later.delegator.resume(launch.session_id, 'two');
    expect(outcome).toMatchObject({ status: 'completed', text: 'one | two' });
    const request = later.model.requests.at(-1);
    expect(request?.messages[0]).toMatchObject({ role: 'system', content: 'You are the explorer.' });
    expect(request?.tools?.map(({ name }) => name)).toContain('echo');
  });

  it('is announced as session:resume, and a resumed child may delegate in turn', async () => {
    const scene: Scene = (_, { system, prompt, calls }) => {
      if (system.includes('planner') && prompt === 'split' && calls === 0)
        return {
          tool_calls: [{ id: 'c', name: 'delegate', arguments: { agent: 'explorer', instruction: 'part' } }],
        };
      return { text: 'done' };
    };
    await using bench = await delegationBench({ scene });
    await using root = await bench.liveRoot();
    const { launch } = await bench.delegator.delegate({ agent: 'planner', instruction: 'wait' }, root.parent);
    await bench.delegator.delegate({ session_id: launch.session_id, instruction: 'split' }, root.parent);
    const resumed = bench.events.filter(({ data }) => data.session_id === launch.session_id);
    expect(resumed.map(({ name }) => name)).toContain('session:resume');
    expect(await bench.store.children(launch.session_id)).toHaveLength(1);
  });

  it('is linked to whoever resumes it: their cancellation reaches it and its usage counts for them', async () => {
    const scene: Scene = (_, { prompt }) => (prompt.includes('hang') ? { hang: true } : { text: 'done' });
    await using bench = await delegationBench({ scene });
    await using root = await bench.liveRoot();
    const { launch } = await bench.delegator.delegate({ agent: 'explorer', instruction: 'x' }, root.parent);
    const hanging = bench.delegator.delegate(
      { session_id: launch.session_id, instruction: 'hang' },
      root.parent,
    );
    await bench.hanging;
    root.parent.cancellation.request('immediate');
    expect(await hanging).toMatchObject({ outcome: { status: 'cancelled', by: 'parent' } });
  });

  it('cannot run twice at once', async () => {
    const scene: Scene = (_, { prompt }) => (prompt.includes('hang') ? { hang: true } : { text: 'done' });
    await using bench = await delegationBench({ scene });
    await using root = await bench.liveRoot();
    const running = bench.delegator.delegate({ agent: 'explorer', instruction: 'hang' }, root.parent);
    await bench.hanging;
    const [child] = await bench.store.children(root.parent.session_id);
    const session_id = child?.session_id ?? '';
    await expect(
      bench.delegator.delegate({ session_id, instruction: 'y' }, root.parent),
    ).rejects.toMatchObject({ code: 'SESSION_BUSY' });
    await bench.delegator.control.cancel(session_id, { level: 'immediate' });
    expect(await running).toMatchObject({ outcome: { status: 'cancelled' } });
  });

  it('says so when the agent’s file has changed since, and continues with what was launched', async () => {
    await using source = await delegationBench();
    const path = source.workspace.resolve('agents', 'reviewer.md');
    const file = (text: string) => `---\nmeta:\n  name: reviewer\n  description: Reviews.\n---\n${text}\n`;
    await source.workspace.write('agents/reviewer.md', file('You review.'));
    const searchPaths = [{ path: source.workspace.resolve('agents'), origin: 'user' }];
    const agents = fileAgents(new AgentLoader({ resolver: new AgentResolver({ searchPaths }) } as never));
    await using bench = await delegationBench({ agents, roster: {} });
    await using root = await bench.liveRoot();
    const { launch } = await bench.delegator.delegate({ agent: 'reviewer', instruction: 'x' }, root.parent);
    const { session_id } = launch;
    const same = await bench.delegator.delegate({ session_id, instruction: 'y' }, root.parent);
    expect(same).toMatchObject({ outcome: { warnings: [] } });
    await writeFile(path, file('You review twice.'));
    const drifted = await bench.delegator.delegate({ session_id, instruction: 'z' }, root.parent);
    expect(drifted).toMatchObject({
      outcome: { warnings: [expect.stringContaining("'reviewer' has changed")] },
    });
    expect(bench.model.requests.at(-1)?.messages[0]?.content).toBe('You review.');
  });

  it('takes the right to delegate, as launching does', async () => {
    await using bench = await delegationBench();
    await using root = await bench.liveRoot();
    const { launch } = await bench.delegator.delegate({ agent: 'explorer', instruction: 'x' }, root.parent);
    const powerless = { ...root.parent, grant: { ...root.parent.grant, delegate: false } };
    for (const request of [{ session_id: launch.session_id }, { agent: 'explorer' }]) {
      await expect(
        bench.delegator.delegate({ ...request, instruction: 'y' }, powerless),
      ).rejects.toMatchObject({ code: 'DELEGATION_DENIED' });
    }
  });

  it('keeps the rights of whoever resumes it, also when a crash comes in between', async () => {
    await using bench = await delegationBench();
    await using root = await bench.liveRoot({ safety_mode: 'yolo' });
    const { launch } = await bench.delegator.delegate({ agent: 'explorer', instruction: 'x' }, root.parent);
    const weaker = {
      ...root.parent,
      safety_mode: 'read_only' as const,
      grant: { ...root.parent.grant, network: false },
    };
    await bench.delegator.delegate({ session_id: launch.session_id, instruction: 'y' }, weaker);
    const { extra } = await bench.store.metadata(launch.session_id);
    expect(launch.grant.network).toBe(true);
    expect(extra.turn_start).toMatchObject({ safety_mode: 'read_only', grant: { network: false } });
  });

  it('may be told to do less in a turn, and is never given more, by whoever delegates', async () => {
    await using bench = await delegationBench();
    await using root = await bench.liveRoot({ safety_mode: 'write' });
    const delegate = (request: object) =>
      bench.delegator.delegate({ instruction: 'x', ...request }, root.parent);
    const { launch } = await delegate({ agent: 'explorer', safety_mode: 'write' });
    const { session_id } = launch;
    await delegate({ session_id, safety_mode: 'read_only' });
    const { extra } = await bench.store.metadata(session_id);
    expect(extra.turn_start).toMatchObject({ safety_mode: 'read_only', grant: { write: { allow: [] } } });
    const wider = [
      { agent: 'explorer', safety_mode: 'yolo' },
      { session_id, safety_mode: 'yolo' },
    ];
    for (const request of wider)
      await expect(delegate(request)).rejects.toMatchObject({ code: 'SAFETY_MODE_WIDER' });
  });
});

describe('what was said while nobody listened', () => {
  it('stands before the next instruction, which is what the model answers', async () => {
    const asked: string[][] = [];
    await using bench = await delegationBench({
      scene: (request, { prompt }) => {
        asked.push(
          request.messages.filter(({ role }) => role === 'user').map(({ content }) => String(content)),
        );
        return { text: `About: ${prompt}` };
      },
    });
    const { session_id } = await bench.root('First.');
    await bench.delegator.control.message(session_id, 'Too late.');
    const { outcome } = await bench.delegator.resume(session_id, 'Next.');
    expect(asked.at(-1)).toEqual(['First.', 'Too late.', 'Next.']);
    expect(outcome).toMatchObject({ text: 'About: Next.' });
    const roles = (await bench.store.messages(session_id)).map(({ role }) => role);
    expect(roles).toEqual(['user', 'assistant', 'user', 'user', 'assistant']);
    await bench.delegator.resume(session_id, 'Last.');
    expect(asked.at(-1)?.filter((text) => text === 'Too late.')).toHaveLength(1);
  });
});

describe('the capabilities on a session', () => {
  it('session.spawn and session.resume give at least the output and the session', async () => {
    const results: SpawnResult[] = [];
    await using bench = await delegationBench({
      scene: (_, { prompt, calls }) =>
        prompt === 'Go.' && calls === 0 ? { tool_calls: [{ name: 'direct' }] } : { text: `did ${prompt}` },
      roster: {
        explorer: {
          instruction: 'You are the explorer.',
          provider_preferences: [{ provider: 'scripted', model: 'scripted-9' }],
        },
      },
      tools: [
        {
          name: 'direct',
          description: 'A consumer that knows nothing of routing.',
          inputSchema: {},
          execute: async (_, { coordinator }) => {
            const spawn = coordinator.getCapability('session.spawn');
            const resume = coordinator.getCapability('session.resume');
            if (!spawn || !resume) throw new Error('nothing to call');
            const first = await spawn({ agent: 'explorer', instruction: 'a', context_depth: 'none' });
            results.push(first, await resume({ session_id: first.session_id, instruction: 'b' }));
            const other = await spawn({ agent_name: 'explorer', instruction: 'c', context_depth: 'none' });
            results.push(other, await resume({ sub_session_id: other.session_id, instruction: 'd' }));
            return { success: true, output: 'ok' };
          },
        },
      ],
    });
    await bench.root('Go.');
    expect(results).toMatchObject([
      { output: 'did a', session_id: expect.any(String), status: 'success' },
      { output: 'did b', session_id: results[0]?.session_id },
      { output: 'did c', agent: 'explorer' },
      { output: 'did d', session_id: results[2]?.session_id },
    ]);
    for (const { session_id } of [results[0], results[2]] as SpawnResult[]) {
      const launch = await bench.store.document(session_id, 'launch');
      expect(launch).toMatchObject({ model: { chosen: { provider: 'scripted', model: 'scripted-9' } } });
    }
  });
});
