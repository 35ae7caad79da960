import { AmplifierError } from '../kernel/errors/amplifier-error.js';
import { isPlainObject } from './json.js';

/** Deeper than any real argument, schema or configuration, and far from what a recursion could stumble over. */
export const MAX_DATA_DEPTH = 64;

/** Characters of text and numbers of members together. A file written in one call fits; a flood does not. */
const MAX_DATA_SIZE = 8 * 1024 * 1024;

export interface Bounds {
  depth?: number;
  size?: number;
}

/**
 * What is wrong with data from outside before anything may walk it: the sentence, or null when it is within bounds. Does not
 * recurse itself, and ends at data that contains itself.
 */
export function boundsFault(
  value: unknown,
  { depth = MAX_DATA_DEPTH, size = MAX_DATA_SIZE }: Bounds = {},
): string | null {
  let used = 0;
  let level: unknown[] = [value];
  for (let at = 0; level.length > 0; at++) {
    const next: unknown[] = [];
    for (const item of level) {
      used += typeof item === 'string' ? item.length : 1;
      if (Array.isArray(item)) for (const member of item) next.push(member);
      else if (isPlainObject(item)) {
        for (const key of Object.keys(item)) {
          used += key.length;
          next.push(item[key]);
        }
      }
      if (used + next.length > size) return `it is larger than ${size} characters and members`;
    }
    if (at >= depth && next.length > 0) return `it is nested more than ${depth} levels deep`;
    level = next;
  }
  return null;
}

/** Parses JSON from outside. What is no JSON is a `SyntaxError`, what is out of bounds an `AmplifierError`. */
export function parseBoundedJson(text: string, what: string, bounds: Bounds = {}): unknown {
  const { size = MAX_DATA_SIZE } = bounds;
  if (text.length > size) throw outOfBounds(what, `it is larger than ${size} characters`);
  const value: unknown = JSON.parse(text);
  const fault = boundsFault(value, bounds);
  if (fault !== null) throw outOfBounds(what, fault);
  return value;
}

export function outOfBounds(what: string, fault: string): AmplifierError {
  return new AmplifierError(`${what} was not taken: ${fault}. Send something smaller and flatter.`, {
    code: 'OUT_OF_BOUNDS',
  });
}
