import { lstat } from 'node:fs/promises';
import { setTimeout } from 'node:timers/promises';
import { errnoOf } from '../workspace-error.js';
import { ancestors, isWithin } from './path-scope.js';

/**
 * The folders that lead to a path, the outermost first, with the time of their last change. A folder in which an entry was created,
 * renamed or removed has another time afterwards, which no program can set back. So if two states are the same, the path led to the
 * same file from the first to the second.
 */
export type PathState = readonly { id: string; changed: bigint }[];

/** A change within one tick of the kernel's clock, at most 10 ms, can have the time of the one before. */
const SETTLED_MS = 20;
const ATTEMPTS = 3;

/**
 * The state of a path that is absolute and real, for the folders at or below one of `roots`. Null if a folder on the way is missing,
 * or one of them or the path itself is a link.
 */
export async function pathState(path: string, roots: readonly string[]): Promise<PathState | null> {
  const state: { id: string; changed: bigint }[] = [];
  for (const folder of foldersAbove(path, roots)) {
    const found = await lstat(folder, { bigint: true }).catch(orNull);
    if (!found?.isDirectory()) return null;
    state.push({ id: `${found.dev}:${found.ino}`, changed: found.ctimeNs });
  }
  return (await lstat(path).catch(orNull))?.isSymbolicLink() ? null : state;
}

/** The same, once every later change shows in it. Null also for folders that are changed all the time. */
export async function settledPathState(path: string, roots: readonly string[]): Promise<PathState | null> {
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const now = BigInt(Date.now());
    const state = await pathState(path, roots);
    if (state === null) return null;
    if (state.every(({ changed }) => changed / 1_000_000n < now - BigInt(SETTLED_MS))) return state;
    await setTimeout(SETTLED_MS + 5);
  }
  return null;
}

/** `exceptLast`: the innermost folder may have other entries, but has to be the same folder. */
export function isSamePath(
  before: PathState,
  after: PathState | null,
  { exceptLast = false }: { exceptLast?: boolean } = {},
): boolean {
  const isSame = ({ id, changed }: PathState[number], at: number) =>
    id === after?.[at]?.id && ((exceptLast && at === before.length - 1) || changed === after?.[at]?.changed);
  return after?.length === before.length && before.every(isSame);
}

function foldersAbove(path: string, roots: readonly string[]): string[] {
  return ancestors(path)
    .filter((folder) => roots.some((root) => isWithin(root, folder)))
    .reverse();
}

function orNull(error: unknown): null {
  if (['ENOENT', 'ENOTDIR'].includes(errnoOf(error) ?? '')) return null;
  throw error;
}
