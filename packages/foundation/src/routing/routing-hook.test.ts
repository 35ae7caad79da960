import { AmplifierError, type JsonObject, type Provider } from '@amplifier/core';
import {
  recordEvents,
  ScriptedProvider,
  scriptedProviderModule,
  scriptedSession,
  TempWorkspace,
} from '@amplifier/testkit';
import { describe, expect, it } from 'vitest';
import { modelCatalog } from '../preferences/model-catalog.js';
import { listMatrices, loadMatrix } from './load-matrix.js';
import { MODEL_ROLES } from './model-roles.js';
import { ROUTING_DIR } from './plan-roles.js';
import { matrixRoleResolver } from './role-resolver.js';
import { routingHook } from './routing-hook.js';
import { matrixWarnings } from './routing-matrix.js';

const matrix = (name: string) => `name: ${name}
roles:
  general: { description: Anything, candidates: [{ provider: scripted, model: "s-*" }] }
  fast: { description: Quick, candidates: [{ provider: other, model: o-1 }, { provider: scripted, model: s-1, config: { effort: low } }] }
  vision: { description: Eyes, candidates: [{ provider: absent, model: x }] }
`;

async function routed(
  agents: JsonObject,
  { config = {}, resumed = false }: { config?: JsonObject; resumed?: boolean } = {},
) {
  const folder = await TempWorkspace.create({ 'm.yaml': matrix('m') });
  const model = new ScriptedProvider([{ text: 'Done.' }], { models: [{ id: 's-2' }, { id: 's-10' }] });
  let listed = 0;
  const list = model.listModels.bind(model);
  model.listModels = () => {
    listed++;
    return list();
  };
  const { session } = scriptedSession({
    modules: { 'hooks-routing': routingHook, 'provider-scripted': scriptedProviderModule(model) },
    is_resumed: resumed,
    plan: {
      agents,
      hooks: [
        {
          module: 'hooks-routing',
          config: { matrix: 'm', custom_routing_dirs: ['/nowhere', folder.path], ...config },
        },
      ],
    },
  });
  await session.initialize();
  return {
    session,
    model,
    listed: () => listed,
    agent: (name: string) => (session.plan.agents as Record<string, JsonObject>)[name],
    async [Symbol.asyncDispose]() {
      await session.cleanup();
      await folder[Symbol.asyncDispose]();
    },
  };
}

describe('the routing hook', () => {
  it.each([false, true])(
    'writes the preferences of agents with a role when a session starts (resumed: %s)',
    async (resumed) => {
      const pinned = [{ provider: 'p', model: 'q' }];
      await using at = await routed(
        {
          a: { model_role: 'general', provider_preferences: pinned },
          b: { model_role: ['vision', 'fast'] },
          c: { provider_preferences: pinned },
          d: { model_role: 'vision', provider_preferences: pinned },
        },
        { resumed },
      );
      await at.session.execute('Hello');
      expect(at.agent('a')?.provider_preferences).toEqual([{ provider: 'scripted', model: 's-10' }]);
      expect(at.agent('b')?.provider_preferences).toEqual([
        { provider: 'scripted', model: 's-1', config: { effort: 'low' } },
      ]);
      expect(at.agent('c')?.provider_preferences).toEqual(pinned);
      expect(at.agent('d')?.provider_preferences).toEqual(pinned);
      expect(at.session.coordinator.diagnostics).toEqual([]);
    },
  );

  it('asks a provider for its models once, however many agents there are', async () => {
    const agents = Object.fromEntries(
      Array.from({ length: 50 }, (_, index) => [`a${index}`, { model_role: 'general' }]),
    );
    await using at = await routed(agents);
    await at.session.execute('Hello');
    expect(at.agent('a49')?.provider_preferences).toMatchObject([{ model: 's-10' }]);
    expect(at.listed()).toBe(1);
  });

  it('offers the resolver, and the list of roles to the model only for the request', async () => {
    await using at = await routed({});
    const resolver = at.session.coordinator.getCapability('model_role_resolver');
    expect(resolver?.known_roles).toEqual(['general', 'fast', 'vision']);
    const recorder = recordEvents(at.session.coordinator.hooks);
    const reply = await at.session.coordinator.hooks.emit('provider:request', {
      provider: 'scripted',
      iteration: 1,
    });
    expect(reply).toMatchObject({
      action: 'inject_context',
      ephemeral: true,
      context_injection_role: 'system',
    });
    expect(reply.context_injection).toMatch(/matrix m.*\n {2}general {10}Anything\n {2}fast/);
    expect(recorder.names()).toEqual(['provider:request']);
  });

  it('lays overrides of its config, then those of the session, over the matrix', async () => {
    await using at = await routed(
      {},
      { config: { overrides: { fast: [{ provider: 'scripted', model: 's-9' }, 'base'] } } },
    );
    const resolver = at.session.coordinator.getCapability('model_role_resolver');
    expect((await resolver?.resolve('fast'))?.candidates.map(({ model }) => model)).toEqual(['s-9', 's-1']);
    const { session } = scriptedSession({
      modules: { 'hooks-routing': routingHook },
      plan: { hooks: ['hooks-routing'] },
    });
    session.coordinator.registerCapability('session.routing', {
      overrides: { mine: [{ provider: 'scripted', model: 'x' }] },
    });
    await session.initialize();
    expect(session.coordinator.getCapability('model_role_resolver')?.known_roles).toContain('mine');
    await session.cleanup();
  });

  it('mounts nothing and says why when there is no such matrix, or it cannot be used', async () => {
    await using at = await routed({ a: { model_role: 'fast' } }, { config: { matrix: 'balancd' } });
    await at.session.execute('Hello');
    expect(at.session.coordinator.getCapability('model_role_resolver')).toBeNull();
    expect(at.agent('a')).toEqual({ model_role: 'fast' });
    expect(at.session.coordinator.diagnostics[0]?.message).toMatch(
      /not available: No routing matrix is called 'balancd'.*Did you mean 'balanced'/,
    );
    await using twice = await routed({}, { config: { overrides: { fast: ['base', 'base'] } } });
    expect(twice.session.coordinator.diagnostics[0]?.message).toMatch(/more than once/);
  });

  it('names a setting its provider would refuse, and lets pass what the provider does not declare', async () => {
    const model = new ScriptedProvider([]);
    model.getInfo = () => ({
      ...ScriptedProvider.prototype.getInfo.call(model),
      config_fields: [{ name: 'effort', type: 'choice', choices: ['low', 'high'] }],
    });
    const { session } = scriptedSession({
      modules: { 'hooks-routing': routingHook, 'provider-scripted': scriptedProviderModule(model) },
      plan: {
        hooks: [
          {
            module: 'hooks-routing',
            config: {
              overrides: { fast: [{ provider: 'scripted', model: 'x', config: { effort: 'huge', own: 1 } }] },
            },
          },
        ],
      },
    });
    await session.initialize();
    expect(session.coordinator.diagnostics.map(({ message }) => message)).toEqual([
      'The role fast sets effort: huge for scripted, which takes low, high.',
    ]);
    await session.cleanup();
  });

  it('lets a child use the models its parent already listed', async () => {
    const provider = new ScriptedProvider([], { name: 'x' });
    const parent = modelCatalog(new Map<string, Provider>([['x', provider]]));
    const silent: Provider = {
      ...provider,
      name: 'x',
      getInfo: provider.getInfo,
      complete: provider.complete,
      listModels: () => Promise.reject(new Error('asked again')),
    };
    expect(await modelCatalog(new Map([['x', silent]]), parent).models('x')).toMatchObject([
      { id: 'scripted-1' },
    ]);
  });
});

describe('matrices', () => {
  it.each([
    [
      'anthropic',
      ['claude-opus-5', 'claude-sonnet-5-20260901', 'claude-sonnet-5', 'claude-haiku-4-5'],
      'claude-sonnet-5',
      'claude-haiku-4-5',
    ],
    [
      'openai',
      ['gpt-5.6-terra', 'gpt-6.0-luna', 'gpt-5.6-luna', 'gpt-image-2'],
      'gpt-5.6-terra',
      'gpt-6.0-luna',
    ],
    ['openai', ['gpt-5.4', 'gpt-5.4-mini', 'gpt-4o'], 'gpt-5.4', 'gpt-5.4-mini'],
    [
      'gemini',
      ['gemini-3-pro-image', 'gemini-3-pro-preview', 'gemini-3.8-flash', 'gemini-3.1-flash-lite'],
      'gemini-3-pro-preview',
      'gemini-3.8-flash',
    ],
    ['ollama', ['llama3.1:8b'], 'llama3.1:8b', 'llama3.1:8b'],
  ])(
    'name models %s has: of %j the general one is %s, the fast one %s',
    async (name, models, general, fast) => {
      const providers = new Map([
        [name, new ScriptedProvider([], { name, models: models.map((id) => ({ id })) })],
      ]);
      const balanced = await loadMatrix('balanced', [ROUTING_DIR]);
      const resolver = matrixRoleResolver({
        matrix: balanced,
        plan: {},
        providers,
        catalog: modelCatalog(providers),
      });
      expect((await resolver.resolve('general')).candidates[0]?.model).toBe(general);
      expect((await resolver.resolve('fast')).candidates[0]?.model).toBe(fast);
    },
  );

  it('of a custom folder go before those of the package', async () => {
    await using folder = await TempWorkspace.create({ 'balanced.yaml': matrix('mine') });
    expect((await loadMatrix('balanced', [folder.path, ROUTING_DIR])).name).toBe('mine');
    expect(await listMatrices([folder.path, ROUTING_DIR])).toEqual(['balanced', 'economy']);
    await expect(loadMatrix('../x', [folder.path])).rejects.toSatisfy(AmplifierError.is);
  });

  it.each(['balanced', 'economy'])('%s serves all the roles, each with several vendors', async (name) => {
    const shipped = await loadMatrix(name, [ROUTING_DIR]);
    expect(Object.keys(shipped.roles)).toEqual(Object.keys(MODEL_ROLES));
    expect(matrixWarnings(shipped)).toEqual([]);
    for (const [role, { candidates }] of Object.entries(shipped.roles)) {
      expect(new Set(candidates.map(({ provider }) => provider)).size, role).toBeGreaterThanOrEqual(
        role === 'image-gen' ? 2 : 3,
      );
    }
  });
});
