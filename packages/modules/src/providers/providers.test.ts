import { Coordinator, ModuleLoader, Session } from '@amplifier/core';
import { FakeModelServer, recordEvents } from '@amplifier/testkit';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { builtinModules } from '../builtin-modules.js';
import * as anthropic from './anthropic.js';
import { LIST_PRICES, loadPrices } from './list-prices.js';
import { costOf, mostCostOf, priceOf } from './price-table.js';
import { readRetryAfter } from './read-retry-after.js';
import { providerModules } from './registry.js';

afterEach(() => vi.unstubAllEnvs());

function coordinator(): Coordinator {
  const plan = { session: { orchestrator: 'x', context: 'y' } };
  return new Coordinator({ session: { id: 's', parent_id: null }, plan });
}

describe('credentials', () => {
  it.each([
    ['provider-anthropic', ['api_key', 'ANTHROPIC_API_KEY']],
    ['provider-openai', ['api_key', 'OPENAI_API_KEY']],
    ['provider-gemini', ['api_key', 'GEMINI_API_KEY', 'GOOGLE_API_KEY']],
    ['provider-azure-openai', ['api_key', 'AZURE_OPENAI_API_KEY', 'base_url', 'AZURE_OPENAI_ENDPOINT']],
    ['provider-openai-compatible', ['base_url', 'OPENAI_COMPATIBLE_BASE_URL']],
  ])('%s without them is absent and says where it looked', async (id, places) => {
    for (const name of places.filter((place) => /^[A-Z_]+$/.test(place))) vi.stubEnv(name, '');
    const home = coordinator();
    const module = await providerModules[id]?.();
    await module?.mount(home, { api_key: '${NOT_SET}' });
    expect(home.mounts.all('providers').size).toBe(0);
    expect(home.diagnostics).toHaveLength(1);
    expect(home.diagnostics[0]).toMatchObject({ code: 'PROVIDER_NOT_CONFIGURED', module_id: id });
    for (const place of places) expect(home.diagnostics[0]?.message).toContain(place);
  });

  it('come from the config before the environment, and never show up in what a provider tells of itself', async () => {
    vi.stubEnv('ANTHROPIC_API_KEY', 'from-env');
    const home = coordinator();
    anthropic.mount(home, { priority: 5 });
    const provider = home.mounts.all('providers').get('anthropic');
    expect(provider?.priority).toBe(5);
    expect(JSON.stringify(provider?.getInfo())).not.toContain('from-env');
    expect(provider?.modelInfo?.('claude-sonnet-4-5')).toMatchObject({ context_window: 200_000 });
  });

  it('are not all: a config that cannot be read is reported too', () => {
    const home = coordinator();
    anthropic.mount(home, { api_key: 'k', timeout: 'soon' });
    expect(home.mounts.all('providers').size).toBe(0);
    expect(home.diagnostics[0]).toMatchObject({ code: 'PROVIDER_CONFIG_INVALID' });
    expect(home.diagnostics[0]?.message).toContain('timeout');
  });
});

describe('prices', () => {
  it('are exact and know dated snapshots, and unknown models cost an unknown amount', () => {
    const usage = {
      input_tokens: 1_000_001,
      output_tokens: 3,
      total_tokens: 1_000_004,
      cache_read_tokens: 1,
    };
    expect(costOf(usage, priceOf(LIST_PRICES, 'claude-3-7-sonnet-20250219'))).toBe('3.0000453');
    expect(priceOf(LIST_PRICES, 'gpt-5-2025-08-07')).toEqual(LIST_PRICES['gpt-5']);
    expect(priceOf(LIST_PRICES, 'gpt-5.4-of-somebody')).toBeNull();
    expect(priceOf(LIST_PRICES, 'constructor')).toBeNull();
  });

  it('bound what tokens can cost, cached or not, in a long prompt or a short one', () => {
    const sonnet = priceOf(LIST_PRICES, 'claude-sonnet-4-5');
    expect(mostCostOf({ input: 100_000, output: 1000 }, sonnet)).toBe('0.39');
    expect(mostCostOf({ input: 1_000_000, output: 0 }, sonnet)).toBe('7.5');
    const long = { input_tokens: 300_000, output_tokens: 0, total_tokens: 300_000 };
    expect(costOf(long, priceOf(LIST_PRICES, 'gemini-2.5-pro'))).toBe('0.75');
    expect(mostCostOf({ input: 1, output: 1 }, null)).toBeNull();
  });

  it('of the config are laid over the list', async () => {
    const table = await loadPrices(undefined, { mine: { input: '1', output: '2' } });
    expect(priceOf(table, 'mine')).toEqual({ input: '1', output: '2' });
    expect(priceOf(table, 'gpt-5')).toEqual(LIST_PRICES['gpt-5']);
  });

  it('from a file that cannot be used are an error that names the file', async () => {
    await expect(loadPrices('/nowhere/prices.json')).rejects.toThrow('/nowhere/prices.json');
  });
});

describe('the wait a server asks for', () => {
  const now = Date.parse('2026-01-01T00:00:00Z');
  it.each([
    [{ 'retry-after': '3' }, null, 3],
    [{ 'retry-after': 'Thu, 01 Jan 2026 00:00:09 GMT' }, null, 9],
    [{ 'retry-after-ms': '250', 'retry-after': '9' }, null, 0.25],
    [{}, { error: { details: [{ retryDelay: '7.5s' }] } }, 7.5],
    [{ 'retry-after': 'soon' }, null, null],
  ])('%o %o is %s seconds', (headers, body, seconds) => {
    expect(readRetryAfter(headers as Record<string, string>, body, now)).toBe(seconds);
  });
});

describe('a session', () => {
  it('runs on a real provider over HTTP through the streaming loop, directed by its own prompt', async () => {
    await using server = await FakeModelServer.start();
    const session = new Session({
      loader: new ModuleLoader({ builtins: builtinModules }),
      plan: {
        session: { orchestrator: 'loop-streaming', context: 'context-simple' },
        providers: [
          {
            module: 'provider-anthropic',
            config: { api_key: 'k', base_url: server.url, default_model: 'fake' },
          },
        ],
      },
    });
    await session.initialize();
    session.coordinator.mounts.mount('tools', {
      name: 'add',
      description: 'Adds.',
      inputSchema: { type: 'object', properties: { a: { type: 'number' }, b: { type: 'number' } } },
      execute: async ({ a, b }) => ({ success: true, output: Number(a) + Number(b) }),
    });
    const { names, of } = recordEvents(session.coordinator.hooks);
    const prompt =
      '!think sums\n!say Adding.\n!call add {"a": 2, "b": 3}\n!call add {"a": 4, "b": 5}\n!then\n!say Added.';
    expect(await session.execute(prompt)).toBe('Added.');
    expect(
      server.exchanges[1]?.steps.filter((step) => step.role === 'tool').map((step) => step.text),
    ).toEqual(['5', '9']);
    expect(
      names().filter((name) => /^(execution|tool|provider|orchestrator|thinking:final)/.test(name)),
    ).toEqual([
      'execution:start',
      'provider:request',
      'thinking:final',
      'provider:response',
      'tool:pre',
      'tool:pre',
      'tool:post',
      'tool:post',
      'provider:request',
      'provider:response',
      'execution:end',
      'orchestrator:complete',
    ]);
    expect(of('orchestrator:complete')[0]).toMatchObject({ metadata: { usage: { total_tokens: 30 } } });
    await session.cleanup();
  });

  it('every built-in id leads to a module', async () => {
    const loader = new ModuleLoader({ builtins: builtinModules });
    for (const id of Object.keys(builtinModules))
      expect((await loader.load(id)).mount).toBeTypeOf('function');
  });
});
