import { parseBoundedJson } from '@amplifier/core';

/** Strings, which stay, and comments. What is not closed ends with the text: a search for its end is never begun twice. */
const COMMENTS = /("(?:[^"\\]+|\\[\s\S])*"?)|\/\/[^\n]*|\/\*[\s\S]*?(?:\*\/|$)/g;
const LAST_COMMAS = /("(?:[^"\\]+|\\[\s\S])*"?)|,(?=\s*[}\]])/g;

/** JSON in which there may be comments, and a comma after the last member. Throws as `JSON.parse` does. */
export function parseJsonc(text: string): unknown {
  const kept = (_: string, quoted = '') => quoted;
  const plain = text.replace(COMMENTS, kept).replace(LAST_COMMAS, kept);
  return parseBoundedJson(plain, 'The file');
}
