import { execFile } from 'node:child_process';
import {
  chmodSync,
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  mkdirSync,
  openSync,
  readFileSync,
  readlinkSync,
  type Stats,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { copyFile, cp, lstat, mkdir, readdir } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { promisify } from 'node:util';
import { errorInfo, glob } from '@amplifier/core';
import { CARRY_MAX_BYTES, SMALL_FILE_BYTES } from '../defaults.js';
import { errnoOf, WorkspaceError } from '../workspace-error.js';
import { InterferenceError, OpenFolder } from './at-place.js';
import { type BytePath, depthOf, encodeName, foldersAbove, onDisk, parentOf } from './byte-path.js';
import type { SourceTree } from './list-source.js';
import { type SkippedPath, timeSlices } from './walk-tree.js';

/**
 * Copies the tree as it is on disk: contents byte for byte, modes, times, symlinks as symlinks. Must not read anything through a
 * link: git's list of files may name paths behind one. Returns what could not be copied. Throws `SOURCE_TOO_LARGE` before it has
 * copied more than `maxBytes`.
 */
export async function copyTree(source: SourceTree, target: string, maxBytes: number): Promise<SkippedPath[]> {
  const skipped: SkippedPath[] = [];
  const folders = new Map<BytePath, number>();
  const slice = timeSlices();
  using parent = new OpenFolder(source.root);
  let bytes = 0;
  for (const path of source.folders) {
    await slice();
    makeFolders([...foldersAbove(path), path]);
  }
  for (const path of source.files) {
    await slice();
    try {
      const entry = parent.placeOf(path);
      const stats = lstatSync(entry);
      bytes += stats.isFile() ? stats.size : 0;
      if (bytes > maxBytes) throw tooLarge(source.root, maxBytes);
      makeFolders(foldersAbove(path));
      await copyEntry(path, entry, stats);
    } catch (error) {
      // Known to git, but deleted or behind a link: the tree on disk does not contain it.
      if (errnoOf(error) === 'ENOENT' || errnoOf(error) === 'ENOTDIR') continue;
      if (error instanceof InterferenceError) continue;
      if (error instanceof WorkspaceError) throw error;
      skipped.push({ path, reason: errorInfo(error).message });
    }
  }
  // Last, and innermost first: a folder that may not be written could not have been filled.
  for (const [path, mode] of [...folders].sort(([a], [b]) => depthOf(b) - depthOf(a)))
    chmodSync(onDisk(target, path), mode);
  return skipped;

  function makeFolders(paths: BytePath[]): void {
    for (const path of paths) {
      if (folders.has(path)) continue;
      const stats = lstatSync(onDisk(source.root, path));
      if (!stats.isDirectory()) throw new InterferenceError(encodeName(path));
      folders.set(path, stats.mode & 0o777);
      mkdirSync(onDisk(target, path));
    }
  }

  async function copyEntry(path: BytePath, entry: Buffer, stats: Stats): Promise<void> {
    const to = onDisk(target, path);
    if (stats.isSymbolicLink()) symlinkSync(readlinkSync(entry, 'buffer'), to);
    else if (!stats.isFile())
      skipped.push({ path, reason: 'it is neither a file nor a folder nor a symlink' });
    else {
      await copyUnlinked(entry, to);
      utimesSync(to, stats.atimeMs / 1000, stats.mtimeMs / 1000);
      chmodSync(to, stats.mode & 0o777);
    }
  }
}

/** Copies a file, and fails with `ELOOP` if it has become a link. */
export async function copyUnlinked(from: Buffer | string, to: Buffer | string): Promise<void> {
  const fd = openSync(from, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  try {
    if (fstatSync(fd).size <= SMALL_FILE_BYTES) return writeFileSync(to, readFileSync(fd));
    const opened = process.platform === 'linux' ? `/proc/self/fd/${fd}` : from;
    await copyFile(opened, to, constants.COPYFILE_FICLONE);
  } finally {
    closeSync(fd);
  }
}

function tooLarge(root: string, maxBytes: number): WorkspaceError {
  return new WorkspaceError(
    `${root} holds more than ${maxBytes} bytes and was not copied. Put it under git, or raise the limit.`,
    { code: 'SOURCE_TOO_LARGE', origin: root },
  );
}

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
