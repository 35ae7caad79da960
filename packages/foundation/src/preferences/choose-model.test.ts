import { type JsonObject, Plan } from '@amplifier/core';
import { ScriptedProvider } from '@amplifier/testkit';
import { describe, expect, it } from 'vitest';
import type { ModelRoleResolver } from '../routing/role-resolver.js';
import { chooseModel, type ModelRequest } from './choose-model.js';
import { modelCatalog } from './model-catalog.js';

const PLAN = Plan.of({
  session: { orchestrator: 'loop', context: 'context' },
  providers: [
    { module: 'provider-anthropic', config: { default_model: 'claude-opus-5', priority: 10, api_key: 'k' } },
    { module: 'provider-openai', config: { default_model: 'gpt-5', priority: 20 } },
  ],
});
const anthropic = new ScriptedProvider([], {
  name: 'anthropic',
  models: [{ id: 'claude-haiku-4-9' }, { id: 'claude-haiku-4-10' }, { id: 'claude-opus-5' }],
});
const openai = new ScriptedProvider([], { name: 'openai', models: [{ id: 'gpt-5' }, { id: 'gpt-5-mini' }] });
const models = modelCatalog(
  new Map([
    ['anthropic', anthropic],
    ['openai', openai],
  ]),
);
const ROLES = {
  name: 'test',
  known_roles: ['coding', 'fast'],
  resolve: async (role: string) =>
    role === 'coding'
      ? { candidates: [{ provider: 'openai', model: 'gpt-5-mini' }], unknown_roles: [], unmet: [] }
      : { candidates: [], unknown_roles: [role], unmet: [] },
} as unknown as ModelRoleResolver;

const choose = (request: ModelRequest, overlay: JsonObject = {}, roles: ModelRoleResolver | null = ROLES) =>
  chooseModel(PLAN, overlay, request, { models: () => models, roles: () => roles });

const HAIKU = [{ provider: 'anthropic', model: 'claude-haiku-*' }];
const GPT = [{ provider: 'openai', model: 'gpt-5' }];

describe('the model of a child', () => {
  it('is what the call prefers, before a role of the call and before the agent', async () => {
    const { model, plan } = await choose(
      { provider_preferences: HAIKU, model_role: 'coding' },
      { provider_preferences: GPT },
    );
    expect(model.chosen).toMatchObject({ provider: 'anthropic', model: 'claude-haiku-4-10' });
    expect(model.because).toMatch(/^Asked for by the call/);
    expect(plan.json.providers?.[0]).toMatchObject({
      config: { priority: 0, default_model: 'claude-haiku-4-10', api_key: 'k' },
    });
  });

  it('is what the role of the call resolves to, before the agent', async () => {
    const { model } = await choose({ model_role: 'coding' }, { provider_preferences: HAIKU });
    expect(model).toMatchObject({ chosen: { provider: 'openai', model: 'gpt-5-mini' }, unmet: [] });
    expect(model.because).toContain("Role 'coding'");
  });

  it('is what the agent prefers, as its file or the routing hook left it, when the call says nothing', async () => {
    const { model } = await choose({}, { provider_preferences: HAIKU });
    expect(model.chosen).toMatchObject({ model: 'claude-haiku-4-10' });
    expect(model.because).toMatch(/^Preferred by the agent/);
  });

  it('is the parent’s when nobody says anything, and the plan stays as it is', async () => {
    const { model, plan } = await choose({});
    expect(model).toMatchObject({ chosen: null, candidates: [], unmet: [] });
    expect(plan).toBe(PLAN);
  });

  it('is the parent’s when the agent’s role cannot be served, with one sentence about that role', async () => {
    const unmet = ['anthropic', 'openai'].map((provider) => ({
      requested: { provider, model: `${provider}-*` },
      reason: `The plan has no provider '${provider}'; it has: none.`,
    }));
    const unserved = { ...ROLES, resolve: async () => ({ candidates: [], unknown_roles: [], unmet }) };
    const roles = unserved as unknown as ModelRoleResolver;
    const { model, plan } = await choose({}, { model_role: ['critique', 'general'] }, roles);
    expect(plan).toBe(PLAN);
    expect(model.unmet).toEqual([
      "No model of the role 'critique' or 'general' is available; wanted: anthropic/anthropic-*, openai/openai-*.",
    ]);
    const pinned = { model_role: 'critique', provider_preferences: GPT };
    expect((await choose({}, pinned, roles)).model).toMatchObject({ chosen: { model: 'gpt-5' }, unmet: [] });
  });

  it('is the parent’s when the agent has a role and nothing routes', async () => {
    const { model } = await choose({}, { model_role: 'critique' }, null);
    expect(model).toMatchObject({ chosen: null, unmet: [] });
  });

  it('skips what cannot be had and keeps the rest as candidates', async () => {
    const { model } = await choose({
      provider_preferences: [{ provider: 'mistral', model: 'large' }, ...HAIKU, ...GPT],
    });
    expect(model.chosen).toMatchObject({ provider: 'anthropic' });
    expect(model.candidates.map(({ provider }) => provider)).toEqual(['anthropic', 'openai']);
  });

  it('stays and says so when no preference can be honoured', async () => {
    const { model, plan, missed } = await choose({
      provider_preferences: [{ provider: 'mistral', model: 'large' }],
    });
    expect(plan).toBe(PLAN);
    expect(missed).toEqual([expect.stringContaining('mistral')]);
    expect(model).toMatchObject({ chosen: null, unmet: [expect.stringContaining('mistral')] });
  });

  it('falls to the agent, with a warning, when the role is unknown or nothing resolves roles', async () => {
    const unknown = await choose({ model_role: 'vision' }, { provider_preferences: HAIKU });
    expect(unknown.model).toMatchObject({
      chosen: { model: 'claude-haiku-4-10' },
      unmet: [expect.stringContaining("no role 'vision'")],
    });
    const unrouted = await choose({ model_role: 'coding' }, {}, null);
    expect(unrouted.model).toMatchObject({
      chosen: null,
      unmet: [expect.stringContaining('no routing matrix')],
    });
  });
});
