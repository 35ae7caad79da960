import { type JsonObject, mergeValues } from '@amplifier/core';
import { namesIn } from './module-names.js';

/** Across scopes these add up, so that a grant in one scope does not silently undo a denial in another. */
const PATH_LISTS = ['allowed_write_paths', 'allowed_read_paths', 'denied_write_paths', 'denied_read_paths'];

/** Lays one tool config over another: the permission path lists are joined, the rest is as in `mergeValues`. */
export function mergeToolConfig(base: JsonObject, overlay: JsonObject): JsonObject {
  const merged = mergeValues(base, overlay) as JsonObject;
  for (const list of PATH_LISTS) {
    if (!Object.hasOwn(base, list) && !Object.hasOwn(overlay, list)) continue;
    merged[list] = [...new Set([...namesIn(base[list]), ...namesIn(overlay[list])])];
  }
  return merged;
}
