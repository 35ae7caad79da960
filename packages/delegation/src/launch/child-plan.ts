import {
  cloneJson,
  frozenWithoutSecrets,
  type JsonObject,
  type MountPlan,
  validateMountPlan,
} from '@amplifier/core';
import { inheritHooks, inheritTools, joinRosters, mergeConfigs } from '@amplifier/foundation';
import type { DelegateConfig } from '../delegate-config.js';
import type { DelegateRequest } from '../request.js';

/** A plan that children share. Must not be changed. */
export interface ChildPlan {
  plan: MountPlan;
  /** The same without secrets, as it is stored. */
  stored: MountPlan;
  isValid: boolean;
}

/** Which tools and hooks a child does not get, or the only ones it gets. */
type Selection = Pick<DelegateRequest, 'inherit_tools' | 'exclude_tools' | 'exclude_hooks'>;

/** By parent's plan, and in there by all that the child's plan is made of. */
const MADE = new WeakMap<MountPlan, Map<string, ChildPlan>>();
const MOST_PER_PARENT = 64;

/**
 * What a child mounts: inherited by the rules of spawn policy and exclusions, and always what the agent declares. Children that
 * are made of the same share one plan; a parent's plan that has changed since makes another.
 */
export function childPlan(
  parent: MountPlan,
  overlay: JsonObject,
  selection: Selection,
  { settings }: Pick<DelegateConfig, 'settings'>,
): ChildPlan {
  const made = MADE.get(parent) ?? new Map<string, ChildPlan>();
  MADE.set(parent, made);
  const { exclude_tools, exclude_hooks, inherit_tools } = selection;
  const key = JSON.stringify([parent, overlay, exclude_tools, exclude_hooks, inherit_tools, settings]);
  const known = made.get(key);
  if (known) return known;
  const plan = mergePlans(parent, overlay, selection, settings);
  const fresh = { plan, stored: frozenWithoutSecrets(plan), isValid: validateMountPlan(plan).valid };
  if (made.size >= MOST_PER_PARENT) made.clear();
  made.set(key, fresh);
  return fresh;
}

function mergePlans(
  parent: MountPlan,
  overlay: JsonObject,
  selection: Selection,
  settings: DelegateConfig['settings'],
): MountPlan {
  const { instruction: _, name: __, description: ___, ...declared } = overlay;
  const merged = mergeConfigs(withLiveRoster(parent), declared);
  const tools = inheritTools(merged, overlay, {
    ...inheritOnly(selection.inherit_tools ?? settings.inherit_tools),
    exclude_tools: [...settings.exclude_tools, ...(selection.exclude_tools ?? [])],
  });
  return cloneJson(
    inheritHooks(tools, overlay, {
      exclude_hooks: [...settings.exclude_hooks, ...(selection.exclude_hooks ?? [])],
    }),
  );
}

/** An allowlist goes before all exclusions; without one they decide. */
function inheritOnly(inherit_tools: readonly string[] | undefined) {
  return inherit_tools ? { inherit_tools } : {};
}

function withLiveRoster(plan: MountPlan): MountPlan {
  return plan.agents === undefined ? plan : { ...plan, agents: joinRosters(plan.agents, {}) };
}
