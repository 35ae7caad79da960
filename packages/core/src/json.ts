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

/** Sets a key as data even when its name is `__proto__`, which plain assignment would turn into a prototype change. */
export function setOwn(target: JsonObject, key: string, value: unknown): void {
  if (key !== '__proto__') target[key] = value;
  else Object.defineProperty(target, key, { value, enumerable: true, configurable: true, writable: true });
}
