import { recordEvents, type ScriptedSessionOptions, scriptedSession, settle } from '@amplifier/testkit';
import { describe, expect, it } from 'vitest';
import { Plan } from '../plan.js';
import type { AmplifierModule } from './contracts/module.js';
import type { Orchestrator } from './contracts/orchestrator.js';
import { RateLimitError } from './errors/llm-errors.js';
import { Session } from './session.js';
import { toolSuccess } from './tool-result.js';

const orchestratorModule = (execute: Orchestrator['execute']): AmplifierModule => ({
  mount: ({ mounts }) => mounts.mount('orchestrator', { execute }),
});

async function ready(options: ScriptedSessionOptions = {}) {
  const { session, model } = scriptedSession(options);
  const events = recordEvents(session.coordinator.hooks);
  await session.initialize();
  return { session, model, events };
}

describe('construction', () => {
  it('has sections of its own that can be replaced and not changed, and leaves the plan it was given as it is', async () => {
    const plan = { session: { orchestrator: 'o', context: 'c' }, agents: { a: { x: 1 } } };
    const session = new Session({ plan });
    expect(() => {
      (session.plan.agents as { a: { x: number } }).a.x = 2;
    }).toThrow(TypeError);
    session.plan.agents = { a: { x: 2 } };
    session.plan.session.raw = true;
    plan.agents.a.x = 3;
    expect(plan).toEqual({ session: { orchestrator: 'o', context: 'c' }, agents: { a: { x: 3 } } });
    expect(session.coordinator.plan.agents).toEqual({ a: { x: 2 } });
  });

  it('shares the sections of a plan, which is known by its hash until one of them is replaced', () => {
    const { json, hash } = Plan.of({ session: { orchestrator: 'o', context: 'c' }, agents: { a: { x: 1 } } });
    const [one, other] = [new Session({ plan: json, metadata: { n: 1 } }), new Session({ plan: json })];
    expect(one.plan.agents).toBe(other.plan.agents);
    expect(one.plan.session.metadata).toEqual({ n: 1 });
    expect(Plan.of(one.plan).hash).toBe(hash);
    one.plan.agents = { a: { x: 2 } };
    expect(Plan.of(one.plan).hash).not.toBe(hash);
    expect(Plan.of(one.plan)).toBe(Plan.of(one.plan));
    expect(Plan.of(other.plan).json).toBe(json);
    expect(Plan.of(structuredClone(json)).hash).toBe(hash);
  });

  it('has no hash for a plan with live values: it is equal to no other', () => {
    const session = { orchestrator: 'o', context: 'c' };
    expect(Plan.of({ session, tools: [{ module: 't', config: { script: () => {} } }] }).hash).toBeNull();
    expect(Plan.of({ session }).hash).toEqual(expect.any(String));
  });

  it('makes up a UUID when no id is given', () => {
    const plan = { session: { orchestrator: 'o', context: 'c' } };
    expect(new Session({ plan }).id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4/);
    expect(new Session({ plan, id: 'mine' }).id).toBe('mine');
  });

  it.each([[{}], [{ session: {} }], [{ session: { orchestrator: null, context: 'c' } }]])(
    'refuses the plan %j',
    (plan) => {
      expect(() => new Session({ plan: plan as never })).toThrow(
        expect.objectContaining({ code: 'INVALID_MOUNT_PLAN' }),
      );
    },
  );
});

describe('a turn', () => {
  it('runs the tools the model calls and returns its answer', async () => {
    const seen: unknown[] = [];
    const { session, model, events } = await ready({
      script: [
        { text: 'Looking.', tool_calls: [{ name: 'look', arguments: { where: 'here' } }] },
        { text: 'Found it.' },
      ],
      tools: [
        {
          name: 'look',
          description: 'Looks.',
          inputSchema: { type: 'object' },
          execute: async (input, context) => {
            seen.push(input, context.tool_call_id, context.session.id, context.signal.aborted);
            return toolSuccess('a needle');
          },
        },
      ],
    });
    expect(await session.execute('Find it.')).toBe('Found it.');
    expect(seen).toEqual([{ where: 'here' }, 'call_1', session.id, false]);
    expect(model.requests[1]?.messages.at(-1)).toMatchObject({
      role: 'tool',
      tool_call_id: 'call_1',
      content: 'a needle',
    });
    expect(events.names()).toEqual([
      'session:start',
      'execution:start',
      'provider:request',
      'provider:response',
      'tool:pre',
      'tool:post',
      'provider:request',
      'provider:response',
      'execution:end',
      'orchestrator:complete',
    ]);
    expect(session.status).toEqual({ state: 'completed', last_error: null });
  });

  it('announces the session once over several turns', async () => {
    const { session, events } = await ready({
      script: () => ({ text: 'Yes.' }),
      plan: { session: { orchestrator: 'loop-minimal', context: 'context-memory', metadata: { k: 1 } } },
    });
    await session.execute('one');
    await session.execute('two');
    expect(events.of('session:start')).toMatchObject([
      { session_id: session.id, parent_id: null, metadata: { k: 1 } },
    ]);
  });

  it('announces a resumed session as such', async () => {
    const { session, events } = await ready({ is_resumed: true });
    await session.execute('go on');
    expect(events.names()).toContain('session:resume');
    expect(events.names()).not.toContain('session:start');
  });

  it('shows the whole plan without its secrets when asked to', async () => {
    const { session, events } = await ready({
      script: () => ({ text: 'Yes.' }),
      plan: {
        session: { orchestrator: 'loop-minimal', context: 'context-memory', raw: true },
        providers: [
          {
            module: 'provider-scripted',
            config: { api_key: 'sk-123', client_secret: 'x', base_url: 'http://localhost' },
          },
        ],
      },
    });
    await session.execute('one');
    await session.execute('two');
    expect(events.of('session:config')).toHaveLength(2);
    expect(events.of('session:config')[0]).toMatchObject({
      raw: {
        providers: [
          { config: { api_key: '[REDACTED]', client_secret: '[REDACTED]', base_url: 'http://localhost' } },
        ],
      },
    });
  });

  it('is refused before initialize, while another runs, and after cleanup', async () => {
    const { session } = scriptedSession({ script: [{ hang: true }] });
    await expect(session.execute('early')).rejects.toMatchObject({ code: 'SESSION_NOT_INITIALIZED' });
    await session.initialize();
    const first = session.execute('first');
    await expect(session.execute('second')).rejects.toMatchObject({ code: 'SESSION_BUSY' });
    expect(() => session.cleanup()).toThrow(expect.objectContaining({ code: 'SESSION_BUSY' }));
    await session.coordinator.requestCancel('immediate');
    await expect(first).rejects.toMatchObject({ code: 'ABORTED' });
    await session.cleanup();
    await expect(session.execute('late')).rejects.toMatchObject({ code: 'SESSION_CLOSED' });
  });

  it('needs a provider and says how to get one', async () => {
    const { session } = await ready({
      plan: { session: { orchestrator: 'loop-minimal', context: 'context-memory' }, providers: [] },
    });
    await expect(session.execute('go')).rejects.toMatchObject({
      code: 'NOTHING_MOUNTED',
      message: expect.stringContaining('No provider mounted'),
    });
  });

  it('throws what the orchestrator threw, class and all, and keeps it as the last error', async () => {
    const failure = new RateLimitError('slow down', { retry_after: 7 });
    const { session } = await ready({ script: [{ error: failure }, { text: 'Better.' }] });
    await expect(session.execute('go')).rejects.toBe(failure);
    expect(session.status).toEqual({ state: 'failed', last_error: failure });
    expect(await session.execute('again')).toBe('Better.');
    expect(session.status.last_error).toBeNull();
  });

  it('ends as cancelled when the token was set, with or without an error', async () => {
    const { session, events } = await ready({
      modules: {
        'loop-minimal': orchestratorModule(async (_, { coordinator }) => {
          await coordinator.requestCancel('graceful');
          return 'partial';
        }),
      },
    });
    expect(await session.execute('go')).toBe('partial');
    expect(session.status.state).toBe('cancelled');
    expect(events.of('cancel:requested')).toMatchObject([{ level: 'graceful' }]);
    expect(events.of('cancel:completed')).toMatchObject([{ was_immediate: false }]);

    const failing = await ready({ script: [{ hang: true }] });
    const running = failing.session.execute('go').catch((error) => error);
    await settle();
    await failing.session.coordinator.requestCancel('immediate');
    await running;
    expect(failing.session.status.state).toBe('cancelled');
    expect(failing.events.of('cancel:completed')).toMatchObject([
      { was_immediate: true, error: { code: 'ABORTED' } },
    ]);
  });

  it('tells of a cancel request once per level', async () => {
    const { session, events } = await ready();
    await session.coordinator.requestCancel();
    await session.coordinator.requestCancel();
    await session.coordinator.requestCancel('immediate');
    expect(events.of('cancel:requested').map((event) => event.level)).toEqual(['graceful', 'immediate']);
  });
});

describe('cleanup', () => {
  it('says session:end first, then takes the modules down, last mounted first', async () => {
    const order: string[] = [];
    const tracing = (name: string, base: AmplifierModule): AmplifierModule => ({
      mount: async (coordinator, config) => {
        await base.mount(coordinator, config);
        return () => void order.push(name);
      },
    });
    const { session } = scriptedSession({
      modules: {
        'hooks-a': tracing('a', {
          mount: ({ hooks }) => void hooks.register('session:end', () => void order.push('session:end')),
        }),
        'hooks-b': tracing('b', { mount: () => {} }),
      },
      plan: { hooks: ['hooks-a', 'hooks-b'] },
    });
    await session.initialize();
    await session.cleanup();
    expect(order).toEqual(['session:end', 'b', 'a']);
  });

  it('goes on when a module fails to clean up, and reports it', async () => {
    const { session, events } = await ready();
    let ran = 0;
    session.coordinator.registerCleanup(() => void ran++);
    session.coordinator.registerCleanup(() => Promise.reject(new Error('stuck')));
    await session.cleanup();
    expect(ran).toBe(1);
    expect(session.coordinator.diagnostics).toMatchObject([
      { code: 'CLEANUP_FAILED', message: expect.stringContaining('stuck') },
    ]);
    expect(events.of('session:end')).toMatchObject([{ status: 'ready' }]);
  });

  it('says nothing for a session that was never initialized', async () => {
    const { session } = scriptedSession();
    const events = recordEvents(session.coordinator.hooks);
    await session.cleanup();
    expect(events.names()).toEqual([]);
    await expect(session.initialize()).rejects.toMatchObject({ code: 'SESSION_CLOSED' });
  });

  it('happens once, also through await using', async () => {
    const { session, events } = await ready();
    {
      await using disposed = session;
      await disposed.execute('go');
    }
    await session.cleanup();
    expect(events.of('session:end')).toMatchObject([{ status: 'completed' }]);
    expect(session.status.state).toBe('closed');
  });
});
