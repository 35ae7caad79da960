import { closeSync, openSync, renameSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { FILE_MODE } from '../defaults.js';
import { newSpan } from '../session-ids.js';
import { syncFd, withFd, writeAllAt } from './descriptor.js';
import { onDisk } from './storage-error.js';

/** Replaces a file, and makes the replacement last. */
export async function writeAtomic(path: string, text: string): Promise<void> {
  await replaceFile(path, text);
  await onDisk('write', path, () => syncFolder(dirname(path)));
}

/** Replaces a file: a reader sees the old or the new one, whole; with `sync` also after a power cut. */
export async function replaceFile(path: string, text: string, { sync = true } = {}): Promise<void> {
  const temporary = join(dirname(path), `.${basename(path)}.${newSpan()}.tmp`);
  await onDisk('write', path, async () => {
    try {
      writeFresh(temporary, text);
      if (sync) await withFd(temporary, 'r', syncFd);
      renameSync(temporary, path);
    } catch (error) {
      await rm(temporary, { force: true });
      throw error;
    }
  });
}

/** Writes a file that must not exist yet. It is not flushed: that is up to whoever needs it to last. */
export function writeFresh(path: string, content: string | Buffer): void {
  const fd = openSync(path, 'wx', FILE_MODE);
  try {
    writeAllAt(fd, typeof content === 'string' ? Buffer.from(content) : content, null);
  } finally {
    closeSync(fd);
  }
}

/** Makes names created, renamed or removed in a folder as durable as the files they stand for. */
export function syncFolder(folder: string): Promise<void> {
  return withFd(folder, 'r', syncFd);
}
