import { execFile } from 'node:child_process';
import { constants } from 'node:fs';
import { cp, lstat, mkdir, readdir } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { promisify } from 'node:util';
import { errorInfo, glob } from '@amplifier/core';
import { type BytePath, onDisk, parentOf } from './byte-path.js';
import { CARRY_MAX_BYTES } from './defaults.js';
import type { SourceTree } from './list-source.js';
import type { SkippedPath } from './scan-tree.js';

/**
 * Copies what git ignores and work needs into a new tree: as clones that share their blocks where the file system can. Links
 * would be faster, but what lies behind them would resolve its own links in the user's tree. Returns what is there now.
 */
export async function carryIgnored(
  { root, ignored, denial }: SourceTree,
  target: string,
  names: readonly string[],
): Promise<{ carried: BytePath[]; skipped: SkippedPath[]; denied: string[] }> {
  const isWanted = glob(names, { dot: true });
  const carried: BytePath[] = [];
  const skipped: SkippedPath[] = [];
  const denied = new Set<string>();
  const isDenied = (path: string) => {
    const place = denial(Buffer.from(relative(root, path)).toString('latin1'));
    if (place !== null) denied.add(relative(root, place));
    return place !== null;
  };
  for (const path of ignored) {
    if (!isWanted(path) && !isWanted(path.slice(path.lastIndexOf('/') + 1))) continue;
    try {
      if (await carry(root, target, path, isDenied)) carried.push(path);
    } catch (error) {
      skipped.push({ path, reason: errorInfo(error).message });
    }
  }
  return { carried, skipped, denied: [...denied] };
}

/** False where nothing of it may be read. What is denied below it is left out. */
async function carry(
  root: string,
  target: string,
  path: BytePath,
  isDenied: (path: string) => boolean,
): Promise<boolean> {
  const [from, to] = [onDisk(root, path).toString(), onDisk(target, path).toString()];
  if (isDenied(from)) return false;
  let isWhole = true;
  const leaveOut = (inner: string) => {
    const out = isDenied(inner);
    isWhole &&= !out;
    return out;
  };
  if ((await sizeOf(from, CARRY_MAX_BYTES, leaveOut)) > CARRY_MAX_BYTES)
    throw new Error(`it holds more than ${CARRY_MAX_BYTES} bytes`);
  await mkdir(onDisk(target, parentOf(path)), { recursive: true });
  // Many times faster than file by file; where cp knows no clones, file by file it is.
  const copyAll = () => promisify(execFile)('cp', ['-a', '--reflink=auto', '--', from, to]).then(() => true);
  if (isWhole && (await copyAll().catch(() => false))) return true;
  const mode = constants.COPYFILE_FICLONE;
  const filter = (inner: string) => !isDenied(inner);
  await cp(from, to, { recursive: true, verbatimSymlinks: true, preserveTimestamps: true, mode, filter });
  return true;
}

/** Stops counting when it is more than `most`. */
async function sizeOf(path: string, most: number, leaveOut: (path: string) => boolean): Promise<number> {
  const found = await lstat(path);
  if (!found.isDirectory()) return found.size;
  let bytes = 0;
  for (const name of await readdir(path)) {
    const inner = join(path, name);
    if (!leaveOut(inner)) bytes += await sizeOf(inner, most - bytes, leaveOut);
    if (bytes > most) break;
  }
  return bytes;
}
