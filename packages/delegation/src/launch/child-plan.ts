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
import { MadeBefore } from './made-before.js';

/** A plan that children share. Must not be changed. */
export interface ChildPlan {
  plan: MountPlan;
  /** The same without secrets, as it is stored. */
  stored: MountPlan;
  /** What the agent laid over the parent's plan, without secrets. */
  overlay: JsonObject;
  isValid: boolean;
}

/** Which tools and hooks a child does not get, or the only ones it gets. */
type Selection = Pick<DelegateRequest, 'inherit_tools' | 'exclude_tools' | 'exclude_hooks'>;

/** By parent's plan. */
const PLANS = new MadeBefore<ChildPlan>();

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
  const { exclude_tools, exclude_hooks, inherit_tools } = selection;
  const source = [overlay, exclude_tools, exclude_hooks, inherit_tools, settings, parent];
  return PLANS.get(parent, source, () => {
    const plan = mergePlans(parent, overlay, selection, settings);
    return {
      plan,
      stored: frozenWithoutSecrets(plan),
      overlay: frozenWithoutSecrets(overlay),
      isValid: validateMountPlan(plan).valid,
    };
  });
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
