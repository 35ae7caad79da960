import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { mergeValues } from '../data/merge-values.js';
import type { MountPlan } from './mount-plan.js';
import { mergeModuleLists, overlayPlan } from './overlay-plan.js';

const plan: MountPlan = {
  session: { orchestrator: { module: 'loop', config: { a: 1, b: { c: [1, 2] } } }, context: 'c' },
  tools: [{ module: 'tool-a', config: { x: 1, nested: { y: 1 } } }, 'tool-b'],
  agents: { one: {} },
};

describe('overlay', () => {
  it('merges a module of the same identity deeply and appends new ones', () => {
    expect(
      overlayPlan(plan, { tools: [{ module: 'tool-a', config: { nested: { z: 2 } } }, { module: 'tool-c' }] })
        .tools,
    ).toEqual([
      { module: 'tool-a', config: { x: 1, nested: { y: 1, z: 2 } } },
      { module: 'tool-b' },
      { module: 'tool-c' },
    ]);
  });

  it('takes a bare string as the module without config, keeping what the base has', () => {
    expect(overlayPlan(plan, { tools: ['tool-a'] }).tools?.[0]).toEqual({
      module: 'tool-a',
      config: { x: 1, nested: { y: 1 } },
    });
  });

  it('tells entries of one module apart by id', () => {
    const base = [
      { module: 'p', id: 'one', config: { n: 1 } },
      { module: 'p', id: 'two' },
    ];
    expect(mergeModuleLists(base, [{ module: 'p', id: 'two', config: { n: 2 } }, { module: 'p' }])).toEqual([
      { module: 'p', id: 'one', config: { n: 1 } },
      { module: 'p', id: 'two', config: { n: 2 } },
      { module: 'p' },
    ]);
  });

  it('drops what is no module entry', () => {
    expect(mergeModuleLists([1, null, 'a'], [undefined, [], { x: 1 }])).toEqual([{ module: 'a' }]);
    expect(mergeModuleLists('not a list', ['a'])).toEqual([{ module: 'a' }]);
  });

  it('replaces lists and scalars, merges objects', () => {
    const merged = overlayPlan(plan, {
      session: { orchestrator: { config: { b: { c: [3] }, d: null } } },
      agents: 'none',
    });
    expect(merged.session.orchestrator).toEqual({ module: 'loop', config: { a: 1, b: { c: [3] }, d: null } });
    expect(merged.agents).toBe('none');
  });

  it('shares nothing with its inputs and changes neither', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.jsonValue(), (base, overlay) => {
        const [a, b] = [structuredClone(base), structuredClone(overlay)];
        const merged = mergeValues(base, overlay);
        expect([base, overlay]).toEqual([a, b]);
        if (typeof merged === 'object' && merged !== null) expect(merged).not.toBe(overlay);
      }),
    );
  });

  it('is the same done twice, and grouped either way', () => {
    const objects = fc.dictionary(
      fc.constantFrom('a', 'b', 'c'),
      fc.oneof(fc.integer(), fc.dictionary(fc.constantFrom('x', 'y'), fc.integer())),
    );
    fc.assert(
      fc.property(objects, objects, (base, overlay) => {
        const once = mergeValues(base, overlay);
        expect(mergeValues(once, overlay)).toEqual(once);
      }),
    );
  });

  it('is not led astray by the name of a prototype', () => {
    const merged = mergeValues({}, JSON.parse('{"__proto__": {"polluted": true}}')) as object;
    expect(({} as { polluted?: boolean }).polluted).toBeUndefined();
    expect(Object.getPrototypeOf(merged)).toBe(Object.prototype);
    expect(Object.keys(merged)).toEqual(['__proto__']);
  });
});
