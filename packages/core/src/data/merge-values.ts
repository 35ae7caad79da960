import { cloneJson, isPlainObject, setOwn } from './json.js';

/** Objects merge, anything else is replaced. The result shares nothing with its inputs. */
export function mergeValues(base: unknown, overlay: unknown): unknown {
  if (!isPlainObject(base) || !isPlainObject(overlay)) return cloneJson(overlay);
  const merged = cloneJson(base);
  for (const [key, value] of Object.entries(overlay)) {
    setOwn(merged, key, Object.hasOwn(merged, key) ? mergeValues(merged[key], value) : cloneJson(value));
  }
  return merged;
}
