import type { Dirent } from 'node:fs';
import { lstat, readdir } from 'node:fs/promises';
import { changeFolderMode } from '../isolation/at-place.js';
import { type BytePath, foldersAbove, onDisk } from '../isolation/byte-path.js';
import { errnoOf } from '../workspace-error.js';

const OWNER_MAY_ALL = 0o700;

/** Lists the folders below a root, and notes those that hide what is in them. */
export interface FolderLister {
  /** Empty if the folder is missing or cannot be listed. Names have one character for each byte. */
  list(path: BytePath): Promise<Dirent[]>;
  /** Folders that could not be listed, or not as a whole. */
  readonly closed: BytePath[];
  /** Folders whose permissions were changed, so that their owner can list and change them. */
  readonly opened: BytePath[];
}

/** Changes permissions only if `mayOpen` allows it for the folder that cannot be listed. */
export function folderLister(root: string, mayOpen: (path: BytePath) => boolean = () => false): FolderLister {
  const closed: BytePath[] = [];
  const opened: BytePath[] = [];
  const open = async (path: BytePath) => {
    for (const folder of new Set(['', ...foldersAbove(path), path])) {
      const { mode } = await lstat(onDisk(root, folder));
      if ((mode & OWNER_MAY_ALL) === OWNER_MAY_ALL) continue;
      await changeFolderMode(root, folder, (mode & 0o7777) | OWNER_MAY_ALL);
      opened.push(folder);
    }
  };
  const list = async (path: BytePath): Promise<Dirent[]> => {
    try {
      return await entriesAt(root, path);
    } catch (error) {
      if (isMissing(error)) return [];
    }
    try {
      if (mayOpen(path)) {
        await open(path);
        return await entriesAt(root, path);
      }
    } catch (error) {
      if (isMissing(error)) return [];
    }
    closed.push(path);
    return [];
  };
  return { list, closed, opened };
}

/** Throws if the folder cannot be listed. */
function entriesAt(root: string, path: BytePath): Promise<Dirent[]> {
  return readdir(onDisk(root, path), { withFileTypes: true, encoding: 'latin1' });
}

function isMissing(error: unknown): boolean {
  return ['ENOENT', 'ENOTDIR'].includes(errnoOf(error) ?? '');
}
