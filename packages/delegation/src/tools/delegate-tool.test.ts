import type { JsonObject, Tool, ToolResult } from '@amplifier/core';
import { damageDocument } from '@amplifier/sessions/conformance';
import { scriptedSession } from '@amplifier/testkit';
import { describe, expect, it } from 'vitest';
import { type BenchOptions, delegationBench } from '../../test-support/delegation-bench.js';
import type { LaunchRecord } from '../plan/launch-record.js';
import { DELEGATE_EVENTS } from '../request/delegate-events.js';
import { DelegateRequest } from '../request/request.js';
import { delegationModules } from './modules.js';

/** The tools as a live root has them, and a way to call one as a model does. */
async function mounted(options: BenchOptions & { config?: JsonObject } = {}) {
  const { config = {}, ...rest } = options;
  const tools = ['tool-test', { module: 'tool-delegate', config }, { module: 'tool-task', config }];
  const found: {
    tools?: ReadonlyMap<string, Tool>;
    call?: (tool: string, input: JsonObject) => Promise<ToolResult>;
  } = {};
  const bench = await delegationBench({
    ...rest,
    plan: { tools, ...rest.plan },
    equip: (coordinator) => {
      if (found.tools) return;
      found.tools = coordinator.mounts.all('tools');
      const { cancellation, session } = coordinator;
      let calls = 0;
      found.call = async (tool, input) => {
        const context = { tool_call_id: `t${++calls}`, parallel_group_id: null, session, cancellation };
        const { signal } = cancellation;
        const result = await found.tools
          ?.get(tool)
          ?.execute(input, { ...context, signal, coordinator } as never);
        if (!result) throw new Error(`no tool ${tool}`);
        return result;
      };
    },
  });
  const root = await bench.liveRoot();
  const { tools: live, call } = found;
  if (!live || !call) throw new Error('not mounted');
  return {
    bench,
    parent: root.parent,
    call,
    delegate: live.get('delegate') as Tool,
    task: live.get('task') as Tool,
    tools: live,
    async [Symbol.asyncDispose]() {
      await root[Symbol.asyncDispose]();
      await bench[Symbol.asyncDispose]();
    },
  };
}

const parameters = (tool: Tool) => Object.keys((tool.inputSchema.properties ?? {}) as JsonObject).sort();

describe('the tool delegate', () => {
  it('offers the parameters of its documentation, and only the instruction is required', async () => {
    await using live = await mounted({ background: true });
    expect(parameters(live.delegate)).toEqual([
      'agent',
      'attachments',
      'background',
      'context_depth',
      'context_scope',
      'context_turns',
      'hand_back',
      'instruction',
      'max_result',
      'output_schema',
      'provider_preferences',
      'session_id',
      'skills',
    ]);
    expect(live.delegate.inputSchema).toMatchObject({
      required: ['instruction'],
      properties: {
        context_depth: { enum: ['none', 'recent', 'summary', 'all'], default: 'recent' },
        context_turns: { type: 'integer', default: 5, maximum: 10 },
        context_scope: { enum: ['conversation', 'agents', 'full'], default: 'conversation' },
        provider_preferences: { type: 'array', items: { required: ['provider', 'model'] } },
      },
    });
  });

  it('describes each parameter as the request does', async () => {
    await using live = await mounted({ background: true });
    const { shape } = DelegateRequest;
    const own = ['agent', 'attachments'];
    for (const { inputSchema } of [live.delegate, live.task])
      for (const [name, member] of Object.entries(inputSchema.properties as Record<string, JsonObject>)) {
        if (!own.includes(name))
          expect(member.description, name).toBe(shape[name as keyof typeof shape].description);
        expect(member.description, name).toEqual(expect.any(String));
      }
    expect(live.delegate.inputSchema.properties).toMatchObject({
      max_result: { type: 'integer', minimum: 200 },
      background: { default: false },
      output_schema: { type: 'object' },
      attachments: { items: { type: 'string' } },
      provider_preferences: { items: { properties: { model: { description: expect.any(String) } } } },
    });
    expect(JSON.stringify(live.delegate.inputSchema)).not.toMatch(/propertyNames|9007199254740991|"config"/);
  });

  it('offers roles only where something resolves them, as a list where the list is known', async () => {
    const role = async (known_roles: unknown) => {
      await using live = await mounted({
        modules: {
          'hook-roles': {
            mount: (coordinator) =>
              coordinator.registerCapability('model_role_resolver', { name: 'm', known_roles } as never),
          },
        },
        plan: { hooks: ['hook-roles'] },
      });
      return (live.delegate.inputSchema.properties as JsonObject).model_role;
    };
    expect(await role(['coding', 'fast'])).toMatchObject({ type: 'string', enum: ['coding', 'fast'] });
    expect(await role('coding')).toEqual({ type: 'string', description: expect.any(String) });
    expect(await role([1, 'x'])).not.toHaveProperty('enum');
  });

  it('describes the agents that are there, by name, and nothing that is switched off', async () => {
    await using live = await mounted();
    expect(live.delegate.description).toMatch(/- explorer: Explores\.\n- planner: Plans\./);
    expect(live.delegate.description).toContain("'self' is a fresh copy");
    expect(live.delegate.description).not.toContain('background');
    await using bare = await mounted({
      roster: {},
      config: {
        features: {
          self_delegation: { enabled: false },
          session_resume: { enabled: false },
          context_inheritance: { enabled: false },
          provider_selection: { enabled: false },
        },
      },
    });
    expect(bare.delegate.description).toContain('No agents are registered by name.');
    expect(bare.delegate.description).not.toContain('fresh copy');
    expect(parameters(bare.delegate)).toEqual([
      'agent',
      'attachments',
      'hand_back',
      'instruction',
      'max_result',
      'output_schema',
      'skills',
    ]);
  });

  it('sees agents that are added while the session runs', async () => {
    await using live = await mounted();
    const late = { description: 'Came later.', instruction: 'You are late.' };
    live.parent.plan.agents = { ...(live.parent.plan.agents as JsonObject), late };
    expect(live.delegate.description).toContain('- late: Came later.');
    const result = await live.call('delegate', { agent: 'late', instruction: 'Go.' });
    expect(result).toMatchObject({ success: true, output: { agent: 'late', response: 'Done.' } });
  });

  it('gives back the result shape of its documentation', async () => {
    await using live = await mounted();
    const { output, success } = await live.call('delegate', {
      agent: 'explorer',
      instruction: 'Look.',
      provider_preferences: [{ provider: 'nowhere', model: 'x' }],
    });
    expect(success).toBe(true);
    expect(output).toEqual({
      response: 'Done.',
      session_id: expect.stringMatching(/^[0-9a-f]{16}-[0-9a-f]{16}_explorer$/),
      agent: 'explorer',
      status: 'success',
      turn_count: 1,
      metadata: {
        model_used: 'scripted-1',
        usage: expect.objectContaining({ total_tokens: 15 }),
        cost: null,
        resumable: true,
        notice: expect.stringContaining('no approval by a person'),
        warnings: [expect.stringContaining('nowhere')],
      },
      provider_routing: expect.objectContaining({ model_used: 'scripted-1', resolved: null }),
    });
  });

  it('resumes by session_id, with the same shape', async () => {
    await using live = await mounted();
    const first = await live.call('delegate', { agent: 'explorer', instruction: 'Look.' });
    const { session_id } = first.output as { session_id: string };
    const again = await live.call('delegate', { session_id, instruction: 'And now?' });
    expect(again).toMatchObject({
      success: true,
      output: { session_id, agent: 'explorer', status: 'success', response: 'Done.', turn_count: 1 },
    });
    expect((await live.bench.store.messages(session_id)).map(({ role }) => role)).toEqual([
      'user',
      'assistant',
      'user',
      'assistant',
    ]);
  });

  it.each([
    ['an empty instruction', { agent: 'explorer', instruction: '  ' }, 'INSTRUCTION_REQUIRED', /empty/],
    ['neither agent nor session', { instruction: 'x' }, 'AGENT_REQUIRED', /Name an agent/],
    [
      'an unknown agent',
      { agent: 'exploer', instruction: 'x' },
      'AGENT_NOT_FOUND',
      /Did you mean 'explorer'\?/,
    ],
    [
      'an unknown namespaced agent',
      { agent: 'foundation:explorer', instruction: 'x' },
      'AGENT_NOT_FOUND',
      /'foundation:explorer' not found.*'explorer'/,
    ],
    [
      'an unknown session',
      { session_id: 'fake-id', instruction: 'x' },
      'SESSION_NOT_FOUND',
      /Sub-session 'fake-id' not found\. The session may have expired/,
    ],
    [
      'a session id that is a path',
      { session_id: '../../etc', instruction: 'x' },
      'SESSION_NOT_FOUND',
      /not found/,
    ],
    [
      'turns that are no number',
      { agent: 'explorer', instruction: 'x', context_turns: 'many' },
      'INVALID_REQUEST',
      /context_turns/,
    ],
    [
      'malformed preferences',
      { agent: 'explorer', instruction: 'x', provider_preferences: [{ model: 'm' }] },
      'INVALID_REQUEST',
      /provider_preferences/,
    ],
  ])('answers %s with an error the model can read', async (_, input, code, message) => {
    await using live = await mounted();
    const result = await live.call('delegate', input);
    expect(result).toMatchObject({
      success: false,
      error: { code, message: expect.stringMatching(message) },
    });
    const errors = live.bench.events.filter(({ name }) => name === 'delegate:error');
    expect(errors).toMatchObject([{ data: { error_code: code, metadata: null, tool_call_id: 't1' } }]);
    expect(await live.bench.store.children(live.parent.session_id)).toEqual([]);
  });

  it('names a corrupted session as such', async () => {
    await using live = await mounted();
    const { output } = await live.call('delegate', { agent: 'explorer', instruction: 'Look.' });
    const { session_id } = output as { session_id: string };
    const file = live.bench.workspace.resolve('sessions/record.db');
    for (const damage of ['{"version": 1', '{}']) {
      await damageDocument(file, session_id, 'launch', damage);
      const result = await live.call('delegate', { session_id, instruction: 'And now?' });
      expect(result).toMatchObject({
        success: false,
        error: {
          code: 'SESSION_CORRUPT',
          message: expect.stringContaining(`Corrupted session metadata for '${session_id}'`),
        },
      });
    }
  });

  it('refuses what its configuration switches off', async () => {
    await using live = await mounted({
      background: true,
      config: {
        features: {
          self_delegation: { enabled: false },
          session_resume: { enabled: false },
          background: { enabled: false },
        },
      },
    });
    const { output } = await live.call('delegate', {
      agent: 'explorer',
      instruction: 'Look.',
      background: true,
    });
    expect(output).toMatchObject({ status: 'success', metadata: { resumable: false } });
    const { session_id } = output as { session_id: string };
    expect(await live.call('delegate', { session_id, instruction: 'x' })).toMatchObject({
      error: { code: 'RESUME_DISABLED' },
    });
    expect(await live.call('delegate', { agent: 'self', instruction: 'x' })).toMatchObject({
      error: { code: 'SELF_DELEGATION_DISABLED' },
    });
    expect(live.tools.has('agents')).toBe(false);
  });

  it('ignores the model’s choice of model where provider selection is off', async () => {
    await using live = await mounted({ config: { features: { provider_selection: { enabled: false } } } });
    const { output } = await live.call('delegate', {
      agent: 'explorer',
      instruction: 'Look.',
      provider_preferences: [{ provider: 'nowhere', model: 'x' }],
    });
    expect(output).not.toHaveProperty('provider_routing');
  });

  it('takes its configuration also in the form with modules around it, and names what is wrong in it', async () => {
    const settings = { settings: { timeout: 7, exclude_tools: ['echo'] } };
    await using live = await mounted({ config: { modules: { 'tool-delegate': settings } } });
    const { output } = await live.call('delegate', { agent: 'explorer', instruction: 'Look.' });
    const { session_id } = output as { session_id: string };
    expect(await live.bench.store.document(session_id, 'launch')).toMatchObject({ limits: { timeout: 7 } });
    await using bench = await delegationBench({
      plan: { tools: ['tool-test', { module: 'tool-delegate', config: { settings: { timeout: 'soon' } } }] },
    });
    const { outcome } = await bench.root('Go.');
    expect(JSON.stringify(outcome)).toMatch(/tool-delegate/);
  });

  it('says so, and announces it, when the app has registered no way to delegate', async () => {
    const { session, model } = scriptedSession({
      script: [
        { tool_calls: [{ name: 'delegate', arguments: { agent: 'x', instruction: 'y' } }] },
        { tool_calls: [{ name: 'task', arguments: { session_id: 's', instruction: 'y' } }] },
        { text: 'ok' },
      ],
      modules: Object.fromEntries(
        await Promise.all(Object.entries(delegationModules).map(async ([id, load]) => [id, await load()])),
      ),
      plan: { tools: ['tool-delegate', 'tool-task'] },
    });
    const errors: unknown[] = [];
    session.coordinator.hooks.register('delegate:error', (_, data) => void errors.push(data));
    await session.initialize();
    await session.execute('Go.');
    const results = model.requests.at(-1)?.messages.filter(({ role }) => role === 'tool') ?? [];
    expect(results.map(({ content }) => String(content))).toEqual([
      expect.stringContaining("capability 'session.spawn'"),
      expect.stringContaining("capability 'session.resume'"),
    ]);
    expect(errors).toMatchObject([
      { error_code: 'CAPABILITY_MISSING', agent: 'x' },
      { error_code: 'CAPABILITY_MISSING', sub_session_id: 's' },
    ]);
    await session.cleanup();
  });

  it('serves an app that registers its own policy and gives back no more than answer and session', async () => {
    await using live = await mounted({
      modules: {
        'hook-policy': {
          mount: (coordinator) => {
            const own = async () => ({ output: 'by my own rules', session_id: 'mine' });
            coordinator.registerCapability('session.spawn', own);
            coordinator.registerCapability('session.resume', own);
          },
        },
      },
      plan: { hooks: ['hook-policy'] },
    });
    for (const input of [
      { agent: 'any', instruction: 'x' },
      { session_id: 'mine', instruction: 'x' },
    ]) {
      expect(await live.call('delegate', input)).toMatchObject({
        success: true,
        output: {
          response: 'by my own rules',
          session_id: 'mine',
          status: 'success',
          turn_count: 1,
          metadata: {},
        },
      });
    }
  });

  it('offers its five events on the channel observability.events', async () => {
    const { session } = scriptedSession({
      modules: Object.fromEntries(
        await Promise.all(Object.entries(delegationModules).map(async ([id, load]) => [id, await load()])),
      ),
      plan: { tools: ['tool-delegate'] },
    });
    await session.initialize();
    const offered = await session.coordinator.contributions.collect('observability.events');
    expect(offered.flat()).toEqual([...DELEGATE_EVENTS]);
    expect(DELEGATE_EVENTS).toEqual([
      'delegate:agent_spawned',
      'delegate:agent_resumed',
      'delegate:agent_completed',
      'delegate:agent_cancelled',
      'delegate:error',
    ]);
    expect(session.coordinator.getCapability('observability.events')).toBeNull();
    await session.cleanup();
  });
});

describe('the tool task', () => {
  it('offers the parameters of its documentation', async () => {
    await using live = await mounted();
    expect(parameters(live.task)).toEqual([
      'agent',
      'instruction',
      'model_role',
      'provider_preferences',
      'session_id',
    ]);
    expect(live.task.inputSchema).toMatchObject({ required: ['instruction'] });
  });

  it('spawns with agent and resumes with session_id, and gives back response and session_id', async () => {
    await using live = await mounted();
    const first = await live.call('task', { agent: 'explorer', instruction: 'Look.' });
    expect(first.output).toEqual({ response: 'Done.', session_id: expect.any(String) });
    const { session_id } = first.output as { session_id: string };
    const again = await live.call('task', { session_id, agent: 'ignored', instruction: 'More.' });
    expect(again.output).toEqual({ response: 'Done.', session_id });
    expect(await live.bench.store.children(live.parent.session_id)).toHaveLength(1);
  });

  it.each(['task', 'delegate'])('does not let %s resume a session that it did not start', async (tool) => {
    await using live = await mounted();
    const other = await live.bench.root('secret', { session_id: 'someone-else' });
    const asked = await live.call(tool, { session_id: other.session_id, instruction: 'Repeat it.' });
    expect(asked).toMatchObject({ success: false, error: { code: 'SESSION_NOT_FOUND' } });
    const fork = await live.bench.delegator.fork(other.session_id);
    expect(await live.call(tool, { session_id: fork.session_id, instruction: 'Repeat it.' })).toMatchObject({
      success: false,
      error: { code: 'SESSION_NOT_FOUND' },
    });
    const itself = await live.call(tool, { session_id: live.parent.session_id, instruction: 'Again.' });
    expect(itself).toMatchObject({ success: false, error: { code: 'SESSION_NOT_FOUND' } });
  });

  it('hands all tools of the parent on when no spawn section says otherwise', async () => {
    const toolsOf = async (options: Parameters<typeof mounted>[0]) => {
      await using live = await mounted(options);
      const { output } = await live.call('task', { agent: 'explorer', instruction: 'Look.' });
      const launch = await live.bench.store.document((output as { session_id: string }).session_id, 'launch');
      const { tools } = (launch as unknown as LaunchRecord).plan;
      return (tools ?? []).map((entry) => (typeof entry === 'string' ? entry : entry.module));
    };
    expect(await toolsOf({})).toEqual(['tool-test', 'tool-delegate', 'tool-task']);
    const spawn = { exclude_tools: ['tool-task'] };
    expect(await toolsOf({ plan: { spawn } })).toEqual(['tool-test', 'tool-delegate']);
    expect(await toolsOf({ config: { exclude_tools: ['task'] } })).toEqual(['tool-test', 'tool-delegate']);
  });

  it('passes nothing of the parent’s conversation on', async () => {
    await using live = await mounted();
    const { output } = await live.call('task', { agent: 'explorer', instruction: 'Look.' });
    const [first] = await live.bench.store.messages((output as { session_id: string }).session_id);
    expect(first?.content).toBe('Look.');
  });
});
