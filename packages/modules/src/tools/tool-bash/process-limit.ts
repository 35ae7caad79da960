import { readdirSync, readFileSync } from 'node:fs';
import type { Clock } from '@amplifier/core';
import { PROCESS_COUNT_INTERVAL_MS } from '../defaults.js';

/**
 * Counts the processes of a command every moment and calls `onExceeded` once when there are more than `limit`. The
 * returned function ends the counting. Linux only: elsewhere nothing is counted.
 */
export function limitProcesses(
  root: number,
  limit: number,
  clock: Clock,
  onExceeded: () => void,
): () => void {
  let cancel = () => {};
  const look = () => {
    if (countTree(root) > limit) onExceeded();
    else cancel = clock.after(PROCESS_COUNT_INTERVAL_MS, look);
  };
  if (process.platform === 'linux') cancel = clock.after(PROCESS_COUNT_INTERVAL_MS, look);
  return () => cancel();
}

/** Descendants of the command, and those of its session whose parents are gone. */
function countTree(root: number): number {
  const children = new Map<number, number[]>();
  const queue = [root];
  for (const name of readdirSync('/proc')) {
    const entry = /^\d+$/.test(name) ? readStat(Number(name)) : null;
    if (!entry) continue;
    if (entry.session === root) queue.push(entry.pid);
    children.set(entry.parent, [...(children.get(entry.parent) ?? []), entry.pid]);
  }
  const found = new Set<number>();
  for (let pid = queue.pop(); pid !== undefined; pid = queue.pop()) {
    if (found.has(pid)) continue;
    found.add(pid);
    queue.push(...(children.get(pid) ?? []));
  }
  return found.size;
}

function readStat(pid: number): { pid: number; parent: number; session: number } | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    // After the name, which is in parentheses and may hold anything: state, parent, group, session.
    const [, parent, , session] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return { pid, parent: Number(parent), session: Number(session) };
  } catch {
    return null; // Gone since the folder was listed.
  }
}
