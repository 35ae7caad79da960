import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { moreCharacters, shorten, shortLine } from './shorten.js';

describe('shortening a text', () => {
  it.each([
    ['abc', 3, 'abc'],
    ['abcd', 3, 'abc…'],
    ['a😀b', 2, 'a…'],
    ['a😀b', 3, 'a😀…'],
    ['\uD83D\uDE00', 1, '…'],
    ['red \u001b[31mtext', 6, 'red …'],
    ['red \u001b[31mtext', 8, 'red …'],
    ['red \u001b[31mtext', 9, 'red \u001b[31m…'],
    ['red \u001b[31mtext', 11, 'red \u001b[31mte…'],
    ['\u001b]8;;https://example.com\u0007link', 12, '…'],
    ['\u001b]8;;x\u0007link and more', 12, '\u001b]8;;x\u0007link …'],
    ['\u001b]8;;x\u001b\\link', 7, '…'],
    ['\u001b]8;;x\u001b\\link', 9, '\u001b]8;;x\u001b\\l…'],
    ['\u001b(Bplain', 2, '…'],
    ['\u001b(Bplain', 4, '\u001b(Bp…'],
    ['', 0, ''],
    ['a', 0, '…'],
  ])('%j to %i is %j', (text, most, short) => {
    expect(shorten(text, most)).toBe(short);
  });

  it('says how much is missing', () => {
    expect(shorten('abcdef', 2, moreCharacters)).toBe('ab… (4 more characters)');
    expect(shorten('abcdef', 2, '')).toBe('ab');
  });

  it('keeps a beginning that is well formed, and cuts no more than one pair or sequence', () => {
    const text = fc.array(
      fc.oneof(
        fc.constantFrom('a', ' ', '\n', '😀', '\u001b[1;31m', '\u001b]0;title\u0007', '\u001b[0m'),
        fc.string({ unit: 'grapheme', maxLength: 4 }),
      ),
      { maxLength: 30 },
    );
    fc.assert(
      fc.property(text, fc.nat(60), (parts, most) => {
        const whole = parts.join('');
        const short = shorten(whole, most, '');
        expect(whole.startsWith(short)).toBe(true);
        expect(short.isWellFormed()).toBe(true);
        expect(short.length).toBeLessThanOrEqual(most);
        expect(short.length).toBeGreaterThanOrEqual(Math.min(whole.length, most) - 12);
        let start = 0;
        for (const part of parts) {
          const isSplit = start < short.length && short.length < start + part.length;
          expect(part.startsWith('\u001b') && isSplit).toBe(false);
          start += part.length;
        }
      }),
    );
  });

  it('makes one line of several, without reading all of them', () => {
    expect(shortLine('  a\n\n b\tc ', 10)).toBe('a b c');
    expect(shortLine('one two three', 7)).toBe('one two…');
    expect(shortLine(`a${' '.repeat(1_000)}b`, 10)).toBe('a…');
    expect(shortLine('x'.repeat(1_000), 4, moreCharacters)).toBe('xxxx… (996 more characters)');
  });
});
