import {
  cloneJson,
  isPlainObject,
  type JsonObject,
  type ModuleSpec,
  moduleIdentity,
  setOwn,
} from '@amplifier/core';

/**
 * How bundles are laid over each other, which is not how an agent is laid over a plan: here lists grow. Objects merge
 * member by member, lists join without repeating an item, anything else is replaced. Shares nothing with its inputs.
 */
export function mergeBundleValues(base: unknown, overlay: unknown): unknown {
  if (Array.isArray(base) && Array.isArray(overlay)) return joinLists(base, overlay);
  if (!isPlainObject(base) || !isPlainObject(overlay)) return cloneJson(overlay);
  const merged = cloneJson(base);
  for (const [key, value] of Object.entries(overlay)) {
    setOwn(
      merged,
      key,
      Object.hasOwn(merged, key) ? mergeBundleValues(merged[key], value) : cloneJson(value),
    );
  }
  return merged;
}

/** Module lists of two bundles: entries of one identity merge, new ones follow. */
export function mergeBundleModules(
  base: readonly ModuleSpec[],
  overlay: readonly ModuleSpec[],
): ModuleSpec[] {
  const merged = new Map<string, ModuleSpec>();
  for (const spec of [...base, ...overlay]) {
    const identity = moduleIdentity(spec);
    const existing = merged.get(identity);
    merged.set(identity, existing ? (mergeBundleValues(existing, spec) as ModuleSpec) : cloneJson(spec));
  }
  return [...merged.values()];
}

function joinLists(base: readonly unknown[], overlay: readonly unknown[]): unknown[] {
  const seen = new Set<string>();
  return [...base, ...overlay].flatMap((item) => {
    const key = sortedJson(item);
    if (seen.has(key)) return [];
    seen.add(key);
    return [cloneJson(item)];
  });
}

/** Equal for equal values whatever the order of their keys, and different for 1 and "1". */
function sortedJson(value: unknown): string {
  return (
    JSON.stringify(value, (_, member: unknown) => {
      if (!isPlainObject(member)) return member;
      const sorted: JsonObject = {};
      for (const key of Object.keys(member).sort()) setOwn(sorted, key, member[key]);
      return sorted;
    }) ?? 'undefined'
  );
}
