/** Stands for the characters that were cut. */
type Mark = string | ((cut: number) => string);

/** A mark that says how much was cut. */
export const moreCharacters = (cut: number): string => `… (${cut} more characters)`;

/** At most the first `most` characters of a text, and the mark if it is longer. Splits no surrogate pair and no escape sequence. */
export function shorten(text: string, most: number, mark: Mark = '…'): string {
  if (text.length <= most) return text;
  const kept = text.slice(0, endOf(text, Math.max(0, most)));
  return kept + (typeof mark === 'string' ? mark : mark(text.length - kept.length));
}

/** The same in one line: runs of white space become one space. Reads no more of the text than it may need. */
export function shortLine(text: string, most: number, mark: Mark = '…'): string {
  const read = shorten(text, most * READ_AHEAD, '');
  const line = read.replace(/\s+/g, ' ').trim();
  if (read.length === text.length) return shorten(line, most, mark);
  return shorten(line, most, '') + (typeof mark === 'string' ? mark : mark(text.length - most));
}

/** Characters that are read for each that is kept. Text with more white space is cut early. */
const READ_AHEAD = 4;
/** Longer sequences that have no end are text. */
const LONGEST_ESCAPE = 2_048;
const ESCAPE = '\u001b';

function endOf(text: string, most: number): number {
  const isPair = /[\uD800-\uDBFF]/.test(text[most - 1] ?? '') && /[\uDC00-\uDFFF]/.test(text[most] ?? '');
  const end = beforeEscape(text, isPair ? most - 1 : most);
  // The escape character that was cut may have begun the end of another sequence.
  return beforeEscape(text, end);
}

/** The end, or the start of the escape sequence that it would split. */
function beforeEscape(text: string, end: number): number {
  const from = Math.max(0, end - LONGEST_ESCAPE);
  const start = text.slice(from, end).lastIndexOf(ESCAPE);
  return start !== -1 && isUnfinished(text.slice(from + start, end)) ? from + start : end;
}

/** True for the beginning of an escape sequence: `ESC [ 3 1` of `ESC [ 3 1 m`, or `ESC ]` without the character that ends it. */
function isUnfinished(sequence: string): boolean {
  if (sequence.startsWith(`${ESCAPE}]`)) return !sequence.includes('\u0007');
  return /^.(\[[0-?]*)?[ -/]*$/s.test(sequence);
}
