import { execFile } from 'node:child_process';
import { constants } from 'node:fs';
import { cp, lstat, mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';
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
  { root, ignored }: SourceTree,
  target: string,
  names: readonly string[],
): Promise<{ carried: BytePath[]; skipped: SkippedPath[] }> {
  const isWanted = glob(names, { dot: true });
  const carried: BytePath[] = [];
  const skipped: SkippedPath[] = [];
  for (const path of ignored) {
    if (!isWanted(path) && !isWanted(path.slice(path.lastIndexOf('/') + 1))) continue;
    try {
      await carry(root, target, path);
      carried.push(path);
    } catch (error) {
      skipped.push({ path, reason: errorInfo(error).message });
    }
  }
  return { carried, skipped };
}

async function carry(root: string, target: string, path: BytePath): Promise<void> {
  const [from, to] = [onDisk(root, path).toString(), onDisk(target, path).toString()];
  if ((await sizeOf(from, CARRY_MAX_BYTES)) > CARRY_MAX_BYTES)
    throw new Error(`it holds more than ${CARRY_MAX_BYTES} bytes`);
  await mkdir(onDisk(target, parentOf(path)), { recursive: true });
  // Many times faster than file by file; where cp knows no clones, file by file it is.
  const fast = promisify(execFile)('cp', ['-a', '--reflink=auto', '--', from, to]).then(() => true);
  if (await fast.catch(() => false)) return;
  const mode = constants.COPYFILE_FICLONE;
  await cp(from, to, { recursive: true, verbatimSymlinks: true, preserveTimestamps: true, mode });
}

/** Stops counting when it is more than `most`. */
async function sizeOf(path: string, most: number): Promise<number> {
  const found = await lstat(path);
  if (!found.isDirectory()) return found.size;
  let bytes = 0;
  for (const name of await readdir(path)) {
    bytes += await sizeOf(join(path, name), most - bytes);
    if (bytes > most) break;
  }
  return bytes;
}
