import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cloneJson, isSameJson } from '../data/json.js';
import { addUsage, NO_USAGE, readUsage } from '../data/usage.js';
import { closestNames } from '../text/closest-names.js';
import { sanitizeText } from '../text/sanitize-text.js';
import { EVENTS } from './events.js';
import { Message, textOf } from './messages.js';
import { toolFailure, toolResultText, toolSuccess } from './tool-result.js';

describe('messages', () => {
  it('keep members and blocks a vendor added', () => {
    const message = {
      role: 'assistant',
      content: [{ type: 'thinking', thinking: 'hm', signature: 's', vendor: { x: 1 } }],
      extra: true,
    };
    expect(Message.parse(message)).toEqual(message);
  });

  it.each(['system', 'developer', 'user', 'assistant', 'function', 'tool'])('know the role %s', (role) => {
    expect(Message.parse({ role, content: 'x' }).role).toBe(role);
  });

  it.each([
    { type: 'text', text: 'a' },
    { type: 'thinking', thinking: 'a' },
    { type: 'redacted_thinking', data: 'a' },
    { type: 'tool_call', id: '1', name: 'n', input: {} },
    { type: 'tool_result', tool_call_id: '1', output: null },
    { type: 'image', source: { url: 'x' } },
    { type: 'reasoning', content: [], summary: [] },
  ])('know the block $type', (block) => {
    expect(Message.parse({ role: 'user', content: [{ ...block, visibility: 'internal' }] }).content).toEqual([
      { ...block, visibility: 'internal' },
    ]);
  });

  it('refuse unknown roles and blocks', () => {
    expect(Message.safeParse({ role: 'robot', content: 'x' }).success).toBe(false);
    expect(Message.safeParse({ role: 'user', content: [{ type: 'hologram' }] }).success).toBe(false);
  });

  it('read as their text blocks alone', () => {
    expect(textOf('plain')).toBe('plain');
    expect(
      textOf([
        { type: 'thinking', thinking: 'no' },
        { type: 'text', text: 'one' },
        { type: 'text', text: 'two' },
      ]),
    ).toBe('one\ntwo');
  });
});

describe('usage', () => {
  const read = (members: object) =>
    readUsage({ input_tokens: 1, output_tokens: 2, total_tokens: 3, ...members });
  const usage = (members: object) => read(members) ?? NO_USAGE;

  it('keeps cost as a decimal string, with null for unknown', () => {
    expect(usage({}).cost_usd).toBeNull();
    expect(usage({ cost_usd: '0.01' }).cost_usd).toBe('0.01');
    expect(read({ cost_usd: 0.01 })).toBeNull();
    expect(read({ cost_usd: '1e-3' })).toBeNull();
    expect(read({ input_tokens: -1 })).toBeNull();
  });

  it('adds up, an unknown cost adding nothing', () => {
    expect(addUsage(usage({ cost_usd: '0.1', cache_read_tokens: 5 }), usage({ cost_usd: '0.2' }))).toEqual({
      input_tokens: 2,
      output_tokens: 4,
      total_tokens: 6,
      cache_read_tokens: 5,
      cost_usd: '0.3',
    });
    expect(addUsage(usage({ cost_usd: '0.1' }), usage({})).cost_usd).toBe('0.1');
    expect(addUsage(NO_USAGE, NO_USAGE).cost_usd).toBeNull();
  });
});

describe('tool results', () => {
  it.each([
    [toolSuccess(), 'Success'],
    [toolSuccess(''), 'Success'],
    [toolSuccess(0), '0'],
    [toolSuccess('text\u0007'), 'text'],
    [toolSuccess({ a: [1] }), '{"a":[1]}'],
    [toolFailure('It broke.'), 'It broke.'],
    [{ success: false, error: { message: 'only here' } }, 'only here'],
    [{ success: false }, 'Error: no details were given'],
  ])('%j reads as %j', (result, text) => {
    expect(toolResultText(result)).toBe(text);
  });

  it('say the same to program and model when they fail', () => {
    expect(toolFailure('It broke.', { code: 'BROKEN', retryable: true })).toEqual({
      success: false,
      output: 'It broke.',
      error: { message: 'It broke.', code: 'BROKEN', retryable: true },
    });
  });
});

describe('small things', () => {
  it('sanitizing keeps tabs and line breaks and is done after one pass', () => {
    expect(sanitizeText('a\tb\r\nc\u0000\u001b[31m\ud800')).toBe('a\tb\r\nc[31m�');
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        expect(sanitizeText(sanitizeText(text))).toBe(sanitizeText(text));
      }),
    );
  });

  it('cloning copies data and passes live things on', () => {
    const live = new Error('x');
    const value = { list: [{ live }], fn: settleLater };
    const copy = cloneJson(value);
    expect(copy).toEqual(value);
    expect(copy.list).not.toBe(value.list);
    expect(copy.list[0]?.live).toBe(live);
    expect(copy.fn).toBe(settleLater);
  });

  it('data is the same when it says the same, whatever the order of its members', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.jsonValue(), (a, b) => {
        expect(isSameJson(a, cloneJson(a))).toBe(true);
        expect(isSameJson(a, b)).toBe(isDeepStrictEqual(plain(a), plain(b)));
      }),
    );
    expect(isSameJson({ a: 1, b: [2, { c: 3 }] }, { b: [2, { c: 3 }], a: 1 })).toBe(true);
    expect(isSameJson({ a: undefined }, { b: undefined })).toBe(false);
    expect(isSameJson([1], { 0: 1 })).toBe(false);
    expect(isSameJson(new Error('x'), new Error('x'))).toBe(false);
  });

  it('guessing a name finds typos and parts, and nothing far off', () => {
    expect(closestNames('zen-architct', ['zen-architect', 'bug-hunter'])).toEqual(['zen-architect']);
    expect(closestNames('explorer', ['foundation:explorer', 'x'])).toEqual(['foundation:explorer']);
    expect(closestNames('fats', ['fast', 'vision'])).toEqual(['fast']);
    expect(closestNames('weather', ['zen-architect', 'bug-hunter'])).toEqual([]);
  });

  it('the canonical events are 42, session:config, provider:fallback and provider:wait, each once', () => {
    const names = Object.values(EVENTS);
    expect(new Set(names).size).toBe(names.length);
    expect(names).toHaveLength(45);
  });
});

/** As it comes back from a file, where there is only one zero. */
function plain(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value));
}

function settleLater(): void {}
