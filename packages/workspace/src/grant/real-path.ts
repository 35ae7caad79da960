import { lstatSync, readlinkSync } from 'node:fs';
import { isAbsolute, join, parse, resolve, sep } from 'node:path';
import { MAX_SYMLINKS } from '../defaults.js';
import { errnoOf, WorkspaceError } from '../workspace-error.js';

/**
 * Where `path` leads with every symlink resolved, also when it, or what a dangling symlink points to, does not exist yet:
 * what is missing is kept as it is written. `..` is taken by name before any symlink is looked at, and the answer
 * holds for the path that is returned, not for the one that was given: open the answer.
 *
 * `looked`: what was found at places on the way, shared by the paths of one decision. Must not outlive it.
 *
 * Looks without promises: one through the thread pool costs ten times the call itself ("prompt" of the bench `product`).
 */
export async function realPathOf(
  path: string,
  cwd: string = process.cwd(),
  looked: Looked = new Map(),
): Promise<string> {
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
    const target = part === '..' ? null : look(next, looked);
    rest = after;
    // Below what nobody sees there is nothing to see.
    if (target === UNSEEN && !rest.includes('..')) return join(next, ...rest);
    if (typeof target !== 'string') {
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

/** There is nothing, or nothing that this user may see. */
const UNSEEN = Symbol('unseen');
const UNSEEN_ERRORS: ReadonlySet<string> = new Set(['ENOENT', 'ENOTDIR', 'EINVAL', 'EACCES']);

/** What a symlink points to; null where there is something else. */
type Found = string | null | typeof UNSEEN;
export type Looked = Map<string, Found>;

function look(path: string, looked: Looked): Found {
  const known = looked.get(path);
  const found = known === undefined ? linkTarget(path) : known;
  looked.set(path, found);
  return found;
}

function linkTarget(path: string): Found {
  try {
    const found = lstatSync(path, { throwIfNoEntry: false });
    if (!found) return UNSEEN;
    return found.isSymbolicLink() ? readlinkSync(path) : null;
  } catch (error) {
    const errno = errnoOf(error);
    if (UNSEEN_ERRORS.has(errno ?? '')) return UNSEEN;
    throw error;
  }
}
