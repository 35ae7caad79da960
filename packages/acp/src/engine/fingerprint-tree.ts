import { lstat, readdir } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { FINGERPRINT_ENTRIES } from '../defaults.js';

/** Every entry below a folder with size and times; null when there are too many to claim anything. */
export type TreeFingerprint = ReadonlyMap<string, string> | null;

/** Reads no file. `.git` is left out: even looking at a repository writes there. */
export async function fingerprintTree(root: string): Promise<TreeFingerprint> {
  const found = new Map<string, string>();
  const folders = [root];
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    for (const entry of await readdir(folder, { withFileTypes: true }).catch(() => [])) {
      if (entry.name === '.git') continue;
      const path = join(folder, entry.name);
      const stats = await lstat(path, { bigint: true }).catch(() => null);
      if (!stats) continue;
      if (entry.isDirectory()) folders.push(path);
      // The times of a folder change with every temporary file; its entries are compared anyway.
      const mark = entry.isDirectory()
        ? 'folder'
        : `${stats.mode} ${stats.size} ${stats.mtimeNs} ${stats.ino}`;
      found.set(relative(root, path), mark);
      if (found.size > FINGERPRINT_ENTRIES) return null;
    }
  }
  return found;
}

/** Paths that were added, removed or changed. */
export function changedPaths(
  before: ReadonlyMap<string, string>,
  after: ReadonlyMap<string, string>,
): string[] {
  const paths = new Set([...before.keys(), ...after.keys()]);
  return [...paths].filter((path) => before.get(path) !== after.get(path)).sort();
}
