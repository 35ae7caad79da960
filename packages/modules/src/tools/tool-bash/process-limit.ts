import type { Clock } from '@amplifier/core';
import { listProcesses } from '@amplifier/workspace';
import { PROCESS_COUNT_INTERVAL_MS } from '../defaults.js';

/**
 * Counts the processes of a command every moment and calls `onExceeded` once when there are more than `limit`. The returned function
 * ends the counting. However many commands run, they share one reading of the process table at a time. Linux only: elsewhere nothing
 * is counted.
 */
export function limitProcesses(
  root: number,
  limit: number,
  clock: Clock,
  onExceeded: () => void,
): () => void {
  let isOver = false;
  let cancel = () => {};
  const look = async () => {
    // A look that fails tells nothing; the next one may.
    const count = await countTree(root).catch(() => 0);
    if (isOver) return;
    if (count > limit) onExceeded();
    else cancel = clock.after(PROCESS_COUNT_INTERVAL_MS, look);
  };
  if (process.platform === 'linux') cancel = clock.after(PROCESS_COUNT_INTERVAL_MS, look);
  return () => {
    isOver = true;
    cancel();
  };
}

/** Descendants of the command, and those of its session whose parents are gone. */
async function countTree(root: number): Promise<number> {
  const children = new Map<number, number[]>();
  const queue = [root];
  for (const { pid, ppid, session } of await listProcesses()) {
    if (session === root) queue.push(pid);
    const siblings = children.get(ppid);
    if (siblings) siblings.push(pid);
    else children.set(ppid, [pid]);
  }
  const found = new Set<number>();
  for (let pid = queue.pop(); pid !== undefined; pid = queue.pop()) {
    if (found.has(pid)) continue;
    found.add(pid);
    queue.push(...(children.get(pid) ?? []));
  }
  return found.size;
}
