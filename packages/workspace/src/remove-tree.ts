import { constants } from 'node:fs';
import { chmod, open, readdir, rm, rmdir, unlink } from 'node:fs/promises';
import { O_PATH } from './at-place.js';
import { errnoOf } from './workspace-error.js';

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
