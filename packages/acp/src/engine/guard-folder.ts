import { type Dirent, lstatSync, readdirSync } from 'node:fs';
import { join, relative } from 'node:path';
import { setImmediate as others } from 'node:timers/promises';
import type { LaunchRecord } from '@amplifier/delegation';
import type { Sandbox } from '@amplifier/workspace';
import { FINGERPRINT_ENTRIES, FINGERPRINT_SLICE } from '../defaults.js';

const NAMED_PATHS = 10;

/** Looks at the folder of an agent that may only read and that no sandbox holds. Resolves to a look at what changed since; null: nothing to guard. */
export async function guardFolder(
  { safety_mode, workspace }: Pick<LaunchRecord, 'safety_mode' | 'workspace'>,
  { guarantees }: Sandbox,
): Promise<(() => Promise<string | null>) | null> {
  if (safety_mode !== 'read_only' || guarantees.writes_confined) return null;
  const before = await fingerprintTree(workspace.cwd);
  if (before === null) return null;
  return async () => {
    const after = await fingerprintTree(workspace.cwd);
    const changed = after ? changedPaths(before, after) : [];
    if (changed.length === 0) return null;
    const more = changed.length > NAMED_PATHS ? ` and ${changed.length - NAMED_PATHS} more` : '';
    return `The agent may only read, and while it ran these changed: ${changed.slice(0, NAMED_PATHS).join(', ')}${more}.`;
  };
}

/** Every entry below a folder with size and times; null when there are too many to claim anything. */
type TreeFingerprint = ReadonlyMap<string, string> | null;

/**
 * Reads no file. `.git` is left out: even looking at a repository writes there. Asks the disk directly, some entries at a time
 * with a pause for others: a small folder is done in no time, and a large one several times sooner than by asking in turn.
 */
async function fingerprintTree(root: string): Promise<TreeFingerprint> {
  const found = new Map<string, string>();
  const folders = [root];
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    for (const entry of entriesOf(folder)) {
      if (entry.name === '.git') continue;
      const path = join(folder, entry.name);
      const stats = lstatSync(path, { bigint: true, throwIfNoEntry: false });
      if (!stats) continue;
      if (entry.isDirectory()) folders.push(path);
      // The times of a folder change with every temporary file; its entries are compared anyway.
      const mark = entry.isDirectory()
        ? 'folder'
        : `${stats.mode} ${stats.size} ${stats.mtimeNs} ${stats.ino}`;
      found.set(relative(root, path), mark);
      if (found.size > FINGERPRINT_ENTRIES) return null;
      if (found.size % FINGERPRINT_SLICE === 0) await others();
    }
  }
  return found;
}

/** Empty for a folder that was removed or cannot be read. */
function entriesOf(folder: string): Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    return [];
  }
}

/** Paths that were added, removed or changed. */
function changedPaths(before: ReadonlyMap<string, string>, after: ReadonlyMap<string, string>): string[] {
  const paths = new Set([...before.keys(), ...after.keys()]);
  return [...paths].filter((path) => before.get(path) !== after.get(path)).sort();
}
