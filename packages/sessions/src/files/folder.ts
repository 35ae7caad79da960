import { access, mkdir, readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { FOLDER_MODE } from '../defaults.js';
import { isMissing, onDisk, storageError } from './storage-error.js';

export async function ensureFolder(folder: string): Promise<void> {
  await onDisk('make the folder', folder, () => mkdir(folder, { recursive: true, mode: FOLDER_MODE }));
}

export async function exists(path: string): Promise<boolean> {
  try {
    await access(path);
    return true;
  } catch (error) {
    if (isMissing(error)) return false;
    throw storageError(error, 'look for', path);
  }
}

/** The bytes of the files directly in a folder. */
export async function folderBytes(folder: string): Promise<number> {
  let bytes = 0;
  for (const name of await readdir(folder)) bytes += (await stat(join(folder, name))).size;
  return bytes;
}
