import { cloneJson, type JsonObject, setOwn } from '../data/json.js';
import { mergeValues } from '../data/merge-values.js';
import { MODULE_LISTS, type ModuleSpec, type MountPlan, moduleIdentity, moduleSpec } from './mount-plan.js';

/**
 * Lays an overlay over a plan and returns a new plan; neither input changes. Module lists merge by identity, objects
 * merge member by member, everything else (other lists too) is replaced by the overlay's value.
 */
export function overlayPlan(plan: MountPlan, overlay: JsonObject): MountPlan {
  const merged = cloneJson(plan) as JsonObject;
  for (const [key, value] of Object.entries(overlay)) {
    const base = merged[key];
    if (isModuleList(key)) merged[key] = mergeModuleLists(base, value);
    else setOwn(merged, key, mergeValues(base, value));
  }
  return merged as MountPlan;
}

/**
 * Entries of the overlay merge into the base entry of the same identity (config deeply, other members replaced); new ones
 * follow after. A bare string is an entry without config. What is no entry at all is dropped.
 */
export function mergeModuleLists(base: unknown, overlay: unknown): ModuleSpec[] {
  const merged = new Map<string, ModuleSpec>();
  for (const entry of [...listOf(base), ...listOf(overlay)]) {
    const spec = moduleSpec(entry);
    if (!spec) continue;
    const identity = moduleIdentity(spec);
    const existing = merged.get(identity);
    merged.set(identity, existing ? (mergeValues(existing, spec) as ModuleSpec) : cloneJson(spec));
  }
  return [...merged.values()];
}

function isModuleList(key: string): boolean {
  return (MODULE_LISTS as readonly string[]).includes(key);
}

function listOf(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}
