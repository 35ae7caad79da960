import { constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { type BytePath, encodeName, onDisk, parentOf } from './byte-path.js';
import { errnoOf } from './workspace-error.js';

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
export const O_PATH = 0o10000000;

/**
 * Acts on the entry at `path` below `target`, a real path. The folders on the way are opened one by one, none of them through a
 * link, and `act` gets a name for the entry that nobody can lead elsewhere any more. The entry itself may still be a link: what
 * `act` calls must not follow one. Throws `InterferenceError` when a folder on the way is not one. Without /proc the plain path
 * is all there is.
 */
export async function atPlace<T>(
  target: string,
  path: BytePath,
  act: (place: Buffer) => Promise<T>,
): Promise<T> {
  if (process.platform !== 'linux') return act(onDisk(target, path));
  const folder = await openFolder(target, parentOf(path), path);
  try {
    return await act(onDisk(`/proc/self/fd/${folder.fd}`, path.slice(path.lastIndexOf('/') + 1)));
  } finally {
    await folder.close();
  }
}

/** Sets the rights of a folder, never of what a link leads to. */
export function changeFolderMode(target: string, path: BytePath, mode: number): Promise<void> {
  return atPlace(target, path, async (place) => {
    const { chmod } = await import('node:fs/promises');
    if (process.platform !== 'linux') return chmod(place, mode);
    const folder = await openStep(place, path);
    await chmod(`/proc/self/fd/${folder.fd}`, mode).finally(() => folder.close());
  });
}

async function openFolder(target: string, folder: BytePath, path: BytePath): Promise<FileHandle> {
  let handle = await openStep(Buffer.from(target), path);
  for (const name of folder === '' ? [] : folder.split('/')) {
    const outer = handle;
    handle = await openStep(onDisk(`/proc/self/fd/${outer.fd}`, name), path).finally(() => outer.close());
  }
  return handle;
}

async function openStep(place: Buffer, path: BytePath): Promise<FileHandle> {
  try {
    return await open(place, O_PATH | O_DIRECTORY | O_NOFOLLOW);
  } catch (error) {
    if (!['ENOENT', 'ENOTDIR', 'ELOOP'].includes(errnoOf(error) ?? '')) throw error;
    throw new InterferenceError(encodeName(path));
  }
}
