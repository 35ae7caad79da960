import { type JsonObject, type MountPlan, moduleSpec } from '@amplifier/core';
import { type InheritedList, isNamed } from './module-names.js';

export interface ToolInheritance {
  /** Only these are inherited; an empty list inherits nothing. Goes before `exclude_tools`. */
  inherit_tools?: readonly string[];
  exclude_tools?: readonly string[];
}

export interface HookInheritance {
  inherit_hooks?: readonly string[];
  exclude_hooks?: readonly string[];
}

/** Leaves out tools a child must not inherit. What the agent's overlay declares itself always stays. */
export function inheritTools(plan: MountPlan, overlay: JsonObject, policy: ToolInheritance): MountPlan {
  return inheritModules(plan, overlay, 'tools', policy.inherit_tools, policy.exclude_tools);
}

/** The same for hooks. */
export function inheritHooks(plan: MountPlan, overlay: JsonObject, policy: HookInheritance): MountPlan {
  return inheritModules(plan, overlay, 'hooks', policy.inherit_hooks, policy.exclude_hooks);
}

function inheritModules(
  plan: MountPlan,
  overlay: JsonObject,
  list: InheritedList,
  allowed: readonly string[] | undefined,
  excluded: readonly string[] = [],
): MountPlan {
  const entries = plan[list];
  if (!Array.isArray(entries) || (allowed === undefined && excluded.length === 0)) return plan;
  const declared = declaredModules(overlay[list]);
  const kept = entries.filter((entry) => {
    if (isNamed(entry, declared, list)) return true;
    return allowed === undefined ? !isNamed(entry, excluded, list) : isNamed(entry, allowed, list);
  });
  return { ...plan, [list]: kept };
}

function declaredModules(entries: unknown): string[] {
  if (!Array.isArray(entries)) return [];
  return entries.flatMap((entry) => moduleSpec(entry)?.module ?? []);
}
