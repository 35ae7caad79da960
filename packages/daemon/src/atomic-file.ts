import { randomBytes } from 'node:crypto';
import { open, rename, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { FILE_MODE } from './defaults.js';

/** A name beside `path` that nobody else uses. */
export function besideName(path: string): string {
  return join(dirname(path), `.new-${basename(path)}-${randomBytes(6).toString('hex')}`);
}

/** Replaces a file: a reader sees the old or the new one, whole, whenever the process dies. */
export async function writeFileAtomic(path: string, text: string): Promise<void> {
  const draft = besideName(path);
  try {
    const file = await open(draft, 'wx', FILE_MODE);
    try {
      await file.writeFile(text);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(draft, path);
  } catch (error) {
    await rm(draft, { force: true });
    throw error;
  }
}
