import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { canonicalId, moduleId, parseModuleId } from './module-id.js';

const KINDS = ['orchestrator', 'context-manager', 'provider', 'tool', 'hook', 'agent', 'context'] as const;
const kind = fc.constantFrom(...KINDS);
const name = fc.string({ minLength: 1, maxLength: 30, unit: 'binary' }).filter((text) => text.isWellFormed());

describe('a module id', () => {
  it.each([
    ['orchestrator', 'loop-streaming', 'foundation/base.orchestrator.loop-streaming'],
    ['context-manager', 'context-simple', 'foundation/base.context-manager.context-simple'],
    ['provider', 'anthropic', 'foundation/base.provider.anthropic'],
    ['tool', 'bash', 'foundation/base.tool.bash'],
    ['hook', 'logging', 'foundation/base.hook.logging'],
    ['agent', 'zen-architect', 'foundation/base.agent.zen-architect'],
    ['context', 'rules/style.md', 'foundation/base.context.rules/style%2Emd'],
  ] as const)('of the %s %s is %s', (kind, name, id) => {
    expect(moduleId('foundation/base', kind, name)).toBe(id);
  });

  it('is taken apart into what it was made of, whatever the name', () => {
    fc.assert(
      fc.property(kind, name, (kind, name) => {
        expect(parseModuleId(moduleId('acme/my-profile', kind, name))).toEqual({
          profile_id: 'acme/my-profile',
          kind,
          name,
          occurrence: 1,
        });
      }),
    );
  });

  it('of what has the name of another ends with .2, which no other name gives', () => {
    const second = moduleId('foundation/base', 'agent', 'zen-architect', 2);
    expect(second).toBe('foundation/base.agent.zen-architect.2');
    expect(canonicalId('foundation/base.agents.zen-architect.2')).toBe(second);
    expect(moduleId('foundation/base', 'agent', 'zen-architect.2')).not.toBe(second);
    expect(parseModuleId(second)).toMatchObject({ name: 'zen-architect', occurrence: 2 });
  });

  it('is never shared by two names', () => {
    fc.assert(
      fc.property(kind, name, name, (kind, a, b) => {
        fc.pre(a !== b);
        expect(moduleId('a/b', kind, a)).not.toBe(moduleId('a/b', kind, b));
      }),
    );
  });

  it('may be written with the plural of its kind', () => {
    expect(canonicalId('foundation/base.agents.zen-architect')).toBe('foundation/base.agent.zen-architect');
    expect(canonicalId('not an id')).toBe('not an id');
    expect(parseModuleId('a/b.agent.%ZZ')).toBeNull();
  });
});
