import { readFile } from 'node:fs/promises';
import type { JsonObject } from '@amplifier/core';
import { AgentLoader, AgentResolver } from '@amplifier/foundation';
import { describe, expect, it } from 'vitest';
import {
  type BenchOptions,
  delegating,
  delegationBench,
  type Scene,
} from '../../test-support/delegation-bench.js';
import { DelegateConfig } from '../request/delegate-config.js';
import type { PlannedTurn } from '../turn/turn.js';
import { fileAgents } from './agents.js';

/** A live root, and the launch a request would lead to from it. */
async function planning(options: BenchOptions = {}) {
  const bench = await delegationBench(options);
  const root = await bench.liveRoot();
  return {
    bench,
    parent: root.parent,
    plan: (request: JsonObject, config: JsonObject = {}): Promise<PlannedTurn> =>
      bench.delegator.plan({ instruction: 'Look.', ...request }, root.parent, DelegateConfig.parse(config)),
    async [Symbol.asyncDispose]() {
      await root[Symbol.asyncDispose]();
      await bench[Symbol.asyncDispose]();
    },
  };
}

const toolsOf = ({ launch: record }: PlannedTurn) =>
  (record.plan.tools ?? []).map((entry) => (typeof entry === 'string' ? entry : entry.module));

describe('a dry run', () => {
  it('gives the whole launch record, the manifest and the first message, and leaves nothing behind', async () => {
    await using live = await planning();
    const before = JSON.stringify(live.parent.plan);
    const { launch: record, instruction: prompt } = await live.plan({
      agent: 'explorer',
      context_depth: 'all',
    });
    expect(record).toMatchObject({
      version: 1,
      parent_id: live.parent.session_id,
      root_id: live.parent.session_id,
      depth: 1,
      agent: { name: 'explorer', origin: 'plan', instruction: 'You are the explorer.' },
      engine: 'in_process',
      context: {
        depth: 'all',
        scope: 'conversation',
        passed: [{ role: 'user' }],
        dropped: [{ role: 'assistant' }],
      },
      limits: { timeout: 300, max_depth: 3 },
      instruction: 'Look.',
    });
    expect(prompt).toContain('[YOUR TASK]\nLook.');
    expect(await live.bench.store.children(live.parent.session_id)).toEqual([]);
    expect(live.parent.tree.children).toBe(0);
    expect(JSON.stringify(live.parent.plan)).toBe(before);
  });

  it('leaves the parent’s plan alone, however many children are made of it', async () => {
    const roster = {
      custom: {
        instruction: 'You are custom.',
        session: { orchestrator: { module: 'loop-streaming', config: { depth: 9 } } },
        tools: [{ module: 'tool-test', config: { changed: true } }],
      },
    };
    await using live = await planning({ roster });
    const before = JSON.stringify(live.parent.plan);
    await Promise.all(
      Array.from({ length: 20 }, () =>
        live.bench.delegator.delegate({ agent: 'custom', instruction: 'x', metadata: { n: 1 } }, live.parent),
      ),
    );
    expect(JSON.stringify(live.parent.plan)).toBe(before);
  });
});

describe('context of a launch', () => {
  it('is bounded by the configured turns, and switched off by it', async () => {
    await using live = await planning();
    const limited = await live.plan(
      { agent: 'explorer', context_turns: 50 },
      { features: { context_inheritance: { max_turns: 4 } } },
    );
    expect(limited.launch.context.turns).toBe(4);
    const off = await live.plan(
      { agent: 'explorer', context_depth: 'all' },
      { features: { context_inheritance: { enabled: false } } },
    );
    expect(off.launch.context.depth).toBe('none');
    expect(off.instruction).toBe('Look.');
  });

  it('never expands what a model wrote, nor what was quoted from the parent’s conversation', async () => {
    const expanded: string[] = [];
    await using live = await planning({
      expandInstruction: async (text) => {
        expanded.push(text);
        return { text: `${text} (expanded)`, attachments: [] };
      },
    });
    const { instruction: prompt } = await live.plan({ agent: 'explorer', context_depth: 'all' });
    expect(expanded).toEqual([]);
    expect(prompt).toContain('USER: HOLD');
    expect(prompt).toContain('[YOUR TASK]\nLook.');
  });
});

describe('tools and hooks of a child', () => {
  it('are the parent’s, all but those a configuration withholds', async () => {
    await using live = await planning();
    expect(toolsOf(await live.plan({ agent: 'explorer' }))).toEqual(['tool-test', 'tool-task']);
    const none = { settings: { exclude_tools: [] } };
    expect(toolsOf(await live.plan({ agent: 'explorer' }, none))).toEqual([
      'tool-test',
      'tool-delegate',
      'tool-task',
    ]);
  });

  it('always hold what the agent declares itself, whatever is excluded', async () => {
    await using live = await planning();
    expect(
      toolsOf(await live.plan({ agent: 'planner' }, { settings: { exclude_tools: ['delegate', 'task'] } })),
    ).toEqual(['tool-test', 'tool-delegate']);
    const strict = await live.plan({
      agent: 'planner',
      exclude_tools: ['tool-test', 'tool-delegate', 'tool-task'],
    });
    expect(toolsOf(strict)).toEqual(['tool-delegate']);
  });

  it('are excluded by module id or by tool name', async () => {
    await using live = await planning();
    const excluding = (name: string) =>
      live.plan({ agent: 'explorer' }, { settings: { exclude_tools: [name] } }).then(toolsOf);
    expect(await excluding('tool-delegate')).toEqual(['tool-test', 'tool-task']);
    expect(await excluding('delegate')).toEqual(['tool-test', 'tool-task']);
  });

  it('are only those of an allowlist, and the agent’s own, when there is one', async () => {
    await using live = await planning();
    expect(toolsOf(await live.plan({ agent: 'planner', inherit_tools: [] }))).toEqual(['tool-delegate']);
    expect(
      toolsOf(await live.plan({ agent: 'explorer' }, { settings: { inherit_tools: ['task'] } })),
    ).toEqual(['tool-task']);
  });

  it('follow the parent’s spawn policy, which goes on to grandchildren', async () => {
    await using excluding = await planning({ plan: { spawn: { exclude_tools: ['tool-test'] } } });
    const launch = await excluding.plan({ agent: 'planner' });
    expect(toolsOf(launch)).toEqual(['tool-delegate', 'tool-task']);
    expect(launch.launch.plan.spawn).toEqual({ exclude_tools: ['tool-test'] });
    await using replacing = await planning({ plan: { spawn: { tools: ['tool-test'] } } });
    expect(toolsOf(await replacing.plan({ agent: 'explorer' }))).toEqual(['tool-test']);
  });

  it('leave out hooks by name', async () => {
    const quiet = { mount: () => undefined };
    await using live = await planning({
      modules: { 'hooks-a': quiet, 'hooks-b': quiet },
      plan: { hooks: ['hooks-a', 'hooks-b'] },
    });
    const { launch: record } = await live.plan(
      { agent: 'explorer' },
      { settings: { exclude_hooks: ['hooks-a'] } },
    );
    expect(record.plan.hooks).toEqual(['hooks-b']);
  });
});

describe('the agent of a launch', () => {
  it('self is a twin: the parent’s prompt and plan, without its own name', async () => {
    await using live = await planning();
    const { launch: record } = await live.plan({ agent: 'self' });
    expect(record.agent).toMatchObject({ name: 'self', instruction: 'You are the root.' });
    expect(record.self_depth).toBe(1);
    expect(record.session_id).toMatch(/_self$/);
    expect((await live.plan({ agent: 'explorer' })).launch.self_depth).toBe(0);
  });

  it('may have a namespace, and is found in files as well as in the plan', async () => {
    await using live = await planning({
      roster: { 'foundation:explorer': { description: 'x', instruction: 'You explore.' } },
    });
    const { launch: record } = await live.plan({ agent: 'foundation:explorer' });
    expect(record.agent.name).toBe('foundation:explorer');
    expect(record.session_id).toMatch(/_foundation-explorer$/);
    expect((await live.plan({ agent: 'amplifier:foundation:explorer' })).launch.agent.name).toBe(
      'foundation:explorer',
    );
  });

  it('comes from its file with its origin and digest, and what the roster says of it goes before', async () => {
    await using source = await delegationBench();
    await source.workspace.write(
      'agents/reviewer.md',
      '---\nmeta:\n  name: reviewer\n  description: Reviews.\nprovider_preferences:\n  - {provider: a, model: b}\n---\nYou review.\n',
    );
    const folder = source.workspace.resolve('agents');
    const resolver = new AgentResolver({ searchPaths: [{ path: folder, origin: 'user' }] } as never);
    const agents = fileAgents(new AgentLoader({ resolver } as never));
    await using live = await planning({
      agents,
      roster: { reviewer: { provider_preferences: [{ provider: 'scripted', model: 'scripted-1' }] } },
    });
    const { launch: record } = await live.plan({ agent: 'reviewer' });
    expect(record.agent).toMatchObject({ instruction: 'You review.', digest: expect.any(String) });
    expect(record.model.chosen).toMatchObject({ provider: 'scripted', model: 'scripted-1' });
    await expect(live.plan({ agent: 'reviewre' })).rejects.toMatchObject({
      code: 'AGENT_NOT_FOUND',
      message: expect.stringContaining("Did you mean 'reviewer'?"),
    });
  });

  it('decides whom it may delegate to: all, a list, or nobody', async () => {
    const roster: Record<string, JsonObject> = {
      free: { instruction: 'You are free.', tools: ['tool-delegate'] },
      narrow: { instruction: 'You are narrow.', tools: ['tool-delegate'], agents: ['leaf'] },
      alone: { instruction: 'You are alone.', tools: ['tool-delegate'], agents: 'none' },
      leaf: { instruction: 'You are a leaf.' },
      other: { instruction: 'You are another.' },
    };
    const results: Record<string, string> = {};
    const scene: Scene = (_, { system, calls, prompt, results: got }) => {
      if (system.includes('root'))
        return calls === 0
          ? delegating(
              ...['free', 'narrow', 'alone'].flatMap((agent) =>
                ['leaf', 'other', 'self'].map((target) => ({
                  agent,
                  instruction: target,
                  context_depth: 'none',
                })),
              ),
            )
          : { text: 'done' };
      if (prompt === 'x') return { text: 'ok' };
      const asker = /You are (free|narrow|alone)/.exec(system)?.[1];
      if (asker && calls === 0) return delegating({ agent: prompt, instruction: 'x', context_depth: 'none' });
      if (asker)
        results[`${asker}>${prompt}`] = /not found|may not delegate/.test(got.join(''))
          ? 'refused'
          : 'allowed';
      return { text: 'ok' };
    };
    await using bench = await delegationBench({ roster, scene });
    await bench.root('Go.');
    expect(results).toEqual({
      'free>leaf': 'allowed',
      'free>other': 'allowed',
      'narrow>leaf': 'allowed',
      'narrow>other': 'refused',
      // A copy of itself is no other agent: `self_delegation` is about it, unless there is nobody at all.
      'free>self': 'allowed',
      'narrow>self': 'allowed',
      'alone>leaf': 'refused',
      'alone>other': 'refused',
      'alone>self': 'refused',
    });
  });
});

describe('limits of a launch', () => {
  const refusal = async (request: JsonObject, limits: JsonObject, times = 1, config: JsonObject = {}) => {
    const bench = await delegationBench();
    const root = await bench.liveRoot({ limits });
    try {
      for (let made = 0; made < times; made++)
        await bench.delegator.delegate(
          { instruction: 'x', ...request },
          root.parent,
          DelegateConfig.parse(config),
        );
      return null;
    } catch (error) {
      expect(root.parent.tree.children).toBe((await bench.store.children(root.parent.session_id)).length);
      return (error as { code: string }).code;
    } finally {
      await root[Symbol.asyncDispose]();
      await bench[Symbol.asyncDispose]();
    }
  };

  it('depth, children and self-delegation are refused with their codes, and count nothing', async () => {
    expect(await refusal({ agent: 'explorer' }, { max_depth: 0 })).toBe('LIMIT_REACHED');
    expect(await refusal({ agent: 'explorer' }, { max_children: 2 }, 2)).toBeNull();
    expect(await refusal({ agent: 'explorer' }, { max_children: 2 }, 3)).toBe('LIMIT_REACHED');
    const none = { features: { self_delegation: { max_depth: 0 } } };
    expect(await refusal({ agent: 'self' }, {}, 1, none)).toBe('SELF_DELEGATION_DEPTH_EXCEEDED');
    expect(await refusal({ agent: 'explorer', background: true }, {})).toBe('CAPABILITY_MISSING');
  });

  it('hold for chains of named agents, not only of selves', async () => {
    const depths: number[] = [];
    const scene: Scene = (_, { system, calls, results }) => {
      if (calls === 0 && !system.includes('explorer'))
        return delegating({ agent: 'planner', instruction: 'x' });
      return { text: results.join('') || 'done' };
    };
    await using bench = await delegationBench({
      scene,
      equip: (_, { depth }) => void depths.push(depth),
    });
    const { outcome } = await bench.root('Go.');
    expect(Math.max(...depths)).toBe(3);
    expect(JSON.stringify(outcome)).toContain('limited to 3 levels');
  });

  it('a root has no time limit of its own unless it is given one', async () => {
    await using live = await planning();
    expect(live.parent.limits.timeout).toBeNull();
    expect((await live.plan({ agent: 'explorer', timeout: 9 })).launch.limits.timeout).toBe(9);
  });
});

describe('secrets', () => {
  const SECRET = 'sk-very-secret-123';
  const providers = [
    {
      module: 'provider-scripted',
      config: { api_key: SECRET, reference: '${API_KEY}', headers: { authorization: `Bearer ${SECRET}` } },
    },
  ];

  it('never reach the disk, and are there again when the child is resumed from a live plan', async () => {
    const seen: unknown[] = [];
    const overlay = {
      instruction: 'You are keyed.',
      tools: [{ module: 'tool-test', config: { token: SECRET } }],
    };
    const keyed = { name: 'keyed', origin: 'test', digest: null, overlay };
    await using bench = await delegationBench({
      plan: { providers, tools: ['tool-test', { module: 'tool-delegate', config: {} }] },
      agents: { names: async () => ['keyed'], find: async (name) => (name === 'keyed' ? keyed : null) },
      roster: {
        explorer: {
          instruction: 'You are the explorer.',
          tools: [{ module: 'tool-test', config: { token: SECRET } }],
        },
      },
      equip: (coordinator, { depth }) => {
        if (depth > 0) seen.push(coordinator.plan.providers, coordinator.plan.tools?.[0]);
      },
    });
    const root = await bench.liveRoot();
    const preferences = [{ provider: 'scripted', model: 'scripted-1', config: { api_key: SECRET } }];
    const { launch } = await bench.delegator.delegate(
      { agent: 'explorer', instruction: 'x', provider_preferences: preferences },
      root.parent,
    );
    await bench.delegator.delegate({ session_id: launch.session_id, instruction: 'y' }, root.parent);
    await root[Symbol.asyncDispose]();
    await bench.root('Go.', { agent: 'keyed', metadata: { note: `Bearer ${SECRET}` } });
    for (const suffix of ['', '-wal'])
      expect((await readFile(bench.workspace.resolve(`sessions/record.db${suffix}`))).includes(SECRET)).toBe(
        false,
      );
    expect(JSON.stringify(await bench.store.document(launch.session_id, 'launch'))).toContain('${API_KEY}');
    expect(seen).toHaveLength(4);
    expect(JSON.stringify(seen[0])).toContain(SECRET);
    expect(JSON.stringify(seen[2])).toContain(SECRET);
    expect(seen[3]).toEqual(seen[1]);
  });
});
