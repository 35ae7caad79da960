import { statSync } from 'node:fs';
import { mkdir, readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { FOLDER_MODE } from '../defaults.js';
import { isMissing, onDisk, storageError } from './storage-error.js';

export async function ensureFolder(folder: string): Promise<void> {
  await onDisk('make the folder', folder, () => mkdir(folder, { recursive: true, mode: FOLDER_MODE }));
}

/** A plain system call: asking through the thread pool would cost many times as much. */
export function exists(path: string): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false }) !== undefined;
  } catch (error) {
    if (isMissing(error)) return false;
    throw storageError(error, 'look for', path);
  }
}

/** The bytes of a file; 0 when there is none. */
export function sizeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}

/** The bytes of the files directly in a folder. */
export async function folderBytes(folder: string): Promise<number> {
  let bytes = 0;
  for (const name of await readdir(folder)) bytes += (await stat(join(folder, name))).size;
  return bytes;
}
