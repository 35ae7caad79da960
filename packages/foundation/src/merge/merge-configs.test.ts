import { cloneJson, type JsonObject, type MountPlan, moduleSpec } from '@amplifier/core';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { joinRosters } from './agent-access.js';
import { inheritHooks, inheritTools } from './inherit-modules.js';
import { mergeConfigs } from './merge-configs.js';
import { mergeToolConfig } from './merge-tool-config.js';
import { applySpawnToolPolicy } from './spawn-tool-policy.js';

const session = { orchestrator: 'loop-basic', context: 'context-simple' };

const parent = (members: Partial<MountPlan> = {}): MountPlan => ({
  session,
  tools: [
    { module: 'tool-task' },
    { module: 'tool-filesystem', source: 'git+https://x', config: { root: '.', deny: ['a'] } },
    { module: 'tool-bash' },
  ],
  ...members,
});

const modules = (entries: unknown): string[] =>
  (entries as unknown[]).map((entry) => moduleSpec(entry)?.module ?? String(entry));

describe('mergeConfigs', () => {
  it('gives a child everything of its parent when the agent declares nothing', () => {
    expect(mergeConfigs(parent(), {})).toEqual(parent());
  });

  it('merges a tool of the same module and keeps its source; a bare name keeps its config too', () => {
    const merged = mergeConfigs(parent(), {
      tools: ['tool-filesystem', { module: 'tool-filesystem', config: { deny: ['b'] } }, 'tool-web', 5, null],
    });
    expect(modules(merged.tools)).toEqual(['tool-task', 'tool-filesystem', 'tool-bash', 'tool-web']);
    expect(merged.tools?.[1]).toEqual({
      module: 'tool-filesystem',
      source: 'git+https://x',
      config: { root: '.', deny: ['b'] },
    });
  });

  it('inherits all providers, and merges the config of the one an agent repeats', () => {
    const providers = [
      { module: 'provider-a', config: { api_key: `\${A}`, deep: { x: 1, y: 2 } } },
      { module: 'provider-b' },
    ];
    expect(mergeConfigs(parent({ providers }), {}).providers).toEqual(providers);
    const { providers: merged } = mergeConfigs(parent({ providers }), {
      providers: [{ module: 'provider-a', config: { deep: { y: 3 } } }],
    });
    expect(merged?.[0]).toMatchObject({ config: { api_key: `\${A}`, deep: { x: 1, y: 3 } } });
    expect(merged).toHaveLength(2);
  });

  it('keeps every key of the overlay', () => {
    const overlay = { description: 'd', instruction: 'i', model_role: 'fast', provider_preferences: [] };
    expect(mergeConfigs(parent(), overlay)).toMatchObject(overlay);
  });

  it.each([
    ['none', []],
    [['b', 'unknown'], ['b']],
    ['all', ['a', 'b']],
    [undefined, ['a', 'b']],
    ['nobody', []],
    [{ include: ['a'] }, []],
    [null, []],
  ])('agents: %j leaves the roster %j', (access, names) => {
    const roster = { a: { description: 'A' }, b: { description: 'B' } };
    const merged = mergeConfigs(parent({ agents: roster }), access === undefined ? {} : { agents: access });
    expect(Object.keys(merged.agents as JsonObject)).toEqual(names);
    expect(merged.agents).not.toBe(roster);
  });

  it('shares nothing with the parent, so that a child cannot write into it', () => {
    const plan = parent({ agents: { a: { list: [1] } }, session: { ...session, metadata: { k: 'v' } } });
    const before = cloneJson(plan);
    const merged = mergeConfigs(plan, {}) as MountPlan & { agents: { a: { list: number[] } } };
    merged.session.metadata = { tool_call_id: 'x' };
    merged.agents.a.list.push(2);
    expect(plan).toEqual(before);
  });
});

describe('the spawn policy', () => {
  it('tools replaces what is inherited; a bare name keeps the parent’s config and source', () => {
    const plan = parent({
      spawn: { tools: ['filesystem', 'tool-new', { module: 'tool-own' }], exclude_tools: ['tool-own'] },
    });
    const { tools } = applySpawnToolPolicy(plan);
    expect(modules(tools)).toEqual(['tool-filesystem', 'tool-new', 'tool-own']);
    expect(tools?.[0]).toMatchObject({ config: { root: '.' } });
  });

  it.each(['tool-task', 'task'])('exclude_tools takes %s away', (name) => {
    const { tools } = applySpawnToolPolicy(parent({ spawn: { exclude_tools: [name] } }));
    expect(modules(tools)).toEqual(['tool-filesystem', 'tool-bash']);
  });

  it('works on bare names in the parent’s list', () => {
    const plan = parent({ tools: ['tool-task', 'tool-bash'], spawn: { exclude_tools: ['tool-task'] } });
    expect(modules(applySpawnToolPolicy(plan).tools)).toEqual(['tool-bash']);
  });

  it('changes nothing without a section, or where tools is no list', () => {
    const plain = parent();
    expect(applySpawnToolPolicy(plain)).toBe(plain);
    const odd = { session, tools: 'all', spawn: { exclude_tools: ['a'] } } as unknown as MountPlan;
    expect(applySpawnToolPolicy(odd)).toBe(odd);
  });

  it('lets an agent re-add a tool by declaring it, and holds for grandchildren', () => {
    const plan = parent({ spawn: { exclude_tools: ['tool-task'] } });
    const child = mergeConfigs(plan, { tools: ['tool-task'] });
    expect(modules(child.tools)).toContain('tool-task');
    expect(modules(mergeConfigs(child, {}).tools)).not.toContain('tool-task');
  });
});

describe('inheritance of tools and hooks', () => {
  const plan = parent({ hooks: ['hooks-logging', { module: 'hooks-redaction' }] });

  it.each(['tool-bash', 'bash'])('exclude_tools: [%s] takes it away', (name) => {
    expect(modules(inheritTools(plan, {}, { exclude_tools: [name] }).tools)).toEqual([
      'tool-task',
      'tool-filesystem',
    ]);
  });

  it('never takes away what the agent declares, by bare name too', () => {
    const overlay = { tools: ['tool-bash'] };
    expect(modules(inheritTools(plan, overlay, { exclude_tools: ['tool-bash', 'tool-task'] }).tools)).toEqual(
      ['tool-filesystem', 'tool-bash'],
    );
  });

  it('keeps only the listed and the declared under an allowlist, which wins over exclusions', () => {
    const overlay = { tools: [{ module: 'tool-bash' }] };
    expect(modules(inheritTools(plan, overlay, { inherit_tools: [] }).tools)).toEqual(['tool-bash']);
    const both = { inherit_tools: ['filesystem'], exclude_tools: ['filesystem'] };
    expect(modules(inheritTools(plan, overlay, both).tools)).toEqual(['tool-filesystem', 'tool-bash']);
  });

  it('changes nothing for an empty policy or a plan without the list', () => {
    expect(inheritTools(plan, {}, {})).toBe(plan);
    expect(inheritTools(plan, {}, { exclude_tools: [] })).toBe(plan);
    const bare: MountPlan = { session };
    expect(inheritTools(bare, {}, { inherit_tools: [] })).toBe(bare);
  });

  it('treats hooks alike', () => {
    expect(modules(inheritHooks(plan, {}, { exclude_hooks: ['logging'] }).hooks)).toEqual([
      'hooks-redaction',
    ]);
    expect(modules(inheritHooks(plan, { hooks: ['hooks-logging'] }, { inherit_hooks: [] }).hooks)).toEqual([
      'hooks-logging',
    ]);
  });
});

it('joins a roster with agents added while running; the planned entry wins', () => {
  const planned = { a: { v: 1 } };
  const live = { a: { v: 2 }, b: { v: 3 } };
  expect(joinRosters(planned, live)).toEqual({ a: { v: 1 }, b: { v: 3 } });
});

it('joins permission paths of a tool and replaces its other lists', () => {
  const base = { allowed_write_paths: ['a'], denied_write_paths: ['x'], extensions: ['.md'] };
  const overlay = { allowed_write_paths: ['b', 'a'], extensions: ['.ts'] };
  expect(mergeToolConfig(base, overlay)).toEqual({
    allowed_write_paths: ['a', 'b'],
    denied_write_paths: ['x'],
    extensions: ['.ts'],
  });
});

describe('for any plan and overlay', () => {
  const name = fc.constantFrom('tool-a', 'tool-b', 'tool-c', 'a', 'b');
  const config = fc.record(
    {
      k: fc.integer(),
      l: fc.array(fc.integer()),
      m: fc.dictionary(fc.constantFrom('n', '__proto__'), fc.integer()),
    },
    { requiredKeys: [] },
  );
  const entry = fc.oneof(name, fc.record({ module: name, config }, { requiredKeys: ['module'] }));
  const list = fc.array(entry, { maxLength: 5 });
  const spawn = fc.record({ tools: list, exclude_tools: fc.array(name) }, { requiredKeys: [] });
  const plan = fc.record(
    { session: fc.constant(session), tools: list, hooks: list, spawn, agents: fc.dictionary(name, config) },
    { requiredKeys: ['session'] },
  ) as fc.Arbitrary<MountPlan>;
  const overlay = fc.record(
    {
      tools: list,
      hooks: list,
      agents: fc.oneof(fc.constantFrom('all', 'none'), fc.array(name)),
      extra: config,
    },
    { requiredKeys: [] },
  ) as fc.Arbitrary<JsonObject>;

  it('inputs never change, whatever is then written into the result', () => {
    fc.assert(
      fc.property(plan, overlay, (parentPlan, own) => {
        const before = JSON.stringify([parentPlan, own]);
        const merged = mergeConfigs(parentPlan, own);
        scribble(merged);
        expect(JSON.stringify([parentPlan, own])).toBe(before);
      }),
    );
  });

  it('laying the same overlay on twice changes nothing more, when no spawn policy stands between', () => {
    fc.assert(
      fc.property(plan, overlay, ({ spawn: _, ...parentPlan }, own) => {
        const once = mergeConfigs(parentPlan as MountPlan, own);
        expect(mergeConfigs(once, own)).toEqual(once);
      }),
    );
  });

  it('laying on two overlays in turn is laying on their merge, as long as a key keeps its kind', () => {
    fc.assert(
      fc.property(
        plan,
        overlay,
        overlay,
        ({ spawn: _, ...base }, { agents: __, ...first }, { agents: ___, ...second }) => {
          const parentPlan = base as MountPlan;
          const joined = mergeConfigs({ session, ...first } as MountPlan, second);
          const { session: ____, ...own } = joined;
          expect(mergeConfigs(mergeConfigs(parentPlan, first), second)).toEqual(
            mergeConfigs(parentPlan, own),
          );
        },
      ),
    );
  });

  it('every tool an agent declares is mounted, whatever is excluded', () => {
    fc.assert(
      fc.property(
        plan,
        overlay,
        fc.array(name),
        fc.option(fc.array(name)),
        (parentPlan, own, excluded, allowed) => {
          const policy = { exclude_tools: excluded, ...(allowed ? { inherit_tools: allowed } : {}) };
          const { tools = [] } = inheritTools(mergeConfigs(parentPlan, own), own, policy);
          for (const declared of modules(own.tools ?? [])) expect(modules(tools)).toContain(declared);
        },
      ),
    );
  });
});

function scribble(value: unknown): void {
  if (Array.isArray(value)) {
    value.forEach(scribble);
    value.push('scribble');
  } else if (typeof value === 'object' && value !== null) {
    for (const key of Object.keys(value)) {
      const member = Object.getOwnPropertyDescriptor(value, key)?.value;
      if (member !== session) scribble(member);
    }
    (value as JsonObject).scribble = true;
  }
}
