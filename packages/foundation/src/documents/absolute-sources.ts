import { resolve } from 'node:path';
import { isPlainObject, type JsonObject, setOwn } from '@amplifier/core';
import { pathWithin } from './confined-path.js';

/**
 * A copy in which every `source` that begins with `./` or `../` is absolute, starting at `folder`. What is composed later
 * has no folder of its own. A fetched file may not point out of what was fetched with it.
 */
export function absoluteSources<Value>(value: Value, folder: string, confineTo: string | null): Value {
  return mapSources(value, (source) => {
    const path = absoluteSource(source, folder);
    return confineTo === null || path === source ? path : pathWithin(confineTo, path);
  });
}

/** The source, absolute if it is a relative path. */
export function absoluteSource(source: string, folder: string): string {
  return isRelativeSource(source) ? resolve(folder, source.trim()) : source;
}

export function isRelativeSource(source: string): boolean {
  return /^\s*\.{1,2}([\\/]|\s*$)/.test(source);
}

/** A copy with every `source` of a module, at any depth, replaced. */
export function mapSources<Value>(value: Value, map: (source: string) => string): Value {
  return copy(value) as Value;

  function copy(member: unknown): unknown {
    if (Array.isArray(member)) return member.map(copy);
    if (!isPlainObject(member)) return member;
    const copied: JsonObject = {};
    for (const [key, inner] of Object.entries(member)) {
      const isSource = (key === 'source' || key.endsWith('_source')) && typeof inner === 'string';
      setOwn(copied, key, isSource ? map(inner) : copy(inner));
    }
    return copied;
  }
}
