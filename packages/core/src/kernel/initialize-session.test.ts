import { recordEvents, ScriptedProvider, scriptedProviderModule, scriptedSession } from '@amplifier/testkit';
import { describe, expect, it } from 'vitest';
import type { AmplifierModule } from './contracts/module.js';
import { ModuleLoader } from './module-loader.js';
import { Session } from './session.js';

const nothing: AmplifierModule = { mount: () => {} };
const failing = (message: string): AmplifierModule => ({ mount: () => Promise.reject(new Error(message)) });

describe('order', () => {
  it('mounts orchestrator, context, providers, tools, hooks; then tells them that the session is ready', async () => {
    const order: string[] = [];
    const traced = (id: string, base: AmplifierModule = nothing): AmplifierModule => ({
      mount: async (coordinator, config) => {
        order.push(id);
        await base.mount(coordinator, config);
      },
      onSessionReady: () => void order.push(`${id} ready`),
    });
    const { session } = scriptedSession({
      modules: {
        'loop-x': traced('loop-x', {
          mount: ({ mounts }) => mounts.mount('orchestrator', { execute: async () => '' }),
        }),
        'provider-x': traced('provider-x'),
        'tool-x': traced('tool-x'),
        'hooks-x': traced('hooks-x'),
      },
      plan: {
        session: { orchestrator: 'loop-x', context: 'context-memory' },
        hooks: ['hooks-x'],
        tools: ['tool-x'],
        providers: ['provider-x'],
      },
    });
    await session.initialize();
    await session.initialize();
    expect(order).toEqual([
      'loop-x',
      'provider-x',
      'tool-x',
      'hooks-x',
      'loop-x ready',
      'provider-x ready',
      'tool-x ready',
      'hooks-x ready',
    ]);
  });

  it('announces a fork after the modules are ready', async () => {
    const order: string[] = [];
    const { session } = scriptedSession({
      parent_id: 'parent',
      modules: {
        'hooks-x': {
          mount: ({ hooks }) =>
            void hooks.register('session:fork', (_, data) => void order.push(`fork of ${data.parent}`)),
          onSessionReady: () => void order.push('ready'),
        },
      },
      plan: { hooks: ['hooks-x'] },
    });
    await session.initialize();
    expect(order).toEqual(['ready', 'fork of parent']);
  });

  it('carries metadata and the redacted plan on the fork event only when the plan has them', async () => {
    const bare = scriptedSession({ parent_id: 'p' });
    const events = recordEvents(bare.session.coordinator.hooks);
    await bare.session.initialize();
    expect(Object.keys(events.of('session:fork')[0] ?? {}).sort()).toEqual([
      'parent',
      'parent_id',
      'session_id',
      'timestamp',
    ]);
    const full = scriptedSession({
      parent_id: 'p',
      plan: {
        session: {
          orchestrator: 'loop-minimal',
          context: 'context-memory',
          raw: true,
          metadata: { agent_name: 'x' },
          token: 's3cret',
        },
      },
    });
    const more = recordEvents(full.session.coordinator.hooks);
    await full.session.initialize();
    expect(more.of('session:fork')).toMatchObject([
      { metadata: { agent_name: 'x' }, raw: { session: { token: '[REDACTED]' } } },
    ]);
  });
});

describe('failure', () => {
  it.each([
    ['orchestrator', 'Cannot initialize without orchestrator'],
    ['context', 'Cannot initialize without context manager'],
  ])('of the %s ends the initialization and undoes what was mounted', async (part, message) => {
    const undone: string[] = [];
    const { session } = scriptedSession({
      modules: {
        broken: failing('boom'),
        'loop-minimal': {
          mount: ({ mounts }) => {
            mounts.mount('orchestrator', { execute: async () => '' });
            return () => void undone.push('loop');
          },
        },
      },
      plan: { session: { orchestrator: 'loop-minimal', context: 'context-memory', [part]: 'broken' } },
    });
    const failure = expect.objectContaining({
      message: expect.stringMatching(new RegExp(`${message}: boom`)),
      origin: 'broken',
    });
    await expect(session.initialize()).rejects.toEqual(failure);
    await expect(session.initialize()).rejects.toEqual(failure);
    expect(undone).toEqual(part === 'context' ? ['loop'] : []);
    expect(session.status.state).toBe('failed');
    await expect(session.execute('go')).rejects.toMatchObject({ code: 'SESSION_NOT_INITIALIZED' });
  });

  it('of a required module that mounts nothing is noticed', async () => {
    const { session } = scriptedSession({ modules: { 'loop-minimal': nothing } });
    await expect(session.initialize()).rejects.toThrow(
      "Cannot initialize without orchestrator: 'loop-minimal' mounted nothing",
    );
  });

  it('of a provider, tool or hook is reported and the rest goes on', async () => {
    const { session } = scriptedSession({
      modules: { 'provider-bad': failing('no key'), 'tool-bad': failing('no disk') },
      plan: {
        providers: ['provider-bad', 'provider-scripted'],
        tools: ['tool-bad', 'tool-missing'],
        hooks: ['hooks-missing'],
      },
    });
    await session.initialize();
    expect([...session.coordinator.mounts.all('providers').keys()]).toEqual(['scripted']);
    expect(session.coordinator.diagnostics.map(({ module_id, code }) => [module_id, code])).toEqual([
      ['provider-bad', 'MODULE_MOUNT_FAILED'],
      ['tool-bad', 'MODULE_MOUNT_FAILED'],
      ['tool-missing', 'MODULE_NOT_FOUND'],
      ['hooks-missing', 'MODULE_NOT_FOUND'],
    ]);
  });

  it('of a hook that was found ends it: the hook may be the guard', async () => {
    const { session } = scriptedSession({
      modules: { 'hooks-bad': failing('no policy') },
      plan: { hooks: ['hooks-bad'] },
    });
    await expect(session.initialize()).rejects.toThrow(
      /hook hooks-bad cannot be mounted: no policy.*does not run without a hook that may guard it/,
    );
  });

  it('of a hook whose source cannot be loaded ends it, too', async () => {
    const { session } = scriptedSession({
      plan: { hooks: [{ module: 'hooks-x', source: 'data:text/javascript,!' }] },
    });
    await expect(session.initialize()).rejects.toThrow(/hook hooks-x cannot be mounted/);
  });

  it('for want of a value that is not stored names it, and never mounts the placeholder', async () => {
    let mounted = 0;
    const { session } = scriptedSession({
      modules: { 'provider-x': { mount: () => void mounted++ } },
      plan: {
        providers: [
          { module: 'provider-x', config: { api_key: '[REDACTED]', headers: { a: 'b [REDACTED]' } } },
        ],
      },
    });
    await session.initialize();
    expect(mounted).toBe(0);
    expect(session.coordinator.diagnostics).toMatchObject([
      {
        code: 'CREDENTIALS_MISSING',
        message: expect.stringMatching(
          /provider-x .* has no api_key, headers\.a: .* Add provider-x with them to the settings/,
        ),
      },
    ]);
  });

  it('of one that is told of readiness is an event and keeps nobody else from being told', async () => {
    const told: string[] = [];
    const { session } = scriptedSession({
      modules: {
        'hooks-a': {
          mount: () => {},
          onSessionReady: () => {
            throw new Error('not me');
          },
        },
        'hooks-b': { mount: () => {}, onSessionReady: () => void told.push('b') },
      },
      plan: { hooks: ['hooks-a', 'hooks-b'] },
    });
    const events = recordEvents(session.coordinator.hooks);
    await session.initialize();
    expect(told).toEqual(['b']);
    expect(events.of('module:on_session_ready_failed')).toMatchObject([
      { module_id: 'hooks-a', error: { message: 'not me' } },
    ]);
  });
});

describe('config', () => {
  it('of a short-form orchestrator and context comes from their top-level sections', async () => {
    const configs: unknown[] = [];
    const { session } = scriptedSession({
      modules: {
        'loop-minimal': {
          mount: ({ mounts }, config) => {
            configs.push(config);
            mounts.mount('orchestrator', { execute: async () => '' });
          },
        },
      },
      plan: { orchestrator: { config: { max_iterations: 3 } } },
    });
    await session.initialize();
    expect(configs).toEqual([{ max_iterations: 3 }]);
  });

  it('is prepared just before the mount, and the plan keeps the reference', async () => {
    const configs: unknown[] = [];
    const module: AmplifierModule = { mount: (_, config) => void configs.push(config) };
    const loader = new ModuleLoader({
      builtins: {
        o: () => ({ mount: ({ mounts }) => mounts.mount('orchestrator', { execute: async () => '' }) }),
        c: () => ({ mount: ({ mounts }) => mounts.mount('context', {} as never) }),
        'tool-x': () => module,
      },
      prepareConfig: (config, id) => (id === 'tool-x' ? { ...config, key: 'value of KEY' } : config),
    });
    const session = new Session({
      plan: {
        session: { orchestrator: 'o', context: 'c' },
        tools: [{ module: 'tool-x', config: { key: '${KEY}' } }],
      },
      loader,
    });
    await session.initialize();
    expect(configs).toEqual([{ key: 'value of KEY' }]);
    expect(session.plan.tools).toEqual([{ module: 'tool-x', config: { key: '${KEY}' } }]);
  });

  it('given to a module is its own copy', async () => {
    const { session } = scriptedSession({
      modules: { 'tool-x': { mount: (_, config) => void (config.list as number[]).push(2) } },
      plan: { tools: [{ module: 'tool-x', config: { list: [1] } }] },
    });
    await session.initialize();
    expect(session.plan.tools).toEqual([{ module: 'tool-x', config: { list: [1] } }]);
  });
});

describe('several instances of one provider', () => {
  const provider: AmplifierModule = {
    mount: ({ mounts }, config) =>
      mounts.mount('providers', new ScriptedProvider([], { name: 'acme', model: String(config.model) })),
  };
  const mountAll = async (providers: object[]) => {
    const { session } = scriptedSession({ modules: { 'provider-acme': provider }, plan: { providers } });
    await session.initialize();
    return Object.fromEntries(
      [...session.coordinator.mounts.all('providers')].map(([name, { defaultModel }]) => [
        name,
        defaultModel,
      ]),
    );
  };

  it('are mounted under their labels, and the unlabelled one keeps the default name', async () => {
    const spec = (model: string, more = {}) => ({ module: 'provider-acme', config: { model }, ...more });
    expect(await mountAll([spec('small'), spec('large', { instance_id: 'acme-large' })])).toEqual({
      acme: 'small',
      'acme-large': 'large',
    });
    expect(await mountAll([spec('large', { instance_id: 'acme-large' }), spec('small')])).toEqual({
      acme: 'small',
      'acme-large': 'large',
    });
    expect(await mountAll([spec('a', { id: 'one' }), spec('b', { instance_id: 'two' })])).toEqual({
      one: 'a',
      two: 'b',
    });
  });

  it('that do not mount for want of a key leave nothing behind', async () => {
    const { session } = scriptedSession({
      modules: {
        'provider-keyless': nothing,
        'provider-scripted': scriptedProviderModule(new ScriptedProvider([])),
      },
      plan: { providers: [{ module: 'provider-keyless', instance_id: 'x' }, 'provider-scripted'] },
    });
    await session.initialize();
    expect([...session.coordinator.mounts.all('providers').keys()]).toEqual(['scripted']);
  });
});
