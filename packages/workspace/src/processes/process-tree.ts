import { type Clock, hasEnded, ProcessIdentity, sleep } from '@amplifier/core';
import { KILL_POLL_MS, KILL_WAIT_MS } from '../defaults.js';
import { errnoOf } from '../workspace-error.js';
import { listProcesses, type ProcessEntry, startedWith } from './process-table.js';

/** Every process of a tree is started with it, so that one which left its parents and its session is still found. */
export const TREE_VARIABLE = 'AMPLIFIER_PROCESS_TREE';

/** A command we started, with everything it started in turn. */
export interface ProcessTree {
  /** The value of `TREE_VARIABLE`: unique, and below the mark of the tree this process is in itself. */
  id: string;
  /** `start_time` may be 0 when it is not known. */
  root: ProcessEntry;
}

/**
 * The living processes of a tree: the root's descendants, its session, and whoever carries the tree's mark, each with its
 * own descendants. Missed is only one that left parent and session and cleared its environment; a PID namespace has no such gap.
 */
async function membersOf({ id, root }: ProcessTree): Promise<ProcessEntry[]> {
  const everyone = await listProcesses();
  const children = groupByParent(everyone);
  // Nothing older than the root is of its tree: most processes need no closer look.
  const isOurs = async (entry: ProcessEntry) =>
    entry.start_time >= root.start_time &&
    (entry.pid === root.pid || entry.session === root.pid || (await carriesMark(entry.pid, id)));
  const found = new Map<number, ProcessEntry>();
  const ours = await Promise.all(everyone.map(isOurs));
  const queue = everyone.filter((_, index) => ours[index]);
  for (let entry = queue.pop(); entry; entry = queue.pop()) {
    if (found.has(entry.pid) || entry.pid === process.pid) continue;
    found.set(entry.pid, entry);
    queue.push(...(children.get(entry.pid) ?? []));
  }
  return [...found.values()];
}

/** A tree that was started from inside another carries the other's mark in front of its own. */
async function carriesMark(pid: number, id: string): Promise<boolean> {
  const mark = await startedWith(pid, TREE_VARIABLE);
  return mark === id || (mark?.startsWith(`${id}/`) ?? false);
}

export interface KilledTree {
  /** Those that were found at first. */
  killed: ProcessEntry[];
  /** Those that were still there after `KILL_WAIT_MS`: normally none. */
  left: ProcessEntry[];
}

/**
 * Ends every process of the tree. Each is stopped before any is killed, so that none can start another while the rest is being
 * looked for.
 */
export async function killTree(tree: ProcessTree, clock: Clock): Promise<KilledTree> {
  const end = clock.now() + KILL_WAIT_MS;
  let left = await stopMembers(tree);
  const killed = left;
  // One look may miss a process that is just being handed on; two in a row do not.
  let clear = killed.length === 0 ? 2 : 0;
  while (clear < 2 && clock.now() <= end) {
    for (const { pid } of left) signal(pid, 'SIGKILL');
    await sleep(clock, KILL_POLL_MS);
    left = await stopMembers(tree);
    clear = left.length === 0 ? clear + 1 : 0;
  }
  return { killed, left };
}

/** Stops every member and returns them. What is stopped starts nothing, so this comes to an end. */
async function stopMembers(tree: ProcessTree): Promise<ProcessEntry[]> {
  const stopped = new Map<number, ProcessEntry>();
  for (let fresh = await membersOf(tree); fresh.length > 0; ) {
    for (const entry of fresh) {
      signal(entry.pid, 'SIGSTOP');
      stopped.set(entry.pid, entry);
    }
    fresh = (await membersOf(tree)).filter(({ pid }) => !stopped.has(pid));
  }
  return [...stopped.values()];
}

/** Asks every process of the tree but `spared` to end. */
export async function askToEnd(tree: ProcessTree, spared: (entry: ProcessEntry) => boolean): Promise<void> {
  for (const entry of await membersOf(tree)) if (!spared(entry)) signal(entry.pid, 'SIGTERM');
}

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch (error) {
    // Gone in the meantime, or changed its user and is out of reach: the caller's next look tells which.
    if (errnoOf(error) !== 'ESRCH' && errnoOf(error) !== 'EPERM') throw error;
  }
}

function groupByParent(entries: ProcessEntry[]): Map<number, ProcessEntry[]> {
  const groups = new Map<number, ProcessEntry[]>();
  for (const entry of entries) {
    const group = groups.get(entry.ppid);
    if (group) group.push(entry);
    else groups.set(entry.ppid, [entry]);
  }
  return groups;
}

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
    const owner = ownerIn(await startedWith(root.pid, OWNER_VARIABLE));
    const id = await startedWith(root.pid, TREE_VARIABLE);
    if (root.pid === process.pid || !owner || !id || !hasEnded(owner)) continue;
    // The tree's own root may be older than this one, or long gone.
    const { left } = await killTree({ id, root: { ...root, start_time: 0 } }, clock);
    const gone = left.every(({ pid }) => pid !== root.pid);
    reclaimed.push({ pid: root.pid, name: root.name, gone });
  }
  return reclaimed;
}

function ownerIn(text: string | null): ProcessIdentity | null {
  try {
    return ProcessIdentity.safeParse(JSON.parse(text ?? 'null')).data ?? null;
  } catch {
    return null;
  }
}
