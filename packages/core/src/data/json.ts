/** What survives a trip through a log, a wire or another process. */
export type Json = string | number | boolean | null | Json[] | { [key: string]: Json };

/** A JSON object whose members are not known here. */
export type JsonObject = Record<string, unknown>;

export function isPlainObject(value: unknown): value is JsonObject {
  if (typeof value !== 'object' || value === null) return false;
  const prototype = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

/**
 * Copies plain objects and arrays all the way down. Anything else (an error, a class instance, a function) is
 * passed on as it is: such values are live things, not data.
 */
export function cloneJson<T>(value: T): T {
  if (Array.isArray(value)) return value.map(cloneJson) as T;
  if (!isPlainObject(value)) return value;
  const copy: JsonObject = {};
  for (const key of Object.keys(value)) setOwn(copy, key, cloneJson(value[key]));
  return copy as T;
}

/** Do two values say the same, all the way down? What is no data is the same only as itself. */
export function isSameJson(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (Array.isArray(a)) return Array.isArray(b) && isSameList(a, b);
  return isPlainObject(a) && isPlainObject(b) && isSameObject(a, b);
}

function isSameList(a: readonly unknown[], b: readonly unknown[]): boolean {
  if (a.length !== b.length) return false;
  for (let at = 0; at < a.length; at++) if (!isSameJson(a[at], b[at])) return false;
  return true;
}

function isSameObject(a: JsonObject, b: JsonObject): boolean {
  for (const key in b) if (!Object.hasOwn(a, key)) return false;
  for (const key in a) if (!Object.hasOwn(b, key) || !isSameJson(a[key], b[key])) return false;
  return true;
}

/** Sets a key as data even when its name is `__proto__`, which plain assignment would turn into a prototype change. */
export function setOwn(target: JsonObject, key: string, value: unknown): void {
  if (key !== '__proto__') target[key] = value;
  else Object.defineProperty(target, key, { value, enumerable: true, configurable: true, writable: true });
}
