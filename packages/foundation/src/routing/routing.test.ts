import { cloneJson, type Provider } from '@amplifier/core';
import { ScriptedProvider } from '@amplifier/testkit';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { modelCatalog } from '../preferences/model-catalog.js';
import { composeMatrix } from './compose-matrix.js';
import { matrixRoleResolver } from './role-resolver.js';
import { matrixWarnings, parseMatrix, type RoutingMatrix } from './routing-matrix.js';

const MATRIX: RoutingMatrix = {
  name: 'test',
  description: '',
  roles: {
    general: {
      description: 'All',
      candidates: [
        { provider: 'a', model: 'a-*' },
        { provider: 'b', model: 'b-1' },
      ],
    },
    fast: {
      description: 'Quick',
      candidates: [{ provider: 'b', model: 'b-small', config: { effort: 'low' } }],
    },
    vision: { description: 'Eyes', candidates: [{ provider: 'z', model: 'z-*' }] },
  },
};

function resolverWith(models: Record<string, string[] | Error>, plan: object[] = []) {
  const providers = new Map<string, Provider>(
    Object.entries(models).map(([name, ids]) => {
      const provider = new ScriptedProvider([], {
        name,
        models: Array.isArray(ids) ? ids.map((id) => ({ id })) : [],
      });
      if (ids instanceof Error) provider.listModels = () => Promise.reject(ids);
      return [name, provider];
    }),
  );
  return matrixRoleResolver({
    matrix: MATRIX,
    plan: { providers: plan as never },
    providers,
    catalog: modelCatalog(providers),
  });
}

describe('resolving a role', () => {
  it('gives the candidates that are available, best first, their config kept', async () => {
    const resolver = resolverWith({ a: ['a-1', 'a-2'], b: [] });
    expect(
      (await resolver.resolve('general')).candidates.map(({ provider, model }) => `${provider}/${model}`),
    ).toEqual(['a/a-2', 'b/b-1']);
    expect((await resolver.resolve('fast')).candidates[0]).toMatchObject({ config: { effort: 'low' } });
    expect(resolver.known_roles).toEqual(['general', 'fast', 'vision']);
  });

  it('goes to the next candidate when a provider is missing or does not answer', async () => {
    for (const resolver of [resolverWith({ b: [] }), resolverWith({ a: new Error('down'), b: [] })]) {
      const { candidates, unmet } = await resolver.resolve('general');
      expect(candidates.map(({ model }) => model)).toEqual(['b-1']);
      expect(unmet).toHaveLength(1);
    }
  });

  it('goes through a list of roles, unknown ones noted', async () => {
    const resolution = await resolverWith({ b: [] }).resolve(['poetry', 'vision', 'fast']);
    expect(resolution).toMatchObject({ role: 'fast', unknown_roles: ['poetry'] });
    expect(await resolverWith({}).resolve(['vision'])).toMatchObject({ role: null, candidates: [] });
  });

  it('takes the instance of a module the plan prefers, and no sibling', async () => {
    const plan = [
      { module: 'provider-b', id: 'b-work', config: { priority: 5 } },
      { module: 'provider-b', id: 'b-home', config: { priority: 1 } },
    ];
    const resolver = resolverWith({ 'b-work': [], 'b-home': [] }, plan);
    expect((await resolver.resolve('fast')).candidates[0]).toMatchObject({ provider: 'b-home' });
    const onlyWork = resolverWith({ 'b-work': [] }, plan);
    expect((await onlyWork.resolve('fast')).candidates[0]).toMatchObject({ provider: 'b-work' });
  });
});

describe('overriding a matrix', () => {
  const own = { provider: 'o', model: 'o-1' };
  const names = (matrix: RoutingMatrix, role: string) =>
    matrix.roles[role]?.candidates.map(({ model }) => model);

  it.each([
    ['replaces', [own], ['o-1']],
    ['prepends', [own, 'base'], ['o-1', 'a-*', 'b-1']],
    ['appends', ['base', own], ['a-*', 'b-1', 'o-1']],
    ['sandwiches', [own, 'base', { ...own, model: 'o-2' }], ['o-1', 'a-*', 'b-1', 'o-2']],
  ])('%s, as a list and as a mapping', (_, candidates, expected) => {
    expect(names(composeMatrix(MATRIX, { general: candidates }), 'general')).toEqual(expected);
    const mapped = composeMatrix(MATRIX, { general: { description: 'Mine', candidates } });
    expect(names(mapped, 'general')).toEqual(expected);
    expect(mapped.roles.general?.description).toBe('Mine');
    expect(names(mapped, 'fast')).toEqual(['b-small']);
  });

  it('adds roles that are new', () => {
    expect(names(composeMatrix(MATRIX, { poetry: [own, 'base'] }), 'poetry')).toEqual(['o-1']);
  });

  it.each([
    [['base', 'base'], /more than once/],
    ['claude', /must be a list of candidates/],
    [{ candidates: 'x' }, /must be a list of candidates/],
    [[{ provider: 'x' }], /model|cannot be read/],
  ])('refuses %j', (override, message) => {
    expect(() => composeMatrix(MATRIX, { general: override })).toThrow(message);
  });

  it('never changes its inputs', () => {
    const candidate = fc.oneof(fc.constant('base'), fc.constant(own));
    fc.assert(
      fc.property(
        fc.dictionary(fc.constantFrom('general', 'new'), fc.uniqueArray(candidate)),
        (overrides) => {
          const before = cloneJson([MATRIX, overrides]);
          const composed = composeMatrix(MATRIX, overrides);
          for (const role of Object.values(composed.roles)) role.candidates.push(own);
          expect([MATRIX, overrides]).toEqual(before);
        },
      ),
    );
  });
});

describe('a matrix file', () => {
  const text =
    'name: m\nupdated: 2026-08-05\nroles:\n  general:\n    description: d\n    candidates:\n      - { provider: a, model: b }\n';

  it('is read, and its oddities are named', () => {
    const matrix = parseMatrix(text, '/m.yaml');
    expect(matrix).toMatchObject({ name: 'm', updated: '2026-08-05' });
    expect(matrixWarnings(matrix)).toEqual(['The role fast is missing; agents and settings count on it.']);
    expect(matrixWarnings(parseMatrix('name: m\nroles: { fast: { candidates: [] } }', 'm'))).toHaveLength(3);
  });

  it.each([
    ['roles: []\nname: x', 1, /roles must be a mapping/],
    ['name: m\nroles:\n  general: coding', 3, /roles\.general must be a mapping/],
    ['name: m\nroles:\n  general:\n    description: d', 3, /candidates is missing/],
    ['name: m\nroles:\n  general:\n    candidates:\n      - base', 5, /only for overrides/],
    ['name: m\nroles: {', 2, /cannot be read/],
  ])('says what is wrong with %j', (bad, line, message) => {
    expect(() => parseMatrix(bad, '/m.yaml')).toThrow(message);
    expect(() => parseMatrix(bad, '/m.yaml')).toThrow(`/m.yaml:${line}:`);
  });
});
