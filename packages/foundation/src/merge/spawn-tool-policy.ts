import { cloneJson, isPlainObject, type ModuleEntry, type MountPlan, moduleSpec } from '@amplifier/core';
import { isNamed, namesIn } from './module-names.js';

/**
 * What children inherit of a plan's tools, by the plan's `spawn` section: `tools` gives them just those, else
 * `exclude_tools` keeps some back. Without either the plan comes back as it is. The section itself stays, so the same
 * holds for grandchildren.
 */
export function applySpawnToolPolicy(parent: MountPlan): MountPlan {
  const { spawn, tools } = parent;
  if (!isPlainObject(spawn)) return parent;
  if (Array.isArray(spawn.tools)) return { ...parent, tools: chosenTools(spawn.tools, tools) };
  const excluded = namesIn(spawn.exclude_tools);
  if (excluded.length === 0 || !Array.isArray(tools)) return parent;
  return { ...parent, tools: cloneJson(tools.filter((tool) => !isNamed(tool, excluded, 'tools'))) };
}

/** A tool chosen by name alone keeps the source and config it has in the parent. */
function chosenTools(chosen: unknown[], tools: unknown): ModuleEntry[] {
  const own = Array.isArray(tools) ? tools : [];
  return chosen.flatMap((entry): ModuleEntry[] => {
    if (typeof entry !== 'string') {
      const spec = moduleSpec(entry);
      return spec ? [cloneJson(spec)] : [];
    }
    const matching = own.filter((tool) => isNamed(tool, [entry], 'tools'));
    return matching.length > 0 ? cloneJson(matching) : [{ module: entry }];
  });
}
