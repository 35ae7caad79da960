import { describe, expect, it } from 'vitest';
import { delegationBench, type Scene } from '../../test-support/delegation-bench.js';
import { readStructuredAnswer } from './structured-answer.js';

const SCHEMA = { type: 'object', properties: { n: { type: 'number' } }, required: ['n'] };

describe('an answer with a form', () => {
  it.each([
    ['{"n": 1}', { data: { n: 1 } }],
    ['Here it is:\n```json\n{"n": 2}\n```\nDone.', { data: { n: 2 } }],
    ['n is 1', { fault: 'It is not JSON.' }],
    ['{"n": "one"}', { fault: expect.stringContaining('n') }],
    ['', { fault: 'It is not JSON.' }],
  ])('%j is read', async (text, reading) => {
    expect(await readStructuredAnswer(text, SCHEMA)).toEqual(reading);
  });

  const child = (answers: string[]): Scene => {
    let said = 0;
    return () => ({ text: answers[said++] ?? 'nothing more' });
  };
  const ask = async (answers: string[]) => {
    const bench = await delegationBench({ scene: child(answers) });
    const root = await bench.liveRoot();
    const delegation = await bench.delegator.delegate(
      { agent: 'explorer', instruction: 'Count.', output_schema: SCHEMA },
      root.parent,
    );
    const lines = await bench.store.messages(delegation.launch.session_id);
    await root[Symbol.asyncDispose]();
    await bench[Symbol.asyncDispose]();
    if (delegation.kind !== 'outcome') throw new Error('in the background');
    return { outcome: delegation.outcome, lines };
  };

  it.each([
    ['a pattern that backtracks', { type: 'string', pattern: '^(a+)+$' }, `"${'a'.repeat(50)}!"`],
    [
      'a choice that doubles at every level',
      {
        $defs: {
          a: {
            anyOf: [
              { type: 'array', minItems: 1, items: { $ref: '#/$defs/a' } },
              { type: 'array', maxItems: 9, items: { $ref: '#/$defs/a' } },
            ],
          },
        },
        $ref: '#/$defs/a',
      },
      `${'['.repeat(50)}1${']'.repeat(50)}`,
    ],
    [
      'items that are compared with one another',
      { type: 'array', uniqueItems: true, items: { type: 'object' } },
      `[${Array.from({ length: 5_000 }, (_, n) => `{"n":${n}}`).join()},{"n":1}]`,
    ],
    ['a schema that refers to itself', { oneOf: [{ oneOf: [{ $ref: '#' }] }] }, '1'],
    [
      'many long patterns against a long text',
      { allOf: Array.from({ length: 7 }, (_, n) => ({ pattern: `^(a|b|.){${n + 300}}` })) },
      JSON.stringify('a'.repeat(1_000_000)),
    ],
    ['fences without end', { type: 'string' }, '```json\n'.repeat(40_000)],
  ])('does not hang on %s', async (_, schema, text) => {
    expect(await readStructuredAnswer(text, schema)).toHaveProperty('fault');
  });

  it.each([
    [{ type: 'string', pattern: '(?=a)b' }, "/pattern: The pattern '(?=a)b' cannot be used"],
    [{ type: 'nothing' }, 'not a type of JSON'],
    [{ $ref: 'https://example.com/x' }, 'does not lead into the schema'],
    [{ properties: { a: { $ref: '#/$defs/missing' } } }, 'leads nowhere'],
    [{ unevaluatedProperties: false }, 'is not supported'],
  ])('refuses %j before the child is asked', async (output_schema, why) => {
    await using bench = await delegationBench({ scene: child([]) });
    await using root = await bench.liveRoot();
    const delegating = bench.delegator.delegate(
      { agent: 'explorer', instruction: 'Count.', output_schema },
      root.parent,
    );
    await expect(delegating).rejects.toThrow(why);
    expect(await bench.store.children(root.parent.session_id)).toEqual([]);
    await expect(bench.root('Go.', { output_schema })).rejects.toThrow(why);
  });

  it.each([
    [{ enum: ['a', { b: 1 }] }, '{"b":1}', true],
    [{ const: 3 }, '4', false],
    [{ type: ['integer', 'null'] }, 'null', true],
    [{ type: 'integer', minimum: 2, exclusiveMaximum: 4 }, '4', false],
    [{ type: 'number', multipleOf: 0.1 }, '0.3', true],
    [{ oneOf: [{ type: 'number' }, { type: 'integer' }] }, '1', false],
    [{ not: { type: 'string' } }, '"a"', false],
    [{ type: 'object', additionalProperties: false, properties: { a: {} } }, '{"b":1}', false],
    [{ type: 'object', patternProperties: { '^x': { type: 'number' } } }, '{"x1":"a"}', false],
    [{ type: 'array', prefixItems: [{ type: 'string' }], items: { type: 'number' } }, '["a",1,2]', true],
    [{ type: 'array', contains: { const: 2 } }, '[1,3]', false],
    [{ if: { required: ['a'] }, else: { required: ['b'] } }, '{"c":1}', false],
    [{ type: 'string', minLength: 2, pattern: '^\\d+$' }, '"12"', true],
    [{ type: 'object', properties: { a: { $ref: '#' } } }, '{"a":{"a":1}}', false],
  ])('%j with %s: %s', async (schema, text, fits) => {
    expect('data' in (await readStructuredAnswer(text, schema))).toBe(fits);
  });

  it('is data in the outcome, and the schema was in the task', async () => {
    const { outcome, lines } = await ask(['{"n": 7}']);
    expect(outcome).toMatchObject({ status: 'completed', data: { n: 7 }, turn_count: 1 });
    expect(lines[0]?.content).toContain('"required":["n"]');
  });

  it('gets one more try, and is told what was wrong', async () => {
    const { outcome, lines } = await ask(['seven', '{"n": 7}']);
    expect(outcome).toMatchObject({ status: 'completed', data: { n: 7 }, turn_count: 2 });
    expect(lines[2]?.content).toContain('It is not JSON.');
  });

  it('fails after the second miss, with what was said', async () => {
    const { outcome, lines } = await ask(['seven', '{"n": "seven"}', '{"n": 7}']);
    expect(outcome).toMatchObject({
      status: 'failed',
      error: { code: 'SCHEMA_MISMATCH' },
      partial_text: '{"n": "seven"}',
    });
    expect(lines).toHaveLength(4);
  });
});
