import { constants, type Stats } from 'node:fs';
import { chmod, copyFile, lstat, mkdir, readlink, symlink, utimes } from 'node:fs/promises';
import { errorInfo } from '@amplifier/core';
import { type BytePath, depthOf, foldersAbove, onDisk } from './byte-path.js';
import type { SourceTree } from './list-source.js';
import type { SkippedPath } from './scan-tree.js';
import { errnoOf, WorkspaceError } from './workspace-error.js';

/**
 * Copies the tree as it is on disk: contents byte for byte, modes, times, symlinks as symlinks. Returns what could not be
 * copied. Throws `SOURCE_TOO_LARGE` before it has copied more than `maxBytes`.
 */
export async function copyTree(source: SourceTree, target: string, maxBytes: number): Promise<SkippedPath[]> {
  const skipped: SkippedPath[] = [];
  const folders = new Map<BytePath, number>();
  let bytes = 0;
  for (const path of source.folders) await makeFolders([...foldersAbove(path), path]);
  for (const path of source.files) {
    try {
      const stats = await lstat(onDisk(source.root, path));
      bytes += stats.isFile() ? stats.size : 0;
      if (bytes > maxBytes) throw tooLarge(source.root, maxBytes);
      await makeFolders(foldersAbove(path));
      await copyEntry(path, stats);
    } catch (error) {
      // Deleted but still known to git, or deleted while we copied: then the tree as it is does not have it.
      if (errnoOf(error) === 'ENOENT' || errnoOf(error) === 'ENOTDIR') continue;
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
      folders.set(path, (await lstat(onDisk(source.root, path))).mode & 0o777);
      await mkdir(onDisk(target, path));
    }
  }

  async function copyEntry(path: BytePath, stats: Stats): Promise<void> {
    const [from, to] = [onDisk(source.root, path), onDisk(target, path)];
    if (stats.isSymbolicLink()) return symlink(await readlink(from, 'buffer'), to);
    if (!stats.isFile()) {
      skipped.push({ path, reason: 'it is neither a file nor a folder nor a symlink' });
      return;
    }
    await copyFile(from, to, constants.COPYFILE_FICLONE);
    await utimes(to, stats.atimeMs / 1000, stats.mtimeMs / 1000);
    await chmod(to, stats.mode & 0o777);
  }
}

function tooLarge(root: string, maxBytes: number): WorkspaceError {
  return new WorkspaceError(
    `${root} holds more than ${maxBytes} bytes and was not copied. Put it under git, or raise the limit.`,
    { code: 'SOURCE_TOO_LARGE', origin: root },
  );
}
