import { cloneJson, type ModelInfo, type MountPlan, type Provider } from '@amplifier/core';
import { ScriptedProvider } from '@amplifier/testkit';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { applyProviderPreferences } from './apply-provider-preferences.js';
import { newestModel, resolveModel } from './match-model.js';
import { matchProvider, plannedProviders } from './match-provider.js';
import { type ModelCatalog, modelCatalog } from './model-catalog.js';
import { PREFERENCE_CONFIG_KEYS, promoteProvider } from './promote-provider.js';
import { parseProviderPreferences } from './provider-preference.js';

const session = { orchestrator: 'loop-basic', context: 'context-simple' };
const plan = (...providers: NonNullable<MountPlan['providers']>): MountPlan => ({ session, providers });

const NO_MODELS: ModelCatalog = {
  has: () => false,
  models: () => Promise.reject(new Error('nobody to ask')),
};

const catalogOf = (lists: Record<string, string[]>) =>
  modelCatalog(
    new Map(
      Object.entries(lists).map(([name, ids]) => [
        name,
        new ScriptedProvider([], { name, models: ids.map((id) => ({ id })) }),
      ]),
    ),
  );

describe('which model a pattern means', () => {
  it.each([
    ['claude-sonnet-*', ['claude-sonnet-4-5', 'claude-sonnet-4-6', 'claude-opus-4-8'], 'claude-sonnet-4-6'],
    ['claude-opus-*', ['claude-opus-4-7', 'claude-opus-4-10'], 'claude-opus-4-10'],
    ['claude-*', ['claude-sonnet-4-20250514', 'claude-sonnet-4-5'], 'claude-sonnet-4-5'],
    ['claude-haiku-*', ['claude-haiku-4-5-20251001', 'claude-haiku-4-5'], 'claude-haiku-4-5'],
    ['gpt-4o*', ['gpt-4o-2024-08-06', 'gpt-4o', 'gpt-4o-mini'], 'gpt-4o'],
    ['gpt-5*', ['gpt-5', 'gpt-5-mini', 'gpt-5.1'], 'gpt-5.1'],
    ['gpt-4-*', ['gpt-4-0613', 'gpt-4-1106'], 'gpt-4-1106'],
    [
      'gemini-*-flash*',
      ['gemini-2.5-flash-preview-09-2025', 'gemini-2.5-flash', 'gemini-3-pro'],
      'gemini-2.5-flash',
    ],
    ['CLAUDE-*', ['claude-x-1'], 'claude-x-1'],
    ['claude-*', ['Claude-X-1'], 'Claude-X-1'],
    ['*sonnet*', ['anthropic/claude-sonnet-4.5', 'x/y'], 'anthropic/claude-sonnet-4.5'],
    ['gpt-[45]', ['gpt-4', 'gpt-5', 'gpt-6'], 'gpt-5'],
    ['gpt-[!5]', ['gpt-4', 'gpt-5'], 'gpt-4'],
    ['gpt-?', ['gpt-4', 'gpt-10'], 'gpt-4'],
    ['llama3*', ['llama3.1:8b', 'llama3.1:70b'], 'llama3.1:70b'],
    ['model (new)*', ['model (new) 1'], 'model (new) 1'],
    ['none-*', ['gpt-4'], null],
    ['*', [], null],
  ])('%s out of %j is %s', (pattern, available, expected) => {
    expect(resolveModel(pattern, available)).toBe(expected);
  });

  it('takes an exact name as it is, listed or not', () => {
    expect(resolveModel('gpt-unlisted', ['gpt-4'])).toBe('gpt-unlisted');
  });

  it('does not depend on the order of the list', () => {
    const names = fc.uniqueArray(
      fc.stringMatching(/^(gpt|claude)-[0-9]{1,2}([.-][0-9]{1,2})?(-mini|-20250514)?$/),
    );
    fc.assert(
      fc.property(names, (list) => {
        expect(newestModel([...list].reverse())).toBe(newestModel(list));
      }),
    );
  });
});

describe('which provider a name means', () => {
  const match = (wanted: string, ...providers: NonNullable<MountPlan['providers']>) =>
    matchProvider(wanted, plannedProviders(plan(...providers)))?.mounted_as ?? null;

  it.each([
    ['anthropic', 'anthropic'],
    ['provider-anthropic', 'anthropic'],
    ['openai', null],
    ['anthropi', null],
  ])('%s among a single provider-anthropic is %s', (wanted, expected) => {
    expect(match(wanted, 'provider-anthropic')).toBe(expected);
  });

  it('finds an instance by id and by instance_id', () => {
    const two = [
      { module: 'provider-x', id: 'work' },
      { module: 'provider-x', instance_id: 'home' },
    ];
    expect(match('work', ...two)).toBe('work');
    expect(match('home', ...two)).toBe('home');
  });

  it('means the unlabelled instance by the bare name, else the one with the lowest priority number, 100 when unset', () => {
    const labelled = [
      { module: 'provider-x', id: 'a' },
      { module: 'provider-x', id: 'b', config: { priority: 50 } },
      { module: 'provider-x', id: 'c', config: { priority: 50 } },
    ];
    expect(match('x', ...labelled)).toBe('b');
    expect(match('x', ...labelled, { module: 'provider-x' })).toBe('x');
  });

  it('never takes a sibling’s label for another', () => {
    expect(match('work-2', { module: 'provider-x', id: 'work' })).toBe(null);
    expect(match('google', 'provider-gemini')).toBe(null);
  });
});

describe('applying preferences', () => {
  const two = plan(
    { module: 'provider-openai', config: { priority: 0, default_model: 'gpt-5' } },
    { module: 'provider-anthropic', source: 'git+x', config: { api_key: `\${KEY}`, priority: 10 } },
  );

  it('promotes the first that resolves and leaves everything else of the entry', async () => {
    const catalog = catalogOf({ anthropic: ['claude-haiku-4-5'], openai: ['gpt-5'] });
    const result = await applyProviderPreferences(
      two,
      [
        { provider: 'gemini', model: 'gemini-*' },
        { provider: 'openai', model: 'o9-*' },
        { provider: 'anthropic', model: 'claude-haiku-*', config: { reasoning_effort: 'low' } },
        { provider: 'openai', model: 'gpt-5' },
      ],
      catalog,
    );
    expect(result.plan.providers?.[1]).toEqual({
      module: 'provider-anthropic',
      source: 'git+x',
      config: { api_key: `\${KEY}`, reasoning_effort: 'low', priority: 0, default_model: 'claude-haiku-4-5' },
    });
    expect(result.chosen).toMatchObject({ provider: 'anthropic', model: 'claude-haiku-4-5' });
    expect(result.candidates.map(({ model }) => model)).toEqual(['claude-haiku-4-5', 'gpt-5']);
    expect(result.unmet.map(({ reason }) => reason)).toEqual([
      "The plan has no provider 'gemini'; it has: openai, anthropic.",
      "No model of 'openai' matches 'o9-*'.",
    ]);
  });

  it('moves others at priority 0 out of the way, so that the order of the list does not decide', async () => {
    const { plan: applied } = await applyProviderPreferences(
      two,
      [{ provider: 'anthropic', model: 'm' }],
      NO_MODELS,
    );
    expect(applied.providers?.[0]).toMatchObject({ config: { priority: 1, default_model: 'gpt-5' } });
  });

  it('leaves the plan untouched and says why when none can be honoured', async () => {
    const result = await applyProviderPreferences(two, [{ provider: 'x', model: 'y' }], NO_MODELS);
    expect(result.plan).toBe(two);
    expect(result.chosen).toBeNull();
    expect(result.because).toMatch(/None of 1 preferences.*no provider 'x'/);
  });

  it('does nothing without preferences, or without providers', async () => {
    expect((await applyProviderPreferences(two, [], NO_MODELS)).plan).toBe(two);
    const empty: MountPlan = { session };
    expect((await applyProviderPreferences(empty, [{ provider: 'x', model: 'y' }], NO_MODELS)).plan).toBe(
      empty,
    );
  });

  it('does not ask a provider for its models when the name is exact', async () => {
    const asked: string[] = [];
    const catalog: ModelCatalog = {
      has: () => true,
      models: async (name) => [...asked, asked.push(name)].map((id) => ({ id: String(id) }) as ModelInfo),
    };
    await applyProviderPreferences(two, [{ provider: 'openai', model: 'gpt-5' }], catalog);
    expect(asked).toEqual([]);
  });

  it('goes on when a provider does not answer', async () => {
    const result = await applyProviderPreferences(
      two,
      [
        { provider: 'openai', model: 'gpt-*' },
        { provider: 'anthropic', model: 'exact' },
      ],
      NO_MODELS,
    );
    expect(result.chosen?.model).toBe('exact');
    expect(result.unmet[0]?.reason).toMatch(/models of 'openai' are unknown: nobody to ask/);
  });

  it('resolves provider-x with a pattern as it does x', async () => {
    const catalog = catalogOf({ anthropic: ['claude-a-1'] });
    const result = await applyProviderPreferences(
      two,
      [{ provider: 'provider-anthropic', model: 'claude-*' }],
      catalog,
    );
    expect(result.chosen).toMatchObject({ provider: 'anthropic', model: 'claude-a-1' });
  });

  it('lets a preference set how a model answers, in plain values without references', () => {
    const config = Object.fromEntries(PREFERENCE_CONFIG_KEYS.map((key) => [key, 1]));
    const promoted = promoteProvider(plan('provider-x'), { provider: 'x', model: 'm', config });
    expect(promoted.providers?.[0]).toMatchObject({ config });
    for (const value of ['${HOME}', { a: 1 }, ['x'], null])
      expect(
        promoteProvider(plan('provider-x'), { provider: 'x', model: 'm', config: { verbosity: value } })
          .providers?.[0],
      ).toEqual({ module: 'provider-x', config: { priority: 0, default_model: 'm' } });
  });

  it.each(['../../v1/files', '${OPENAI_API_KEY}', 'm#x', 'a//b', 'm\nx: y'])(
    'does not take %j for the name of a model',
    async (model) => {
      const result = await applyProviderPreferences(two, [{ provider: 'anthropic', model }], catalogOf({}));
      expect(result).toMatchObject({
        chosen: null,
        because: expect.stringContaining('is no name of a model'),
      });
    },
  );

  it('says which config of a preference it did not take', async () => {
    const wish = { provider: 'anthropic', model: 'm', config: { headers: { authorization: 'x' } } };
    const result = await applyProviderPreferences(two, [wish], catalogOf({}));
    expect(result.because).toContain('Its config headers is not taken');
  });

  it.each([
    'headers',
    'api_key',
    'base_url',
    'host',
    'proxy',
    'organization',
    'azure_endpoint',
    'api',
    'price_file',
    'API_KEY',
    'x-api-key',
    'refresh_token',
    'priority',
    'default_model',
    '__proto__',
  ])('does not let a preference set %s', (key) => {
    const promoted = promoteProvider(plan('provider-x'), {
      provider: 'x',
      model: 'm',
      config: { [key]: 'evil' },
    });
    expect(promoted.providers?.[0]).toEqual({
      module: 'provider-x',
      config: { priority: 0, default_model: 'm' },
    });
  });

  it('asks one provider once for many that want its models, and again after a failure', async () => {
    let asked = 0;
    const provider = new ScriptedProvider([], { name: 'x' });
    const counting = Object.assign(Object.create(provider) as Provider, {
      listModels: async () => {
        if (++asked === 1) throw new Error('down');
        return [{ ...(await provider.listModels())[0], id: 'm-1' }];
      },
    });
    const catalog = modelCatalog(new Map([['x', counting]]));
    await expect(Promise.all([catalog.models('x'), catalog.models('x')])).rejects.toThrow('down');
    expect(await Promise.all([catalog.models('x'), catalog.models('x')])).toMatchObject([
      [{ id: 'm-1' }],
      [{ id: 'm-1' }],
    ]);
    expect(asked).toBe(2);
  });

  it('is idempotent, keeps the order, mutates nothing and leaves exactly one provider first', () => {
    const module = fc.constantFrom('provider-a', 'provider-b', 'provider-c');
    const entry = fc.oneof(
      module,
      fc.record(
        {
          module,
          id: fc.constantFrom('one', 'two'),
          config: fc.record({ priority: fc.integer({ min: -2, max: 200 }) }),
        },
        { requiredKeys: ['module'] },
      ),
    );
    const preference = fc.record({
      provider: fc.constantFrom('a', 'provider-b', 'one', 'two', 'z'),
      model: fc.constantFrom('m', 'n'),
    });
    fc.assert(
      fc.property(fc.array(entry), preference, (providers, wish) => {
        const given = plan(...providers);
        const before = cloneJson(given);
        const once = promoteProvider(given, wish);
        expect(given).toEqual(before);
        expect(promoteProvider(once, wish)).toEqual(once);
        const planned = plannedProviders(once);
        expect(planned.map(({ mounted_as }) => mounted_as)).toEqual(
          plannedProviders(given).map(({ mounted_as }) => mounted_as),
        );
        if (once !== given) expect(planned.filter(({ spec }) => spec.config?.priority === 0)).toHaveLength(1);
      }),
    );
  });
});

it('refuses a malformed preference list with its place', () => {
  expect(() => parseProviderPreferences([{ provider: 'a', model: 'b' }, { provider: 'a' }])).toThrow(
    /provider_preferences\[1\]\.model is missing; write model:/,
  );
  expect(() => parseProviderPreferences('anthropic')).toThrow(/must be a list/);
});
