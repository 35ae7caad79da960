import { constants } from 'node:fs';
import { access, mkdir, open, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { FILE_MODE, FOLDER_MODE } from '../defaults.js';
import type { Connection } from './load-sqlite.js';
import { storageError } from './sqlite-error.js';

/** Files beside the database get the rights of the database. */
export async function makeFile(file: string): Promise<void> {
  await mkdir(dirname(file), { recursive: true, mode: FOLDER_MODE });
  // One that is there is not opened here: when a process closes a file, the locks it has on it through SQLite are gone.
  const handle = await open(file, 'wx', FILE_MODE).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error;
  });
  await handle?.close();
  // SQLite would open what it may not write, and fail at the first write.
  if (!handle) await access(file, constants.W_OK);
}

/** A copy of everything at this moment. It has its name when it is whole and on disk. */
export async function copyInto(connection: Connection, path: string): Promise<void> {
  const draft = `${path}.part`;
  try {
    await rm(draft, { force: true });
    await makeFile(draft);
    connection.prepare('VACUUM INTO ?').run(draft);
    await sync(draft);
    await rename(draft, path);
    await sync(dirname(path));
  } catch (error) {
    await rm(draft, { force: true });
    throw storageError(error, path);
  }
}

async function sync(path: string): Promise<void> {
  await using handle = await open(path, 'r');
  await handle.sync();
}
