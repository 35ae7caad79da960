import { readdir } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import { errnoOf } from '../workspace-error.js';

/**
 * Tells which of many paths are surely absent, with one listing of each folder instead of a look at each path: a command has hundreds
 * of protected paths, and nearly all are absent. False means that the path has to be looked at. Valid for one pass.
 */
export function absentPaths(): (path: string) => Promise<boolean> {
  const listings = new Map<string, Promise<ReadonlySet<string> | null>>();
  return async (path) => {
    const folder = dirname(path);
    const listing = listings.get(folder) ?? namesIn(folder);
    listings.set(folder, listing);
    return (await listing)?.has(basename(path)) === false;
  };
}

/** Null where the folder cannot be listed. */
async function namesIn(folder: string): Promise<ReadonlySet<string> | null> {
  try {
    return new Set(await readdir(folder));
  } catch (error) {
    return errnoOf(error) === 'ENOENT' || errnoOf(error) === 'ENOTDIR' ? new Set() : null;
  }
}
