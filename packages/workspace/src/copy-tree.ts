import { constants, type Stats } from 'node:fs';
import { chmod, copyFile, lstat, mkdir, open, readlink, symlink, utimes } from 'node:fs/promises';
import { errorInfo } from '@amplifier/core';
import { atPlace, InterferenceError } from './at-place.js';
import { type BytePath, depthOf, encodeName, foldersAbove, onDisk } from './byte-path.js';
import type { SourceTree } from './list-source.js';
import type { SkippedPath } from './scan-tree.js';
import { errnoOf, WorkspaceError } from './workspace-error.js';

/**
 * Copies the tree as it is on disk: contents byte for byte, modes, times, symlinks as symlinks. Must not read anything through a
 * link: git's list of files may name paths behind one. Returns what could not be copied. Throws `SOURCE_TOO_LARGE` before it has
 * copied more than `maxBytes`.
 */
export async function copyTree(source: SourceTree, target: string, maxBytes: number): Promise<SkippedPath[]> {
  const skipped: SkippedPath[] = [];
  const folders = new Map<BytePath, number>();
  let bytes = 0;
  for (const path of source.folders) await makeFolders([...foldersAbove(path), path]);
  for (const path of source.files) {
    try {
      await atPlace(source.root, path, async (entry) => {
        const stats = await lstat(entry);
        bytes += stats.isFile() ? stats.size : 0;
        if (bytes > maxBytes) throw tooLarge(source.root, maxBytes);
        await makeFolders(foldersAbove(path));
        await copyEntry(path, entry, stats);
      });
    } catch (error) {
      // Known to git, but deleted or behind a link: the tree on disk does not contain it.
      if (errnoOf(error) === 'ENOENT' || errnoOf(error) === 'ENOTDIR') continue;
      if (error instanceof InterferenceError) continue;
      if (error instanceof WorkspaceError) throw error;
      skipped.push({ path, reason: errorInfo(error).message });
    }
  }
  // Last, and innermost first: a folder that may not be written could not have been filled.
  for (const [path, mode] of [...folders].sort(([a], [b]) => depthOf(b) - depthOf(a))) {
    await chmod(onDisk(target, path), mode);
  }
  return skipped;

  async function makeFolders(paths: BytePath[]): Promise<void> {
    for (const path of paths) {
      if (folders.has(path)) continue;
      const stats = await lstat(onDisk(source.root, path));
      if (!stats.isDirectory()) throw new InterferenceError(encodeName(path));
      folders.set(path, stats.mode & 0o777);
      await mkdir(onDisk(target, path));
    }
  }

  async function copyEntry(path: BytePath, entry: Buffer, stats: Stats): Promise<void> {
    const to = onDisk(target, path);
    if (stats.isSymbolicLink()) return symlink(await readlink(entry, 'buffer'), to);
    if (!stats.isFile()) {
      skipped.push({ path, reason: 'it is neither a file nor a folder nor a symlink' });
      return;
    }
    await copyUnlinked(entry, to);
    await utimes(to, stats.atimeMs / 1000, stats.mtimeMs / 1000);
    await chmod(to, stats.mode & 0o777);
  }
}

/** Copies a file, and fails with `ELOOP` if it has become a link. */
export async function copyUnlinked(from: Buffer | string, to: Buffer | string): Promise<void> {
  const file = await open(from, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  try {
    const opened = process.platform === 'linux' ? `/proc/self/fd/${file.fd}` : from;
    await copyFile(opened, to, constants.COPYFILE_FICLONE);
  } finally {
    await file.close();
  }
}

function tooLarge(root: string, maxBytes: number): WorkspaceError {
  return new WorkspaceError(
    `${root} holds more than ${maxBytes} bytes and was not copied. Put it under git, or raise the limit.`,
    { code: 'SOURCE_TOO_LARGE', origin: root },
  );
}
