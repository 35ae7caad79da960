import { lstat, readlink } from 'node:fs/promises';
import { isAbsolute, join, parse, resolve, sep } from 'node:path';
import { MAX_SYMLINKS } from './defaults.js';
import { errnoOf, WorkspaceError } from './workspace-error.js';

/**
 * Where `path` leads with every symlink resolved, also when it, or what a dangling symlink points to, does not exist yet:
 * what is missing is kept as it is written. `..` is taken by name before any symlink is looked at, and the answer
 * holds for the path that is returned, not for the one that was given: open the answer.
 */
export async function realPathOf(path: string, cwd: string = process.cwd()): Promise<string> {
  if (path === '' || path.includes('\0')) {
    throw new WorkspaceError(`${JSON.stringify(path)} is not a path. Give the name of a file or folder.`, {
      code: 'PATH_INVALID',
    });
  }
  const absolute = resolve(cwd, path);
  const { root } = parse(absolute);
  let place = root;
  let rest = partsOf(absolute.slice(root.length));
  for (let links = 0; rest.length > 0; ) {
    const [part = '', ...after] = rest;
    const next = join(place, part);
    const target = part === '..' ? null : await linkTarget(next);
    rest = after;
    if (target === null) {
      place = next;
      continue;
    }
    if (++links > MAX_SYMLINKS) {
      throw new WorkspaceError(`${path} runs through more than ${MAX_SYMLINKS} symlinks.`, {
        code: 'PATH_LOOP',
      });
    }
    if (isAbsolute(target)) place = parse(target).root;
    rest = [...partsOf(target), ...after];
  }
  return place;
}

function partsOf(path: string): string[] {
  return path.split(sep).filter((part) => part !== '' && part !== '.');
}

const UNSEEN: ReadonlySet<string> = new Set(['ENOENT', 'ENOTDIR', 'EINVAL', 'EACCES']);

/** What the symlink at `path` points to; null when there is no symlink, nothing at all, or nothing that this user may see. */
async function linkTarget(path: string): Promise<string | null> {
  try {
    return (await lstat(path)).isSymbolicLink() ? await readlink(path) : null;
  } catch (error) {
    const errno = errnoOf(error);
    if (UNSEEN.has(errno ?? '')) return null;
    throw error;
  }
}
