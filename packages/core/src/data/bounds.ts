import { AmplifierError } from '../kernel/errors/amplifier-error.js';
import { isPlainObject } from './json.js';

/** Deeper than any real argument, schema or configuration, and far from what a recursion could stumble over. */
export const MAX_DATA_DEPTH = 64;

/** Characters of text and numbers of members together. A file written in one call fits; a flood does not. */
const MAX_DATA_SIZE = 8 * 1024 * 1024;

/** Members of objects and lists. Half a million take a second to parse, check and store. */
const MAX_DATA_MEMBERS = 200_000;

export interface Bounds {
  depth?: number;
  size?: number;
  members?: number;
}

/**
 * What is wrong with data from outside before anything may walk it: the sentence, or null when it is within bounds. Does not
 * recurse itself, and ends at data that contains itself.
 */
export function boundsFault(
  value: unknown,
  { depth = MAX_DATA_DEPTH, size = MAX_DATA_SIZE, members = MAX_DATA_MEMBERS }: Bounds = {},
): string | null {
  let used = 0;
  let found = 0;
  let level: unknown[] = [value];
  for (let at = 0; level.length > 0; at++) {
    const next: unknown[] = [];
    for (const item of level) {
      used += typeof item === 'string' ? item.length : 1;
      if (Array.isArray(item)) for (const member of item) next.push(member);
      else if (typeof item === 'object' && isPlainObject(item)) {
        for (const key of Object.keys(item)) {
          used += key.length;
          next.push(item[key]);
        }
      }
      if (used + next.length > size) return `it is larger than ${size} characters and members`;
      // Checked before the next level is visited: a few aliases of YAML expand to millions of members.
      if (found + next.length > members) return `it has more than ${members} members`;
    }
    found += next.length;
    if (at >= depth && next.length > 0) return `it is nested more than ${depth} levels deep`;
    level = next;
  }
  return null;
}

/**
 * Parses JSON from outside. Bounds are checked in the text, because parsing takes most of the time. Throws a `SyntaxError` for invalid JSON
 * and an `AmplifierError` for text that is out of bounds.
 */
export function parseBoundedJson(text: string, what: string, bounds: Bounds = {}): unknown {
  const { size = MAX_DATA_SIZE } = bounds;
  if (text.length > size) throw outOfBounds(what, `it is larger than ${size} characters`);
  const fault = textFault(text, bounds);
  if (fault !== null) throw outOfBounds(what, fault);
  return JSON.parse(text);
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const OPEN_LIST = 0x5b;
const OPEN_OBJECT = 0x7b;
const CLOSE_LIST = 0x5d;
const CLOSE_OBJECT = 0x7d;

/** Why a JSON text is out of bounds, or null. One pass over the text, which need not be valid. */
function textFault(
  text: string,
  { depth = MAX_DATA_DEPTH, members = MAX_DATA_MEMBERS }: Bounds,
): string | null {
  let level = 0;
  let found = 0;
  for (let at = 0; at < text.length; at++) {
    switch (text.charCodeAt(at)) {
      case QUOTE:
        at = endOfString(text, at);
        break;
      case OPEN_LIST:
      case OPEN_OBJECT:
        found++;
        // The outermost value is level 0, as in `boundsFault`.
        if (++level > depth + 1) return `it is nested more than ${depth} levels deep`;
        break;
      case CLOSE_LIST:
      case CLOSE_OBJECT:
        level--;
        break;
      case COMMA:
        found++;
        break;
    }
    if (found > members) return `it has more than ${members} members`;
  }
  return null;
}

/** Of the quote that ends the string which begins at `start`; the end of the text if there is none. */
function endOfString(text: string, start: number): number {
  for (let at = text.indexOf('"', start + 1); at !== -1; at = text.indexOf('"', at + 1)) {
    let backslashes = 0;
    while (text.charCodeAt(at - 1 - backslashes) === BACKSLASH) backslashes++;
    if (backslashes % 2 === 0) return at;
  }
  return text.length;
}

export function outOfBounds(what: string, fault: string): AmplifierError {
  return new AmplifierError(`${what} was not taken: ${fault}. Send something smaller and flatter.`, {
    code: 'OUT_OF_BOUNDS',
  });
}
