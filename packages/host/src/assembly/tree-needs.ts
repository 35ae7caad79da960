import type { TreeNeeds } from '@amplifier/delegation';
import type { Settings } from '@amplifier/foundation';
import { CARRIED } from '@amplifier/workspace';

/** What the settings give an isolated tree. The command counts only where the folder is trusted, or the user wrote it. */
export function treeNeeds({ isolation = {} }: Settings): TreeNeeds {
  return { carry: isolation.carry ?? CARRIED, setup: isolation.setup ?? null };
}
