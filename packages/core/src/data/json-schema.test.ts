import { RE2JS } from 're2js';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { estimatePatternSize, loadPatterns } from '../text/pattern.js';
import { compileSchema, schemaCompiler } from './json-schema.js';

const patternProperties = (count: number, pattern: (at: number) => string) => ({
  type: 'object',
  patternProperties: Object.fromEntries(Array.from({ length: count }, (_, at) => [pattern(at), {}])),
});

afterEach(() => vi.restoreAllMocks());

describe('the patterns of a schema', () => {
  it('are refused beyond their budget, before they are compiled', async () => {
    const compile = vi.spyOn(RE2JS, 'compile');
    await expect(compileSchema(patternProperties(16_000, (at) => `^a{1,500}${at}$`))).rejects.toThrow(
      /patternProperties: The pattern .* compiles to about \d+ instructions, and at most \d+ more are allowed/,
    );
    expect(compile.mock.calls.length).toBeLessThan(20);
  });

  it('are refused beyond 250', async () => {
    const compile = vi.spyOn(RE2JS, 'compile');
    await expect(compileSchema(patternProperties(251, (at) => `a${at}`))).rejects.toThrow(
      '/patternProperties: more than 250 different patterns',
    );
    expect(compile).toHaveBeenCalledTimes(250);
    await expect(compileSchema(patternProperties(250, (at) => `a${at}`))).resolves.toBeTypeOf('function');
  });

  it('share the budget of their compiler, and count once each', async () => {
    const compile = await schemaCompiler();
    for (let round = 0; round < 100; round++) compile({ pattern: '^a{1,900}' });
    expect(() => {
      for (let at = 0; at < 100; at++) compile({ pattern: `^a{1,900}${at}` });
    }).toThrow('more are allowed');
  });

  it('may be those of an honest schema', async () => {
    const check = await compileSchema({
      type: 'object',
      properties: {
        id: { type: 'string', pattern: '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$' },
        name: { type: 'string', pattern: '(?i)^\\p{L}[\\p{L}\\p{N} ._-]{0,99}$' },
      },
    });
    expect(check({ id: '123e4567-e89b-12d3-a456-426614174000', name: 'Ångström' })).toBeNull();
    expect(check({ id: 'x' })).toContain('/id');
  });
});

describe('the size of a pattern', () => {
  it.each([
    'abc',
    '^a{1,500}7$',
    'x{3,}',
    '((a{0,100}){0,10})',
    '(?:ab|cd)*e+?f{7}',
    '[a-z]{2,40}@[^@]{1,60}',
    '(\\p{L}{1,1000})(\\p{L}{0,1000})',
    '\\Q[(\\Ea{1,1000}',
    '[]a{1,1000}]b{1,1000}',
  ])('is not estimated below the program of %s', (pattern) => {
    const translated = RE2JS.translateRegExp(pattern);
    const program = RE2JS.compile(translated).programSize();
    expect(estimatePatternSize(translated)).toBeGreaterThanOrEqual(program);
  });

  it.each([
    ['a{1,1000}'.repeat(20)],
    [`(?i)${'[a-\\x{10ffff}]'.repeat(20)}`],
    ['[\\u0100-\\uffff]'.repeat(20), true],
  ])('is limited wherever one is compiled: %s', async (pattern, ignoreCase = false) => {
    const compile = vi.spyOn(RE2JS, 'compile');
    const compilePattern = await loadPatterns();
    expect(() => compilePattern(pattern, { ignoreCase })).toThrow('more are allowed');
    expect(compile).not.toHaveBeenCalled();
  });
});
