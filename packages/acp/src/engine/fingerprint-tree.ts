import { type Dirent, lstatSync, readdirSync } from 'node:fs';
import { join, relative } from 'node:path';
import { setImmediate as others } from 'node:timers/promises';
import { FINGERPRINT_ENTRIES, FINGERPRINT_SLICE } from '../defaults.js';

/** Every entry below a folder with size and times; null when there are too many to claim anything. */
export type TreeFingerprint = ReadonlyMap<string, string> | null;

/**
 * Reads no file. `.git` is left out: even looking at a repository writes there. Asks the disk directly, some entries at a time
 * with a pause for others: a small folder is done in no time, and a large one several times sooner than by asking in turn.
 */
export async function fingerprintTree(root: string): Promise<TreeFingerprint> {
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

/** A folder that went away meanwhile, or may not be read, has none. */
function entriesOf(folder: string): Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    return [];
  }
}

/** Paths that were added, removed or changed. */
export function changedPaths(
  before: ReadonlyMap<string, string>,
  after: ReadonlyMap<string, string>,
): string[] {
  const paths = new Set([...before.keys(), ...after.keys()]);
  return [...paths].filter((path) => before.get(path) !== after.get(path)).sort();
}
