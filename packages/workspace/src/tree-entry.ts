import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { lstat, readlink } from 'node:fs/promises';
import { z } from 'zod';
import { type BytePath, encodeName, foldersAbove, onDisk } from './byte-path.js';
import { errnoOf } from './workspace-error.js';

/** What is at one path of a tree: everything that makes two trees the same or different. */
export const TreeEntry = z.discriminatedUnion('type', [
  z.object({ type: z.literal('file'), mode: z.number(), size: z.number(), sha256: z.string() }),
  z.object({ type: z.literal('folder'), mode: z.number() }),
  /** `target` in the form of `encodeName`. Never followed. */
  z.object({ type: z.literal('symlink'), target: z.string() }),
]);
export type TreeEntry = z.infer<typeof TreeEntry>;

/** Permissions only: set-user and set-group bits never travel from one tree to another. */
const PERMISSIONS = 0o777;

export interface ReadEntry {
  entry: TreeEntry;
  /** Changes whenever the kernel saw the entry written: a file with the same stamp need not be read again. */
  stamp: string;
}

/**
 * Reads one entry. Null when there is nothing, or when it is nothing a tree can carry (a socket, a device, a pipe). With
 * `known`, content is not read again while the stamp is the same.
 */
export async function readEntry(root: string, path: BytePath, known?: ReadEntry): Promise<ReadEntry | null> {
  const place = onDisk(root, path);
  try {
    const stats = await lstat(place, { bigint: true });
    const mode = Number(stats.mode) & PERMISSIONS;
    const stamp = `${stats.ino}:${stats.size}:${stats.mtimeNs}:${stats.ctimeNs}`;
    if (stats.isDirectory()) return { entry: { type: 'folder', mode }, stamp };
    if (known?.stamp === stamp) return known;
    if (stats.isSymbolicLink()) {
      const target = encodeName((await readlink(place, 'buffer')).toString('latin1'));
      return { entry: { type: 'symlink', target }, stamp };
    }
    if (!stats.isFile()) return null;
    return { entry: { type: 'file', mode, ...(await hashFile(place)) }, stamp };
  } catch (error) {
    return noEntry(error);
  }
}

/** Reads one entry of a live tree. What lies behind a symlink is not in the tree: there, this finds nothing. */
export async function readInTree(root: string, path: BytePath): Promise<TreeEntry | null> {
  for (const folder of foldersAbove(path)) {
    const above = await lstat(onDisk(root, folder)).catch(noEntry);
    if (!above?.isDirectory()) return null;
  }
  return (await readEntry(root, path))?.entry ?? null;
}

function noEntry(error: unknown): null {
  if (errnoOf(error) === 'ENOENT' || errnoOf(error) === 'ENOTDIR') return null;
  throw error;
}

export async function hashFile(place: Buffer | string): Promise<{ size: number; sha256: string }> {
  const hash = createHash('sha256');
  let size = 0;
  for await (const chunk of createReadStream(place)) {
    hash.update(chunk);
    size += chunk.length;
  }
  return { size, sha256: hash.digest('hex') };
}

export function sameEntry(a: TreeEntry | null, b: TreeEntry | null): boolean {
  if (a === null || b === null) return a === b;
  if (a.type === 'file') return b.type === 'file' && a.sha256 === b.sha256 && a.mode === b.mode;
  if (a.type === 'folder') return b.type === 'folder' && a.mode === b.mode;
  return b.type === 'symlink' && a.target === b.target;
}
