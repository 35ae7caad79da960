import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { formatPlanIssues, validateMountPlan } from './validate-mount-plan.js';

const session = { orchestrator: 'loop-basic', context: 'context-simple' };
const loop: Record<string, unknown> = { session };
loop.agents = { again: loop };
let deep: unknown = 1;
for (let level = 0; level < 200; level++) deep = { deep };

/** [what is wrong, the plan, the path the error names, words of the fix] */
const MALFORMED: [string, unknown, string, RegExp][] = [
  ['nothing at all', undefined, '(plan)', /missing; write \{ session/],
  ['null', null, '(plan)', /must be an object, not null/],
  ['a list', [], '(plan)', /not a list/],
  ['a string', 'loop-basic', '(plan)', /not string "loop-basic"/],
  ['a number', 7, '(plan)', /not number 7/],
  ['an empty plan', {}, 'session', /missing; write session: \{ orchestrator/],
  ['a session that is a string', { session: 'loop-basic' }, 'session', /must be an object, not string/],
  ['a session that is a list', { session: [] }, 'session', /not a list/],
  ['an empty session', { session: {} }, 'session.orchestrator', /missing; write loop-basic/],
  ['no context', { session: { orchestrator: 'x' } }, 'session.context', /missing; write context-simple/],
  [
    'a null orchestrator',
    { session: { ...session, orchestrator: null } },
    'session.orchestrator',
    /not null; write loop-basic/,
  ],
  [
    'a numeric orchestrator',
    { session: { ...session, orchestrator: 5 } },
    'session.orchestrator',
    /not number 5/,
  ],
  [
    'an empty orchestrator',
    { session: { ...session, orchestrator: '' } },
    'session.orchestrator.module',
    /must not be empty/,
  ],
  [
    'a blank context',
    { session: { ...session, context: '  ' } },
    'session.context.module',
    /must not be empty/,
  ],
  [
    'an orchestrator without module',
    { session: { ...session, orchestrator: { config: {} } } },
    'session.orchestrator.module',
    /missing; write module: loop-basic/,
  ],
  [
    'a module that is a number',
    { session: { ...session, context: { module: 1 } } },
    'session.context.module',
    /must be the id of a module/,
  ],
  [
    'an orchestrator source that is a number',
    { session: { ...session, orchestrator_source: 3 } },
    'session.orchestrator_source',
    /must be a string/,
  ],
  [
    'a config that is a list',
    { session: { ...session, orchestrator: { module: 'x', config: [] } } },
    'session.orchestrator.config',
    /write config: \{/,
  ],
  [
    'a size limit that is text',
    { session: { ...session, injection_size_limit: '10k' } },
    'session.injection_size_limit',
    /positive whole number/,
  ],
  [
    'a negative budget',
    { session: { ...session, injection_budget_per_turn: -1 } },
    'session.injection_budget_per_turn',
    /positive whole number/,
  ],
  [
    'a fractional budget',
    { session: { ...session, injection_budget_per_turn: 1.5 } },
    'session.injection_budget_per_turn',
    /positive whole number/,
  ],
  [
    'metadata that is a string',
    { session: { ...session, metadata: 'x' } },
    'session.metadata',
    /must be an object/,
  ],
  ['raw that is a string', { session: { ...session, raw: 'yes' } }, 'session.raw', /true or false/],
  [
    'providers that are an object',
    { session, providers: {} },
    'providers',
    /must be a list of modules, not an object/,
  ],
  ['tools that are a string', { session, tools: 'tool-bash' }, 'tools', /write \[\{ module: tool-filesystem/],
  ['hooks that are null', { session, hooks: null }, 'hooks', /must be a list of modules, not null/],
  ['a tool that is null', { session, tools: ['tool-bash', null] }, 'tools[1]', /not null/],
  ['a tool that is a number', { session, tools: [1] }, 'tools[0]', /not number 1/],
  ['a tool that is a list', { session, tools: [['tool-bash']] }, 'tools[0]', /not a list/],
  [
    'a tool without module',
    { session, tools: [{ name: 'tool-bash' }] },
    'tools[0].module',
    /missing; write module:/,
  ],
  ['an empty tool', { session, tools: [''] }, 'tools[0].module', /must not be empty/],
  [
    'a tool config that is text',
    { session, tools: [{ module: 't', config: 'fast' }] },
    'tools[0].config',
    /must be an object/,
  ],
  [
    'a hook source that is an object',
    { session, hooks: [{ module: 'h', source: {} }] },
    'hooks[0].source',
    /must be a string/,
  ],
  [
    'an instance id that is a number',
    { session, providers: [{ module: 'p', instance_id: 2 }] },
    'providers[0].instance_id',
    /must be a string/,
  ],
  [
    'an orchestrator section that is a string',
    { session, orchestrator: 'x' },
    'orchestrator',
    /must be an object/,
  ],
  [
    'a context section with a bad config',
    { session, context: { config: 1 } },
    'context.config',
    /must be an object/,
  ],
  [
    'two unlabelled providers of one module',
    { session, providers: ['provider-a', { module: 'provider-a' }] },
    'providers[1]',
    /second 'provider-a' without an instance_id.*instance_id: provider-a-2/,
  ],
  [
    'two providers with one label',
    {
      session,
      providers: [
        { module: 'a', id: 'x' },
        { module: 'b', instance_id: 'x' },
      ],
    },
    'providers[1]',
    /instance_id 'x' of providers\[0\]/,
  ],
  ['a plan that contains itself', loop, 'agents.again', /contains itself/],
  ['a plan nested without end', { session, agents: deep }, 'agents.deep.deep', /deeper than 100/],
];

describe('a malformed plan', () => {
  it.each(MALFORMED)('%s', (_, plan, path, fix) => {
    const { valid, issues } = validateMountPlan(plan);
    expect(valid).toBe(false);
    const issue = issues.find((candidate) => candidate.path === path);
    expect(issue, JSON.stringify(issues)).toMatchObject({ severity: 'error' });
    expect(issue?.message).toMatch(fix);
  });

  it('gets all its errors and warnings in one list', () => {
    const { issues } = validateMountPlan({ session: { orchestrator: 1 }, tools: [null], provders: [] });
    expect(issues.map(({ severity, path }) => [severity, path])).toEqual([
      ['error', 'session.orchestrator'],
      ['error', 'session.context'],
      ['error', 'tools[0]'],
      ['warning', 'provders'],
    ]);
    expect(formatPlanIssues(issues)).toMatch(/^1\. session\.orchestrator must be/);
    expect(formatPlanIssues(issues)).toContain(
      "4. warning: provders is not a section the kernel reads; did you mean 'providers'?",
    );
  });

  it('never makes the validator throw, whatever it is', () => {
    fc.assert(
      fc.property(fc.anything({ withNullPrototype: true }), (value) => {
        expect(typeof validateMountPlan(value).valid).toBe('boolean');
        expect(typeof validateMountPlan({ session, tools: value, agents: value }).valid).toBe('boolean');
      }),
    );
  });
});

describe('a good plan', () => {
  it.each([
    ['the smallest one', { session }],
    [
      'module objects',
      { session: { orchestrator: { module: 'o', source: 's', config: {} }, context: { module: 'c' } } },
    ],
    ['strings and objects in lists', { session, tools: ['a', { module: 'b', config: { x: 1 } }] }],
    [
      'labelled instances of one provider',
      { session, providers: ['p', { module: 'p', instance_id: 'two' }, { module: 'p', id: 'three' }] },
    ],
    ['members of the app', { session: { ...session, own: 1 }, agents: { a: {} }, spawn: { tools: [] } }],
  ])('passes: %s', (_, plan) => {
    expect(validateMountPlan(plan)).toEqual({ valid: true, issues: [] });
  });

  it('with an unknown section is valid and warned of', () => {
    expect(validateMountPlan({ session, weather: {} })).toMatchObject({
      valid: true,
      issues: [{ severity: 'warning', path: 'weather' }],
    });
  });

  it('may use one value in two places', () => {
    const config = { shared: true };
    expect(
      validateMountPlan({
        session,
        tools: [
          { module: 'a', config },
          { module: 'b', config },
        ],
      }).valid,
    ).toBe(true);
  });
});
