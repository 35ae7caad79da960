import { type JsonObject, type MountPlan, overlayPlan } from '@amplifier/core';
import { filterAgents } from './agent-access.js';
import { applySpawnToolPolicy } from './spawn-tool-policy.js';

/**
 * The plan of a child: what the parent's spawn policy lets through, with the agent's own declarations laid over it, and
 * the roster cut to what the agent may delegate to. A new plan that shares nothing with either input.
 */
export function mergeConfigs(parent: MountPlan, overlay: JsonObject): MountPlan {
  const { agents: access, ...declared } = overlay;
  const merged = overlayPlan(applySpawnToolPolicy(parent), declared);
  if (parent.agents === undefined && access === undefined) return merged;
  return { ...merged, agents: filterAgents(parent.agents, access) };
}
