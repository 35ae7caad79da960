import { closeSync, constants, lstatSync, openSync } from 'node:fs';
import { chmod, open, readdir, rm, rmdir, unlink } from 'node:fs/promises';
import { errnoOf } from '../workspace-error.js';
import { type BytePath, encodeName, onDisk, parentOf } from './byte-path.js';

/** Told apart from a conflict that was there before: the tree is half changed, and must be taken back. */
export class InterferenceError extends Error {
  readonly path: string;

  constructor(path: string) {
    super(`${path} was changed by somebody else at the same moment.`);
    this.path = path;
  }
}

const { O_DIRECTORY, O_NOFOLLOW } = constants;
/** Linux only, and absent from node's constants: a handle that names a folder without the right to list it. */
const O_PATH = 0o10000000;
const HANDLES = '/proc/self/fd/';
const OPTIONAL = { throwIfNoEntry: false };

/**
 * Acts on the entry at `path` below `target`, a real path or the `via` of a proven folder. The folders on the way are opened one by
 * one, none of them through a link, and `act` gets a name for the entry that no rename or link redirects. The entry itself may
 * still be a link: what `act` calls must not follow one. Throws `InterferenceError` when a folder on the way is not one. Without /proc the plain path
 * is all there is.
 */
export async function atPlace<T>(
  target: string,
  path: BytePath,
  act: (place: Buffer) => Promise<T>,
): Promise<T> {
  using folder = new OpenFolder(target);
  return await act(folder.placeOf(path));
}

/** Like `atPlace`. Null if the entry is missing, or a folder on the way is missing or a link. */
export async function findAtPlace<T>(
  target: string,
  path: BytePath,
  act: (place: Buffer) => Promise<T>,
): Promise<T | null> {
  try {
    return await atPlace(target, path, act);
  } catch (error) {
    if (error instanceof InterferenceError || errnoOf(error) === 'ENOENT') return null;
    throw error;
  }
}

/** Names entries like `atPlace`, and keeps the folder open for the next path that is in the same one. */
export class OpenFolder {
  readonly #target: string;
  #folder: { path: BytePath; fd: number } | null = null;
  readonly #folders = new Map<BytePath, boolean>();

  constructor(target: string) {
    this.#target = target;
  }

  placeOf(path: BytePath): Buffer {
    if (process.platform !== 'linux') return onDisk(this.#target, path);
    const parent = parentOf(path);
    if (this.#folder?.path !== parent) {
      this[Symbol.dispose]();
      this.#folder = { path: parent, fd: openFolder(this.#target, parent, path) };
    }
    return onDisk(`/proc/self/fd/${this.#folder.fd}`, path.slice(path.lastIndexOf('/') + 1));
  }

  /** Null if a folder on the way is missing or a link. */
  find(path: BytePath): Buffer | null {
    try {
      return this.placeOf(path);
    } catch (error) {
      if (error instanceof InterferenceError) return null;
      throw error;
    }
  }

  /** Are all folders on the way there, and none of them a link? For a look at many entries that reads none. */
  has(path: BytePath): boolean {
    const parent = parentOf(path);
    if (parent === '') return true;
    const known = this.#folders.get(parent);
    if (known !== undefined) return known;
    const found =
      this.has(parent) && (lstatSync(onDisk(this.#target, parent), OPTIONAL)?.isDirectory() ?? false);
    this.#folders.set(parent, found);
    return found;
  }

  [Symbol.dispose](): void {
    if (this.#folder) closeSync(this.#folder.fd);
    this.#folder = null;
  }
}

/** Sets the rights of a folder, never of what a link leads to. */
export async function changeFolderMode(target: string, path: BytePath, mode: number): Promise<void> {
  if (process.platform !== 'linux') return chmod(onDisk(target, path), mode);
  const fd = openFolder(target, path, path);
  await chmod(`/proc/self/fd/${fd}`, mode).finally(() => closeSync(fd));
}

function openFolder(target: string, folder: BytePath, path: BytePath): number {
  // Without `/.` the handle of a proven folder counts as a link.
  let fd = openStep(Buffer.from(target.startsWith(HANDLES) ? `${target}/.` : target), path);
  for (const name of folder === '' ? [] : folder.split('/')) {
    const outer = fd;
    try {
      fd = openStep(onDisk(`/proc/self/fd/${outer}`, name), path);
    } finally {
      closeSync(outer);
    }
  }
  return fd;
}

function openStep(place: Buffer, path: BytePath): number {
  try {
    return openSync(place, O_PATH | O_DIRECTORY | O_NOFOLLOW);
  } catch (error) {
    if (!['ENOENT', 'ENOTDIR', 'ELOOP'].includes(errnoOf(error) ?? '')) throw error;
    throw new InterferenceError(encodeName(path));
  }
}

/**
 * Removes a folder with all that is in it, also what may not be written. Each folder is held while it is emptied, so that one
 * that turns into a link meanwhile leads nowhere. Nothing there is fine.
 */
export async function removeTree(path: string): Promise<void> {
  if (process.platform !== 'linux') return rm(path, { recursive: true, force: true });
  return removeEntry(Buffer.from(path));
}

async function removeEntry(place: Buffer): Promise<void> {
  try {
    await unlink(place);
  } catch (error) {
    if (errnoOf(error) === 'EISDIR') return removeFolder(place);
    if (errnoOf(error) !== 'ENOENT') throw error;
  }
}

async function removeFolder(place: Buffer): Promise<void> {
  const folder = await open(place, O_PATH | constants.O_DIRECTORY | constants.O_NOFOLLOW);
  const inside = `/proc/self/fd/${folder.fd}`;
  try {
    await chmod(inside, 0o700);
    for (const name of await readdir(inside, 'buffer'))
      await removeEntry(Buffer.concat([Buffer.from(`${inside}/`), name]));
  } finally {
    await folder.close();
  }
  await rmdir(place);
}
