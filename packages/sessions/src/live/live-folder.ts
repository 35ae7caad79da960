import { constants } from 'node:fs';
import { type FileHandle, lstat, mkdir, open } from 'node:fs/promises';
import { dirname, isAbsolute, join } from 'node:path';

/** Names of sockets are cut off by systems beyond a hundred bytes or so. */
const LONGEST = 100;
const NAME_BYTES = 30;

/** Where processes that share a record let others listen to what their sessions are saying; null where there is no such place. */
export function liveFolder(record: string): string | null {
  if (!isAbsolute(record) || process.platform === 'win32') return null;
  const folder = join(dirname(record), 'live');
  return process.platform === 'linux' || !isLong(folder) ? folder : null;
}

/** Makes it, for this user alone. False where somebody else made it. */
export async function ownFolder(folder: string): Promise<boolean> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const { uid, mode } = await lstat(folder);
  return uid === process.getuid?.() && (mode & 0o077) === 0;
}

/** Gives `use` a name of the folder that is short enough for a socket. It counts only until `use` has resolved. */
export async function withShortName<T>(folder: string, use: (short: string) => Promise<T>): Promise<T> {
  if (!isLong(folder)) return use(folder);
  const handle: FileHandle = await open(folder, constants.O_RDONLY | constants.O_DIRECTORY);
  try {
    return await use(`/proc/self/fd/${handle.fd}`);
  } finally {
    await handle.close();
  }
}

function isLong(folder: string): boolean {
  return Buffer.byteLength(folder) > LONGEST - NAME_BYTES;
}
