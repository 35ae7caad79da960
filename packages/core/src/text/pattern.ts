import type { RE2JS } from 're2js';
import { estimatePatternSize } from './pattern-size.js';
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
