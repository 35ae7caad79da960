/**
 * How much of a text that still grows will look the same whatever comes: up to the last blank line outside a block of code, but
 * for lists and tables, which a blank line need not end. Only the rest is made anew with each piece.
 */
export function stablePrefix(text: string): number {
  let fenced = false;
  let stable = 0;
  let at = 0;
  let blankBefore = false;
  for (const line of text.split('\n')) {
    if (/^\s*(```|~~~)/.test(line)) fenced = !fenced;
    else if (!fenced && blankBefore && /^[^\s|>*+\-\d]/.test(line)) stable = at;
    blankBefore = !fenced && line.trim() === '';
    at += line.length + 1;
  }
  return stable;
}
