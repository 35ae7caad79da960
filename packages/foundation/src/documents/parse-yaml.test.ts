import { describe, expect, it } from 'vitest';
import { parseYamlMapping } from './parse-yaml.js';

const read = (text: string) => parseYamlMapping({ text, file: '/a.yaml' }).data;

/** Texts with the value that PyYAML 6 gives for each (`yaml.safe_load`), written as JSON. */
const AS_PYYAML: [what: string, text: string, value: unknown][] = [
  [
    'a quoted text over lines that are not indented',
    'meta:\n  description: "First line.\nSecond line,\n\nthird: after a blank one."\nname: x',
    { meta: { description: 'First line. Second line,\nthird: after a blank one.' }, name: 'x' },
  ],
  ['a single-quoted one', "description: 'It''s\nhere.'", { description: "It's here." }],
  ['a folded block', 'd: >\n  one\n  two\n\n  three\n', { d: 'one two\nthree\n' }],
  ['a block as written, chomped', 'd: |-\n  a: b\n    # no comment\n', { d: 'a: b\n  # no comment' }],
  ['a block that ends with the text', 'm:\n  d: |\n    a\n    b', { m: { d: 'a\nb' } }],
  ['a plain text over several lines', 'd: one\n  two\n  three', { d: 'one two three' }],
  [
    'a plain text with quotes, dashes and arrows',
    'd: use "this" -> that - or not',
    { d: 'use "this" -> that - or not' },
  ],
  ['yes, no, on and off', 'a: yes\nb: No\nc: ON\nd: off', { a: true, b: false, c: true, d: false }],
  [
    'numbers of every kind',
    'a: 010\nb: 0x1F\nc: 1_000\nd: 1:30\ne: 1.5\nf: 1e3\ng: 1.0e+3\nh: 0b11',
    { a: 8, b: 31, c: 1000, d: 90, e: 1.5, f: '1e3', g: 1000, h: 3 },
  ],
  [
    'versions and ids that only look like numbers',
    'a: 1.2.3\nb: 08\nc: 1-2',
    { a: '1.2.3', b: '08', c: '1-2' },
  ],
  ['nothing, in its four ways', 'a:\nb: ~\nc: null\nd: Null', { a: null, b: null, c: null, d: null }],
  ['tags', 'a: !!str 5\nb: !!int "7"', { a: '5', b: 7 }],
  [
    'merge keys, the own one first',
    'base: &b {x: 1, y: 2}\nown:\n  <<: *b\n  y: 3',
    { base: { x: 1, y: 2 }, own: { x: 1, y: 3 } },
  ],
  [
    'lists at the margin of their key',
    'tools:\n- module: a\n  config: {x: [1, 2]}\n- b',
    { tools: [{ module: 'a', config: { x: [1, 2] } }, 'b'] },
  ],
  ['a list in brackets that closes at the margin', 'tools: [\n  a,\n  b,\n]', { tools: ['a', 'b'] }],
  ['the last of two equal keys', 'a: 1\na: 2', { a: 2 }],
  ['comments and a document mark', '---\n# top\na: b # behind\n', { a: 'b' }],
  ['emoji and other scripts', 'd: "→ 設計 🎨"', { d: '→ 設計 🎨' }],
  ['escapes', 'd: "tab\\there \\u263a"', { d: 'tab\there ☺' }],
];

describe('YAML', () => {
  it.each(AS_PYYAML)('is read as PyYAML reads it: %s', (_, text, value) => {
    expect(read(text)).toEqual(value);
  });

  it.each([
    ['a colon in a plain text', 'a: 1\nd: use it: now', 2],
    ['a tab as indentation', 'a:\n\tb: 1', 2],
    ['a quote that never closes', 'a: 1\nd: "open', 2],
    ['a text that begins with an @', 'a: 1\nb: @file', 2],
    ['an unknown tag', 'a: !python/object x', 1],
    ['a list at the top', '- a', 1],
  ])('that PyYAML refuses is refused with its place: %s', (_, text, line) => {
    expect(() => read(text)).toThrow(
      new RegExp(`^/a\\.yaml:${line}: The YAML cannot be read: .+ Fix that line`),
    );
  });

  it('knows where each value stands, and which keys stand there twice', () => {
    const { placeOf, duplicate_keys } = parseYamlMapping({
      text: 'a: 1\nmeta:\n  name: x\n  tags:\n    - one\n    - two\nb: 1\na: 2',
      file: '/a.yaml',
      first_line: 10,
    });
    const lines = [['meta', 'name'], ['meta', 'tags', 1], ['meta', 'absent'], ['b'], []].map(
      (path) => placeOf(path).line,
    );
    expect(lines).toEqual([12, 15, 11, 16, 10]);
    expect(duplicate_keys).toEqual([{ file: '/a.yaml', line: 17 }]);
  });
});
