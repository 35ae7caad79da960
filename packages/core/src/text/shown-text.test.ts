import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { shownJson, shownText } from './shown-text.js';

describe('text that is shown', () => {
  it.each([
    ['a clipboard write', '\u001b]52;c;cm0gLXJm\u0007', '␛]52;c;cm0gLXJm␇'],
    ['a colour', '\u001b[31mred', '␛[31mred'],
    ['an eight-bit control sequence', '\u009b2J\u009d0;t\u009c', '<U+009B>2J<U+009D>0;t<U+009C>'],
    ['a line that is written over', 'rm -rf ~\rls', 'rm -rf ~␍ls'],
    ['backspaces', 'no\b\byes', 'no␈␈yes'],
    ['letters turned around', 'a\u202egnp.exe\u2066\u2069', 'a<U+202E>gnp.exe<U+2066><U+2069>'],
    ['a delete', 'a\u007f', 'a␡'],
  ])('makes %s visible', (_, text, shown) => {
    expect(shownText(text)).toBe(shown);
  });

  it('keeps what people write', () => {
    const text = 'two\tcolumns\nÄrger 日本 👩‍👧 שלום\n';
    expect(shownText(text)).toBe(text);
    expect(shownText('a\r\nb')).toBe('a\nb');
  });

  it('holds no character that acts, and stays the same when shown again', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        const shown = shownText(text);
        expect(shown).not.toMatch(/[^\P{Cc}\n\t]/u);
        expect(shownText(shown)).toBe(shown);
      }),
    );
  });

  it('leaves JSON with the same meaning', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        const json = shownJson(JSON.stringify({ text }, null, 2));
        expect(JSON.parse(json)).toEqual({ text });
        expect(json).not.toMatch(/[^\P{Cc}\n]/u);
      }),
    );
  });
});
