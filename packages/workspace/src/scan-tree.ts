import { readdir } from 'node:fs/promises';
import { errorInfo } from '@amplifier/core';
import { type BytePath, onDisk } from './byte-path.js';
import { SCAN_CONCURRENCY } from './defaults.js';
import { isPlaceholder } from './hold-missing.js';
import { type ReadEntry, readEntry } from './tree-entry.js';

export type TreeScan = Map<BytePath, ReadEntry>;

export interface SkippedPath {
  path: BytePath;
  reason: string;
}

export interface ScanOptions {
  /** An earlier scan of the same tree: what has not been written since is not read again. */
  known?: TreeScan;
  /** Leaves out a path with everything below. */
  leaveOut?: (path: BytePath) => string | null;
}

/** Everything below `root`, without following a symlink. The root itself is not an entry. */
export async function scanTree(
  root: string,
  { known, leaveOut = () => null }: ScanOptions = {},
): Promise<{ entries: TreeScan; skipped: SkippedPath[] }> {
  const entries: TreeScan = new Map();
  const skipped: SkippedPath[] = [];
  await visit('');
  return { entries, skipped };

  async function visit(folder: BytePath): Promise<void> {
    const names = (await readdir(onDisk(root, folder), 'latin1')).sort();
    const paths = names.map((name) => (folder === '' ? name : `${folder}/${name}`));
    for (let start = 0; start < paths.length; start += SCAN_CONCURRENCY) {
      await Promise.all(paths.slice(start, start + SCAN_CONCURRENCY).map(read));
    }
    for (const path of paths) if (entries.get(path)?.entry.type === 'folder') await visit(path);
  }

  async function read(path: BytePath): Promise<void> {
    const reason = leaveOut(path);
    if (reason !== null) {
      if (reason !== '') skipped.push({ path, reason });
      return;
    }
    try {
      const found = await readEntry(root, path, known?.get(path));
      if (found?.entry.type === 'folder' && isPlaceholder(onDisk(root, path).toString())) return;
      if (found) entries.set(path, found);
      else skipped.push({ path, reason: 'it is neither a file nor a folder nor a symlink' });
    } catch (error) {
      skipped.push({ path, reason: errorInfo(error).message });
    }
  }
}
