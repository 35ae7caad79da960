import type { RE2JS } from 're2js';
import { shorten } from './shorten.js';

/** Matching takes time in proportion to the length of the pattern, too. */
const MAX_PATTERN_CHARACTERS = 4_000;

/** Throws an error that names the pattern when it cannot be used. */
export type PatternCompiler = (pattern: string, options?: { ignoreCase?: boolean }) => RE2JS;

/**
 * Loads the engine for every regular expression that a file, a model or a request contains. Matching takes time in proportion to the
 * text, never exponential time. The syntax is that of JavaScript without look-around and back-references.
 */
export async function loadPatterns(): Promise<PatternCompiler> {
  const { RE2JS } = await import('re2js');
  return (pattern, { ignoreCase = false } = {}) => {
    if (pattern.length > MAX_PATTERN_CHARACTERS)
      throw new Error(
        `The pattern '${shorten(pattern, 60)}' has ${pattern.length} characters; at most ${MAX_PATTERN_CHARACTERS} are allowed`,
      );
    try {
      return RE2JS.compile(RE2JS.translateRegExp(pattern), ignoreCase ? RE2JS.CASE_INSENSITIVE : 0);
    } catch (cause) {
      throw new Error(
        `The pattern '${pattern}' cannot be used: ${(cause as Error).message}. Look-around and back-references are not supported`,
        { cause },
      );
    }
  };
}

/** The text as a pattern that matches it and nothing else. */
export function escapePattern(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');
}
