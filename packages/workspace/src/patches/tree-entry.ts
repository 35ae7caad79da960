import { createHash } from 'node:crypto';
import {
  type BigIntStats,
  closeSync,
  constants,
  createReadStream,
  fstatSync,
  lstatSync,
  openSync,
  readFileSync,
  readlinkSync,
} from 'node:fs';
import { z } from 'zod';
import { SMALL_FILE_BYTES } from '../defaults.js';
import { OpenFolder } from '../isolation/at-place.js';
import { type BytePath, encodeName } from '../isolation/byte-path.js';
import { errnoOf } from '../workspace-error.js';

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

/** An entry without its content. */
export interface EntryStat {
  type: TreeEntry['type'] | 'other';
  mode: number;
  size: number;
  stamp: string;
}

/** Null if nothing is there. */
export function statEntry(place: Buffer | string): EntryStat | null {
  const stats = lookAt(place);
  if (!stats) return null;
  const mode = Number(stats.mode) & PERMISSIONS;
  return { type: typeOf(stats), mode, size: Number(stats.size), stamp: stamped(stats) };
}

/** Null if nothing is there. */
export function stampOf(place: Buffer | string): string | null {
  const stats = lookAt(place);
  return stats && stamped(stats);
}

function lookAt(place: Buffer | string): BigIntStats | null {
  try {
    return lstatSync(place, { bigint: true, throwIfNoEntry: false }) ?? null;
  } catch (error) {
    return noEntry(error);
  }
}

function stamped({ ino, size, mtimeNs, ctimeNs }: BigIntStats): string {
  return `${ino}:${size}:${mtimeNs}:${ctimeNs}`;
}

function typeOf(stats: BigIntStats): EntryStat['type'] {
  if (stats.isFile()) return 'file';
  if (stats.isDirectory()) return 'folder';
  return stats.isSymbolicLink() ? 'symlink' : 'other';
}

/** Reads one entry. Null when there is nothing, or when it is nothing a tree can carry (a socket, a device, a pipe). */
export async function readEntry(place: Buffer): Promise<ReadEntry | null> {
  try {
    const found = statEntry(place);
    if (found === null || found.type === 'other') return null;
    const { type, mode, stamp } = found;
    if (type === 'folder') return { entry: { type, mode }, stamp };
    if (type === 'file') return { entry: { type, mode, ...(await hashFile(place)) }, stamp };
    const target = encodeName(readlinkSync(place, 'buffer').toString('latin1'));
    return { entry: { type, target }, stamp };
  } catch (error) {
    return noEntry(error);
  }
}

/** Reads one entry of a live tree. What lies behind a symlink is not in the tree: there, this finds nothing. */
export async function readInTree(root: string, path: BytePath): Promise<TreeEntry | null> {
  using folder = new OpenFolder(root);
  const place = folder.has(path) ? folder.find(path) : null;
  return (place && (await readEntry(place))?.entry) ?? null;
}

function noEntry(error: unknown): null {
  if (errnoOf(error) === 'ENOENT' || errnoOf(error) === 'ENOTDIR') return null;
  throw error;
}

/** Fails with `ELOOP` for a link. */
export async function hashFile(place: Buffer | string): Promise<{ size: number; sha256: string }> {
  const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = constants;
  const fd = openSync(place, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  const hash = createHash('sha256');
  let size = 0;
  try {
    if (fstatSync(fd).size > SMALL_FILE_BYTES) {
      for await (const chunk of createReadStream('', { fd, autoClose: false })) {
        hash.update(chunk);
        size += chunk.length;
      }
    } else {
      const content = readFileSync(fd);
      hash.update(content);
      size = content.length;
    }
  } finally {
    closeSync(fd);
  }
  return { size, sha256: hash.digest('hex') };
}

export function sameEntry(a: TreeEntry | null, b: TreeEntry | null): boolean {
  if (a === null || b === null) return a === b;
  if (a.type === 'file') return b.type === 'file' && a.sha256 === b.sha256 && a.mode === b.mode;
  if (a.type === 'folder') return b.type === 'folder' && a.mode === b.mode;
  return b.type === 'symlink' && a.target === b.target;
}
