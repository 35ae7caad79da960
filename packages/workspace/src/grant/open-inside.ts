import { constants, type Dirent } from 'node:fs';
import { type FileHandle, lstat, open, readdir, realpath } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { errnoOf, WorkspaceError } from '../workspace-error.js';
import type { Grant } from './grant.js';
import { type ProvenFolder, pathChanged, proveFolder } from './proven-folder.js';
import { checkReal, resolveInside } from './resolve-inside.js';

export type OpenMode =
  /** An existing file, to read. */
  | 'read'
  /** Any file, emptied or created. */
  | 'write'
  /** A file that must not exist yet. */
  | 'create'
  /** An existing file, to read and write in place. */
  | 'update'
  /** Any file, written at its end, created when missing. */
  | 'append';

const { O_RDONLY, O_RDWR, O_WRONLY, O_CREAT, O_EXCL, O_TRUNC, O_APPEND } = constants;
const { O_NOFOLLOW, O_NONBLOCK } = constants;

const FLAGS: Record<OpenMode, number> = {
  read: O_RDONLY,
  write: O_WRONLY | O_CREAT | O_TRUNC,
  create: O_WRONLY | O_CREAT | O_EXCL,
  update: O_RDWR,
  append: O_WRONLY | O_CREAT | O_APPEND,
};

export interface OpenOptions {
  cwd: string;
  /** Make missing parent folders when writing. */
  parents?: boolean | undefined;
  /** Permissions of a new file. */
  permissions?: number | undefined;
}

/**
 * Opens a regular file that the grant allows, so that nobody can swap a folder or the file for a symlink between check
 * and use: the real parent folder is opened first and proven to be the one that was checked, and the file is opened
 * through that handle without following a symlink. Throws `WorkspaceError`, or the system's own error (`ENOENT`).
 * Without /proc the proof is made after opening; see docs/workspace.md.
 */
export async function openInside(
  grant: Grant,
  mode: OpenMode,
  path: string,
  { cwd, parents = false, permissions = 0o666 }: OpenOptions,
): Promise<FileHandle> {
  const resolved = await resolveInside(grant, mode === 'read' ? 'read' : 'write', path, cwd);
  if (!resolved.allowed) throw new WorkspaceError(resolved.because, { code: 'PATH_DENIED', origin: path });
  await using folder = await proveFolder(dirname(resolved.path), parents && mode !== 'read');
  // O_NONBLOCK: opening a FIFO must not wait for a writer.
  const flags = FLAGS[mode] | O_NOFOLLOW | O_NONBLOCK;
  const file = await openEntry(folder, resolved.path, flags, permissions);
  return await provenFile(file, resolved.path);
}

/**
 * The entries of a folder that the grant allows to read. `path` is absolute and real; throws `PATH_CHANGED`, or the system's own error,
 * if it has become a link or leads through one. The list is of the folder that was checked, also if it is replaced during the call.
 */
export async function listInside(grant: Grant, path: string): Promise<Dirent[]> {
  const { allowed, because } = checkReal(grant, 'read', path);
  if (!allowed) throw new WorkspaceError(because, { code: 'PATH_DENIED', origin: path });
  await using folder = await proveFolder(path);
  try {
    const entries = await readdir(folder.via, { withFileTypes: true });
    if (folder.via === path && (await realpath(path)) !== path) throw pathChanged(path);
    return entries;
  } catch (error) {
    throw named(error, folder);
  }
}

async function openEntry(folder: ProvenFolder, path: string, flags: number, permissions: number) {
  try {
    return await open(join(folder.via, basename(path)), flags, permissions);
  } catch (error) {
    // The last name was no symlink when it was resolved.
    if (errnoOf(error) === 'ELOOP') throw pathChanged(path);
    if (errnoOf(error) === 'ENXIO' || errnoOf(error) === 'EISDIR') throw notAFile(path);
    throw named(error, folder);
  }
}

/** The error with the name of the folder in place of the way it was reached. */
function named(error: unknown, { via, path }: ProvenFolder): unknown {
  if (error instanceof Error) error.message = error.message.replace(via, path);
  return error;
}

async function provenFile(file: FileHandle, path: string): Promise<FileHandle> {
  try {
    const opened = await file.stat();
    if (!opened.isFile()) throw notAFile(path);
    if (process.platform === 'linux') return file;
    const now = await lstat(path);
    if (now.ino !== opened.ino || now.dev !== opened.dev || (await realpath(path)) !== path)
      throw pathChanged(path);
    return file;
  } catch (error) {
    await file.close();
    throw error;
  }
}

function notAFile(path: string): WorkspaceError {
  return new WorkspaceError(`${path} is not a regular file.`, { code: 'NOT_A_FILE', origin: path });
}
