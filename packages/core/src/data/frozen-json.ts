import { createHash } from 'node:crypto';
import { isPlainObject, type JsonObject, setOwn } from './json.js';

/**
 * Values that were frozen all the way down. True: and free of secrets. Only the values themselves are kept here, not their parts,
 * because an entry costs more than the copy of a part.
 */
const FROZEN = new WeakMap<object, boolean>();
/** Texts of frozen values. `npm run bench -- delegation` shows it: children share their plan and grant. */
const TEXTS = new WeakMap<object, JsonText>();

/** Freezes plain objects and arrays all the way down. `isClean` marks them as free of secrets, which the caller has made sure of. */
export function freezeJson<T>(value: T, isClean = false): T {
  if (isFrozen(value, isClean) || (!Array.isArray(value) && !isPlainObject(value))) return value;
  FROZEN.set(freezeParts(value, isClean), isClean);
  return value;
}

function freezeParts<T extends object>(value: T, isClean: boolean): T {
  for (const key of Object.keys(value)) {
    const part = (value as JsonObject)[key];
    if (typeof part !== 'object' || part === null || isFrozen(part, isClean)) continue;
    if (Array.isArray(part) || isPlainObject(part)) freezeParts(part, isClean);
  }
  return Object.freeze(value);
}

function isFrozen(value: unknown, isClean: boolean): boolean {
  const known = typeof value === 'object' && value !== null ? FROZEN.get(value) : undefined;
  return known === true || (known === false && !isClean);
}

/** A frozen copy. Parts that were frozen by themselves are shared with the original. */
export function frozenCopy<T>(value: T): T {
  if (typeof value !== 'object' || value === null || FROZEN.has(value)) return value;
  const copy = copyParts(value);
  if (copy !== value) FROZEN.set(copy, false);
  return copy;
}

function copyParts<T>(value: T): T {
  if (typeof value !== 'object' || value === null || FROZEN.has(value)) return value;
  if (Array.isArray(value)) return Object.freeze(value.map(copyParts)) as T;
  if (!isPlainObject(value)) return value;
  const copy: JsonObject = {};
  for (const key of Object.keys(value)) setOwn(copy, key, copyParts(value[key]));
  return Object.freeze(copy) as T;
}

/** Frozen all the way down by `freezeJson` or `frozenCopy`. */
export function isFrozenJson(value: object): boolean {
  return FROZEN.has(value);
}

/** Frozen by `freezeJson` as free of secrets. */
export function isCleanJson(value: object): boolean {
  return FROZEN.get(value) === true;
}

/** A value as JSON text. */
export interface JsonText {
  readonly text: string;
  /** SHA-256 of the text. */
  readonly hash: string;
  /** False where values are missing that JSON cannot hold: then values of the same hash may differ. */
  readonly isWhole: boolean;
}

/** The text of a value. Of a frozen one it is made once. */
export function jsonTextOf(value: object): JsonText {
  const known = TEXTS.get(value);
  if (known) return known;
  const text = JSON.stringify(value);
  const hash = createHash('sha256').update(text).digest('base64url');
  const made = { text, hash, isWhole: isJson(value) };
  if (FROZEN.has(value)) TEXTS.set(value, made);
  return made;
}

/** True if JSON can hold all of it. */
export function isJson(value: unknown): boolean {
  if (Array.isArray(value)) return value.every(isJson);
  if (isPlainObject(value)) return Object.values(value).every(isJson);
  const type = typeof value;
  return value == null || type === 'string' || type === 'boolean' || Number.isFinite(value);
}
