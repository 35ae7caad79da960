import { createHash } from 'node:crypto';
import { isPlainObject } from './json.js';

/**
 * One text for each JSON value: members in the order of their names, no white space. Members that are undefined are left out, as
 * JSON does. Throws for anything that JSON cannot hold, so that two different values never have the same text. Recurses: bound the
 * depth of outside data first.
 */
export function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`;
  if (isPlainObject(value)) {
    const names = Object.keys(value)
      .filter((name) => value[name] !== undefined)
      .sort();
    return `{${names.map((name) => `${JSON.stringify(name)}:${canonicalJson(value[name])}`).join(',')}}`;
  }
  const isScalar = value === null || typeof value === 'string' || typeof value === 'boolean';
  if (isScalar || Number.isFinite(value)) return JSON.stringify(value);
  throw new TypeError(`JSON has no ${typeof value === 'number' ? value : typeof value}.`);
}

/** SHA-256 of the canonical text. */
export function jsonDigest(value: unknown): string {
  return createHash('sha256').update(canonicalJson(value)).digest('hex');
}
