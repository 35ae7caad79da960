import { posix } from 'node:path';
import { SEVERAL, UNKNOWN } from './unknown-text.js';

/** The options of a program that make it run nothing else. Any other makes its command one that is not understood. */
export interface KnownOptions {
  /** Letters of short options without a value. They may be bundled. */
  flags?: string;
  /** Letters of short options that require a value, in the same word or the next. */
  values?: string;
  /** Letters of short options whose value, if any, is in the same word. */
  attached?: string;
  /** Names of long options, written out in full. With `=`: the value may also be the next word. */
  long?: string;
  /** Options of another form, as whole words. */
  words?: RegExp;
  /** Every operand is like this, and none is known only when the line runs. */
  operands?: RegExp;
  /** There are at most this many operands. */
  most?: number;
  /** The options end at the first operand; what follows is for what it names. */
  ends?: true;
}

export interface ReadOptions {
  operands: string[];
  /** What follows the first operand, if the options end there. */
  rest: readonly string[];
  values: { option: string; value: string }[];
}

/** Code or names from its input, a descriptor or a substitution, or from a file that is known only when the line runs. */
export function isInput(word: string): boolean {
  const path = posix.normalize(word);
  return (
    word === '-' ||
    word.includes(UNKNOWN) ||
    /^\/(?:dev\/(?!null$)|proc\/)/.test(path) ||
    /(?:^|\/)dev\/(?:stdin|fd|tty)(?:\/|$)/.test(path) ||
    // A folder before `..` may be a link.
    (/(?:^|\/)\.\.\//.test(word) && /(?:^|\/)(?:dev|proc)\//.test(path))
  );
}

/** An option as a value, or as an operand after `--`: whether the program reads it so is not certain. */
const isDoubtful = (word: string): boolean => /^-\S/.test(word);

/** Null if an option is not known, or a word may become one when the line runs. */
export function readOptions(args: readonly string[], known: KnownOptions): ReadOptions | null {
  const found: ReadOptions = { operands: [], rest: [], values: [] };
  const short = new RegExp(
    `^-[${known.flags ?? ''}]*(?:([${known.values ?? ''}])([^]*)|[${known.attached ?? ''}][^]*)?$`,
  );
  const long = new Set(known.long?.split(' '));
  let isEnd = false;
  for (let at = 0; at < args.length; at++) {
    const word = args[at] ?? '';
    if (word.includes(SEVERAL) || (word.startsWith(UNKNOWN) && !isEnd)) return null;
    if (isEnd || !/^-./.test(word)) {
      if (isDoubtful(word) || (known.operands && (word.includes(UNKNOWN) || !known.operands.test(word))))
        return null;
      found.operands.push(word);
      if (known.ends) return { ...found, rest: args.slice(at + 1) };
    } else if (word === '--') isEnd = true;
    else if (!known.words?.test(word)) {
      const [, name = '', inside] = /^--([^=]*)(?:=([\s\S]*))?$/.exec(word) ?? [];
      const [, letter, rest] = word.startsWith('--') ? [] : (short.exec(word) ?? []);
      const takes = letter !== undefined || long.has(`${name}=`);
      if (!takes && !long.has(name) && (word.startsWith('--') || !short.test(word))) return null;
      const isNext = letter === undefined ? inside === undefined : rest === '';
      if (!takes) continue;
      const value = isNext ? args[++at] : (inside ?? rest);
      if (value === undefined || value.includes(SEVERAL) || (isNext && isDoubtful(value))) return null;
      found.values.push({ option: letter ?? name, value });
    }
  }
  return known.most !== undefined && found.operands.length > known.most ? null : found;
}
