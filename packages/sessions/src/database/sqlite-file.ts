import { mkdir, open, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { FILE_MODE, FOLDER_MODE } from '../defaults.js';
import { SessionError } from '../session-error.js';
import type { Connection } from './load-sqlite.js';
import { storageError } from './sqlite-error.js';

/** Files beside the database get the rights of the database. */
export async function makeFile(file: string): Promise<void> {
  await mkdir(dirname(file), { recursive: true, mode: FOLDER_MODE });
  const handle = await open(file, 'a', FILE_MODE);
  await handle.close();
}

/** A copy of everything at this moment. It has its name when it is whole and on disk. */
export async function copyInto(connection: Connection, path: string): Promise<void> {
  const draft = `${path}.${process.pid}.part`;
  try {
    await rm(draft, { force: true });
    connection.prepare('VACUUM INTO ?').run(draft);
    await sync(draft);
    await rename(draft, path);
    await sync(dirname(path));
  } catch (error) {
    await rm(draft, { force: true });
    throw storageError(fileError(error, path), path);
  }
}

async function sync(path: string): Promise<void> {
  const handle = await open(path, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

const DENIED = new Set(['EACCES', 'EPERM', 'EROFS', 'ENOTDIR', 'EISDIR']);
const FULL = new Set(['ENOSPC', 'EDQUOT', 'EFBIG']);

/** What the file system said before SQLite had a say. */
export function fileError(cause: unknown, file: string): unknown {
  const { code, message, path = file } = (cause ?? {}) as NodeJS.ErrnoException;
  if (typeof code !== 'string' || !/^E[A-Z]+$/.test(code)) return cause;
  const kind = FULL.has(code) ? 'STORAGE_FULL' : DENIED.has(code) ? 'STORAGE_DENIED' : 'STORAGE_FAILED';
  return new SessionError(`The record ${file} cannot be used: ${message}.`, {
    code: kind,
    origin: path,
    cause,
  });
}
