import type { Clock } from '@amplifier/core';
import { livenessOf, parseIdentity } from './process-identity.js';
import { listProcesses, startedWith } from './process-table.js';
import { killTree, TREE_VARIABLE } from './process-tree.js';

/** Every process of a tree is started with the identity of the process that owns the tree. */
export const OWNER_VARIABLE = 'AMPLIFIER_PROCESS_OWNER';

export interface ReclaimedProcess {
  pid: number;
  name: string;
  /** False when even a kill did not end it. */
  gone: boolean;
}

/**
 * Ends what the commands of dead owners left running: call it at start. Leaves alone what a living process owns, and what
 * was started in another container. Needs /proc; without it there is nothing to go by, and nothing is done.
 */
export async function reclaimProcesses(clock: Clock): Promise<ReclaimedProcess[]> {
  const reclaimed: ReclaimedProcess[] = [];
  for (const root of await listProcesses()) {
    const owner = parseIdentity((await startedWith(root.pid, OWNER_VARIABLE)) ?? '');
    const id = await startedWith(root.pid, TREE_VARIABLE);
    if (root.pid === process.pid || !owner || !id || livenessOf(owner) !== 'dead') continue;
    // The tree's own root may be older than this one, or long gone.
    const { left } = await killTree({ id, root: { ...root, start_time: 0 } }, clock);
    const gone = left.every(({ pid }) => pid !== root.pid);
    reclaimed.push({ pid: root.pid, name: root.name, gone });
  }
  return reclaimed;
}
