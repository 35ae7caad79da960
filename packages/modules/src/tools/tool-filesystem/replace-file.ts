import { randomBytes } from 'node:crypto';
import { constants } from 'node:fs';
import { type FileHandle, lstat, open, readlink, rename, unlink } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { type Grant, openInside, repositoryRefusal, resolveInside } from '@amplifier/workspace';
import { ToolError } from '../tool-error.js';

/** Linux only, and absent from node's constants: a handle that names a folder. */
const O_PATH = 0o10000000;
const { O_DIRECTORY, O_NOFOLLOW } = constants;

export interface Replacement {
  grant: Grant;
  /** Absolute and real, as `resolveInside` gave it. */
  path: string;
  content: string | Uint8Array;
  /** What the file was when it was read; null when it must not exist; absent when it does not matter. */
  expected?: FileVersion | null;
}

export interface FileVersion {
  ino: bigint;
  size: bigint;
  mtimeNs: bigint;
}

/**
 * Puts new content in a file's place: readers see the old or the new, never half of it. Mode and owner stay. A new file
 * gets its folders. Where the grant covers the file alone and not its folder, it is written in place.
 */
export async function replaceFile({
  grant,
  path,
  content,
  expected,
}: Replacement): Promise<{ created: boolean }> {
  const folder = dirname(path);
  const before = await statOrNull(path);
  const draft = join(folder, `.${basename(path).slice(0, 200)}.${randomBytes(6).toString('hex')}.tmp`);
  if (!(await resolveInside(grant, 'write', draft, folder)).allowed) {
    await writeInPlace(grant, path, content);
    return { created: before === null };
  }
  const permissions = before === null ? 0o666 : Number(before.mode & 0o7777n);
  const file = await openInside(grant, 'create', draft, { cwd: folder, parents: true, permissions });
  try {
    await fill(file, content, before);
    await inProvenFolder(folder, async (via) => {
      if (expected !== undefined)
        requireUnchanged(path, expected, await statOrNull(join(via, basename(path))));
      await rename(join(via, basename(draft)), join(via, basename(path)));
    });
  } catch (error) {
    await discard(draft);
    throw error;
  }
  if (before === null) await requireNoRepository(grant, path);
  return { created: before === null };
}

/** Files that are written at the same time must not make a repository together. */
async function requireNoRepository({ write }: Grant, path: string): Promise<void> {
  const why = await repositoryRefusal(write, path);
  if (why === null) return;
  await discard(path);
  throw new ToolError('NOT_PERMITTED', `Writing ${path} is not allowed: ${why}. It was removed again.`);
}

async function statOrNull(path: string) {
  try {
    return await lstat(path, { bigint: true });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}

async function fill(
  file: FileHandle,
  content: string | Uint8Array,
  before: { mode: bigint; uid: bigint; gid: bigint } | null,
): Promise<void> {
  try {
    await file.writeFile(content);
    if (before) {
      const now = await file.stat({ bigint: true });
      if (now.uid !== before.uid || now.gid !== before.gid)
        await file.chown(Number(before.uid), Number(before.gid));
      await file.chmod(Number(before.mode & 0o7777n));
    }
    await file.sync();
  } finally {
    await file.close();
  }
}

/** Renames through a handle of the folder that was checked, so that a folder swapped for a symlink leads nowhere. */
async function inProvenFolder(folder: string, work: (via: string) => Promise<void>): Promise<void> {
  if (process.platform !== 'linux') return work(folder);
  const handle = await open(folder, O_PATH | O_DIRECTORY | O_NOFOLLOW);
  try {
    const via = `/proc/self/fd/${handle.fd}`;
    if ((await readlink(via)) !== folder)
      throw new ToolError(
        'FILE_CHANGED',
        `${folder} was replaced while a file in it was written; nothing was changed. Try again.`,
        { retryable: true },
      );
    await work(via);
  } finally {
    await handle.close();
  }
}

function requireUnchanged(path: string, expected: FileVersion | null, now: FileVersion | null): void {
  const same =
    expected === null || now === null
      ? expected === now
      : expected.ino === now.ino && expected.size === now.size && expected.mtimeNs === now.mtimeNs;
  if (!same)
    throw new ToolError(
      'FILE_CHANGED',
      `${path} was changed by somebody else while it was edited; nothing was written. Read it again.`,
      { retryable: true },
    );
}

async function writeInPlace(grant: Grant, path: string, content: string | Uint8Array): Promise<void> {
  const file = await openInside(grant, 'write', path, { cwd: dirname(path) });
  try {
    await file.writeFile(content);
    await file.sync();
  } finally {
    await file.close();
  }
}

async function discard(draft: string): Promise<void> {
  try {
    await unlink(draft);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
}
