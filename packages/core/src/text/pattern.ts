import type { RE2JS } from 're2js';
import { shorten } from './shorten.js';

/** Matching takes time in proportion to the length of the pattern, too. */
const MAX_PATTERN_CHARACTERS = 4_000;

/** Estimated instructions: about 20 ms to compile, a tenth of a second with wide classes that ignore case. */
export const MAX_PATTERN_SIZE = 20_000;

/** What several patterns of one author may take together, in estimated instructions. */
interface PatternBudget {
  left: number;
}

/** Throws an error that names the pattern when it cannot be used, or is larger than the budget. */
export type PatternCompiler = (
  pattern: string,
  options?: { ignoreCase?: boolean; budget?: PatternBudget },
) => RE2JS;

/**
 * Loads the engine for every regular expression that a file, a model or a request contains. Matching takes time in proportion to the
 * text, never exponential time. The syntax is that of JavaScript without look-around and back-references.
 */
export async function loadPatterns(): Promise<PatternCompiler> {
  const { RE2JS } = await import('re2js');
  return (pattern, { ignoreCase = false, budget = { left: MAX_PATTERN_SIZE } } = {}) => {
    if (pattern.length > MAX_PATTERN_CHARACTERS)
      throw new Error(
        `The pattern '${shorten(pattern, 60)}' has ${pattern.length} characters; at most ${MAX_PATTERN_CHARACTERS} are allowed`,
      );
    try {
      const translated = RE2JS.translateRegExp(pattern);
      const size = estimatePatternSize(translated, ignoreCase);
      if (size > budget.left)
        throw new Error(
          `it compiles to about ${size} instructions, and at most ${budget.left} more are allowed`,
        );
      budget.left -= size;
      return RE2JS.compile(translated, ignoreCase ? RE2JS.CASE_INSENSITIVE : 0);
    } catch (cause) {
      throw new Error(
        `The pattern '${shorten(pattern, 200)}' cannot be used: ${(cause as Error).message}. Look-around and back-references are not supported`,
        { cause },
      );
    }
  };
}

/** The text as a pattern that matches it and nothing else. */
export function escapePattern(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');
}

/** A Unicode class is a table of hundreds of ranges. */
const UNICODE_CLASS = 100;
/** Without regard to case, every character of a range is looked up. */
const WIDE_RANGE_IGNORING_CASE = 2_500;

/**
 * Estimates how large the program of a pattern becomes, in instructions of the engine, before it is compiled: `a{1,500}` has eight
 * characters and 1,000 instructions. An instruction takes about a microsecond to compile.
 */
export function estimatePatternSize(pattern: string, ignoreCase = false): number {
  const foldsCase = ignoreCase || /\(\?[a-z]*i/i.test(pattern);
  const outer: number[] = [];
  let size = 3;
  let last = 0;
  /** Classes are made once, however often they are repeated. */
  let classes = 0;
  const add = (cost: number) => {
    size += cost;
    last = cost;
  };
  for (let at = 0; at < pattern.length; at++) {
    const char = pattern[at];
    if (pattern.startsWith('\\Q', at)) {
      const end = pattern.indexOf('\\E', at);
      size += (end === -1 ? pattern.length : end) - at;
      last = 1;
      at = end === -1 ? pattern.length : end + 1;
    } else if (char === '\\') {
      add(1);
      if (/[pP]/.test(pattern[at + 1] ?? '')) classes += UNICODE_CLASS;
      at++;
    } else if (char === '[') {
      const end = endOfClass(pattern, at);
      add(1);
      classes += classSize(pattern.slice(at + 1, end), foldsCase);
      at = end;
    } else if (char === '(') {
      outer.push(size);
      size = 2;
      last = 0;
    } else if (char === ')') {
      last = size;
      size += outer.pop() ?? 0;
    } else if (char === '{') {
      const counts = /^\{(\d+)(?:,(\d*))?\}/.exec(pattern.slice(at, at + 30));
      if (!counts) {
        add(1);
        continue;
      }
      const [text, least = '0', most = least] = counts;
      const copies = most === '' ? Number(least) + 1 : Math.max(Number(least), Number(most));
      const repeated = copies * (last + 1);
      size += repeated - last;
      last = repeated;
      at += text.length - 1;
    } else if (char === '*' || char === '+' || char === '?') {
      size += 2;
      last += 2;
    } else add(1);
  }
  return outer.reduce((sum, each) => sum + each, size + classes);
}

/** A `]` at the beginning may be a character of the class. What follows is then counted as if it were outside, which is never less. */
function endOfClass(pattern: string, start: number): number {
  for (let at = start + 1; at < pattern.length; at++) {
    if (pattern[at] === '\\') at++;
    else if (pattern[at] === ']') return at;
  }
  return pattern.length;
}

function classSize(members: string, foldsCase: boolean): number {
  const tables = members.match(/\\[pP]/g)?.length ?? 0;
  const ranges = foldsCase
    ? (members.match(/[^ -~]-|-[^ -~]|[\]}\dA-Fa-f]-\\|\\[xu][^-]*-|-\\[xu]/g)?.length ?? 0)
    : 0;
  return Math.ceil(members.length / 4) + tables * UNICODE_CLASS + ranges * WIDE_RANGE_IGNORING_CASE;
}
