import { readdir } from 'node:fs/promises';
import { atPlace, InterferenceError } from '../isolation/at-place.js';
import { decodeName, encodeName, foldersAbove, onDisk } from '../isolation/byte-path.js';
import type { Change } from './change.js';
import { readInTree, sameEntry, type TreeEntry } from './tree-entry.js';

/** Somebody else changed the same path: both sides, for a person or a model to bring together. */
export interface Conflict {
  path: string;
  reason: string;
  /** What both sides started from. */
  base: TreeEntry | null;
  /** What is in the tree now. */
  current: TreeEntry | null;
  /** What the patch wants there. */
  proposed: TreeEntry | null;
  /** The file with the current content, when it is one. */
  current_path: string | null;
  /** The file with the proposed content, when it is one. */
  proposed_path: string | null;
}

/**
 * Compares the tree at `target` (as for `atPlace`) with what the changes start from. `pending` are those still to be made: a path that
 * is already as the change wants it is left out. Touches nothing.
 */
export async function checkChanges(
  target: string,
  changes: readonly Change[],
  content: (change: Change) => string | null,
  /** The path of the tree in conflicts. */
  shown: string,
): Promise<{ pending: Change[]; conflicts: Conflict[] }> {
  const byPath = new Map(changes.map((change) => [decodeName(change.path), change]));
  const pending: Change[] = [];
  const conflicts: Conflict[] = [];
  for (const [path, change] of byPath) {
    const current = await readInTree(target, path);
    const reason = (await refusalOf(path, change, current)) ?? (await parentRefusal(path));
    if (reason === null) {
      if (!isDone(change, current)) pending.push(change);
      continue;
    }
    conflicts.push({
      path: change.path,
      reason,
      base: change.before,
      current,
      proposed: change.after,
      current_path: current?.type === 'file' ? onDisk(shown, path).toString() : null,
      proposed_path: change.after?.type === 'file' ? content(change) : null,
    });
  }
  return { pending, conflicts };

  async function refusalOf(path: string, change: Change, current: TreeEntry | null): Promise<string | null> {
    if (isDone(change, current)) return null;
    if (!sameEntry(current, change.before)) return describe(change.before, current);
    if (change.before?.type !== 'folder' || change.after === null || change.after.type === 'folder')
      return null;
    const stranger = await unknownInside(path);
    return (
      stranger &&
      `the folder makes way for a ${change.after.type}, but ${stranger} in it is not part of the patch`
    );
  }

  /** Something in the folder that the changes do not remove. */
  async function unknownInside(folder: string): Promise<string | null> {
    const names = await atPlace(target, `${folder}/.`, (place) => readdir(place, 'latin1')).catch((error) => {
      if (error instanceof InterferenceError) return null;
      throw error;
    });
    if (names === null) return encodeName(folder);
    for (const name of names) {
      const path = `${folder}/${name}`;
      const change = byPath.get(path);
      if (!change || change.after !== null) return encodeName(path);
      const inner = change.before?.type === 'folder' ? await unknownInside(path) : null;
      if (inner) return inner;
    }
    return null;
  }

  /** Writing below a symlink would write somewhere else. */
  async function parentRefusal(path: string): Promise<string | null> {
    for (const folder of foldersAbove(path)) {
      if (byPath.has(folder)) continue;
      const entry = await readInTree(target, folder);
      if (entry && entry.type !== 'folder') return `${encodeName(folder)} is now a ${entry.type}`;
      if (!entry && byPath.get(path)?.after) return `the folder ${encodeName(folder)} is gone`;
    }
    return null;
  }
}

/** A folder that is wanted and there counts as done whatever its mode, when the patch only wanted it to exist. */
function isDone({ before, after }: Change, current: TreeEntry | null): boolean {
  if (sameEntry(current, after)) return true;
  return before === null && after?.type === 'folder' && current?.type === 'folder';
}

function describe(before: TreeEntry | null, current: TreeEntry | null): string {
  if (before === null) return `a ${current?.type} has appeared there`;
  if (current === null) return `the ${before.type} is gone`;
  if (before.type !== current.type) return `the ${before.type} has become a ${current.type}`;
  const onlyMode = before.type === 'file' && current.type === 'file' && before.sha256 === current.sha256;
  return onlyMode ? 'its permissions were changed' : `the ${before.type} was changed`;
}
