import { randomBytes } from 'node:crypto';
import { rename, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { FILE_MODE } from '../defaults.js';
import { appendAll, closeFd, openFd, syncFd, withFd } from './descriptor.js';
import { onDisk } from './storage-error.js';

/** Replaces a file, and makes the replacement last. */
export async function writeAtomic(path: string, text: string): Promise<void> {
  await replaceFile(path, text);
  await onDisk('write', path, () => syncFolder(dirname(path)));
}

/** Replaces a file: a reader sees the old or the new one, whole, whenever the machine stops. */
export async function replaceFile(path: string, text: string): Promise<void> {
  const temporary = join(dirname(path), `.${basename(path)}.${randomBytes(6).toString('hex')}.tmp`);
  await onDisk('write', path, async () => {
    try {
      await writeNew(temporary, text);
      await rename(temporary, path);
    } catch (error) {
      await rm(temporary, { force: true });
      throw error;
    }
  });
}

/** Writes a file that must not exist yet, down to the disk. */
export async function writeNew(path: string, text: string, { sync = true } = {}): Promise<void> {
  const fd = await openFd(path, 'wx', FILE_MODE);
  try {
    await appendAll(fd, Buffer.from(text));
    if (sync) await syncFd(fd);
  } finally {
    await closeFd(fd);
  }
}

/** Makes names created, renamed or removed in a folder as durable as the files they stand for. */
export function syncFolder(folder: string): Promise<void> {
  return withFd(folder, 'r', syncFd);
}
