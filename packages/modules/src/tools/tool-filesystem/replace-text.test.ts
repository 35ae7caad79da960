import fc from 'fast-check';
import { expect, it } from 'vitest';
import { replaceText } from './replace-text.js';

const edit = (old_string: string, new_string: string, replace_all = false) => ({
  old_string,
  new_string,
  replace_all,
});

it('replaces the one place, taking special characters of the replacement literally', () => {
  expect(replaceText('f', 'a (b) c', edit('(b)', '$& $1 \\'))).toEqual({
    text: 'a $& $1 \\ c',
    replacements: 1,
    line: 1,
  });
});

it('refuses a text that is there twice and says how often and on which lines', () => {
  expect(() => replaceText('f.ts', 'x\ny\nx\n', edit('x', 'z'))).toThrow(
    /in f\.ts 2 times, on lines 1, 3\..*replace_all/,
  );
  expect(replaceText('f', 'x\ny\nx\n', edit('x', 'z', true))).toMatchObject({
    text: 'z\ny\nz\n',
    replacements: 2,
  });
});

it('refuses a text that is not there, and points at the same text with other whitespace', () => {
  expect(() => replaceText('f', 'a\n\tif (x) {\n', edit('  if (x) {', 'y'))).toThrow(
    /Line 2 begins the same text/,
  );
  expect(() => replaceText('f', 'a', edit('b', 'c'))).toThrow(/old_string is not in f\. Read the file/);
});

it('looks for other whitespace only where lines of file and edit are few', () => {
  const wanted = 'a  b\n'.repeat(999);
  const text = (lines: number) => 'a b\n'.repeat(lines - 1);
  expect(() => replaceText('f', text(2_000), edit(wanted, 'c'))).toThrow(/Line 1001 begins the same text/);
  expect(() => replaceText('f', text(2_001), edit(wanted, 'c'))).toThrow(/not in f\. Read the file/);
});

it('refuses an empty text and an edit that changes nothing', () => {
  expect(() => replaceText('f', 'a', edit('', 'c'))).toThrow(/empty/);
  expect(() => replaceText('f', 'a', edit('a', 'a'))).toThrow(/the same/);
});

it('lets LF in an edit stand for CRLF in a file that has only that', () => {
  expect(replaceText('f', 'a\r\nb\r\nc', edit('a\nb', 'x\ny')).text).toBe('x\r\ny\r\nc');
});

it('changes exactly what was named, in any text', () => {
  const word = fc.string({ maxLength: 20 });
  fc.assert(
    fc.property(word, word, fc.string({ minLength: 1 }), fc.string(), (before, after, old, replacement) => {
      const text = `${before}${old}${after}`;
      fc.pre(old !== replacement && text.indexOf(old) === text.lastIndexOf(old) && !text.includes('\r'));
      expect(replaceText('f', text, edit(old, replacement)).text).toBe(
        text.slice(0, text.indexOf(old)) + replacement + text.slice(text.indexOf(old) + old.length),
      );
    }),
  );
});

it('refuses an edit that makes a text larger than files that are edited', () => {
  const text = 'a'.repeat(6 * 1024 * 1024);
  expect(() => replaceText('f', text, edit('a', 'aa', true))).toThrow(/would have 12582912 characters/);
});
