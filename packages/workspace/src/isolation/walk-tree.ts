import { type Dirent, readdirSync } from 'node:fs';
import { setImmediate } from 'node:timers/promises';
import { errorInfo } from '@amplifier/core';
import { TIME_SLICE_MS, TREE_MAX_DEPTH } from '../defaults.js';
import { type BytePath, depthOf, onDisk } from './byte-path.js';

/** A path that was left out, and why. */
export interface SkippedPath {
  path: BytePath;
  reason: string;
}

/**
 * For a long run of synchronous calls: the function returns a promise to await every few milliseconds, so that other work runs.
 * Synchronous calls on many small files take a tenth of the processor time of asynchronous ones.
 */
export function timeSlices(): () => Promise<void> | undefined {
  let end = performance.now() + TIME_SLICE_MS;
  return () => {
    if (performance.now() < end) return undefined;
    return setImmediate().then(() => {
      end = performance.now() + TIME_SLICE_MS;
    });
  };
}

/** Why nothing in a folder at `TREE_MAX_DEPTH` is listed. */
export const TOO_DEEP = `it is nested more than ${TREE_MAX_DEPTH} folders deep`;

/**
 * Visits everything below `root`, sorted by name, without following a symlink. `visit` returns true to enter a folder. Returns the
 * folders that cannot be read or are nested too deep; throws if `root` cannot be read.
 */
export async function walkTree(
  root: string,
  visit: (path: BytePath, entry: Dirent) => boolean | Promise<boolean>,
): Promise<SkippedPath[]> {
  const skipped: SkippedPath[] = [];
  const slice = timeSlices();
  const folders: BytePath[] = [''];
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    const entered: BytePath[] = [];
    const depth = folder === '' ? 1 : depthOf(folder) + 1;
    for (const { name, entry } of entriesIn(root, folder, skipped)) {
      const pause = slice();
      if (pause) await pause;
      const path = folder === '' ? name : `${folder}/${name}`;
      const enters = visit(path, entry);
      if (enters !== true && (enters === false || !(await enters))) continue;
      if (depth < TREE_MAX_DEPTH) entered.push(path);
      else skipped.push({ path, reason: TOO_DEEP });
    }
    folders.push(...entered.reverse());
  }
  return skipped;
}

function entriesIn(
  root: string,
  folder: BytePath,
  skipped: SkippedPath[],
): { name: string; entry: Dirent }[] {
  try {
    const entries = readdirSync(onDisk(root, folder), { withFileTypes: true, encoding: 'buffer' as 'utf8' });
    // With this encoding the name is a buffer, which node's types do not say.
    const named = entries.map((entry) => ({
      name: (entry.name as unknown as Buffer).toString('latin1'),
      entry,
    }));
    return named.sort((a, b) => (a.name < b.name ? -1 : 1));
  } catch (error) {
    if (folder === '') throw error;
    skipped.push({ path: folder, reason: errorInfo(error).message });
    return [];
  }
}
