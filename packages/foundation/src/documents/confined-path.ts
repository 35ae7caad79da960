import { realpath } from 'node:fs/promises';
import { isAbsolute, relative, resolve, sep } from 'node:path';
import { FoundationError } from '../errors.js';
import { fileError } from './read-text-file.js';

/** Is `path` the folder `root` or below it? Compares names only. */
export function isWithin(root: string, path: string): boolean {
  const way = relative(root, path);
  return way === '' || (way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way));
}

/** `path` below `root`, or an error when it leads out of it. Compares names only; the file need not exist. */
export function pathWithin(root: string, path: string): string {
  const full = resolve(root, path);
  if (isWithin(root, full)) return full;
  throw escapes(root, path);
}

/** The path when it stays below `root` after all symbolic links are followed, else an error. */
export async function confinedPath(root: string, path: string): Promise<string> {
  const full = pathWithin(root, path);
  const [realRoot, real] = await Promise.all([
    realpath(root).catch((error) => Promise.reject(fileError(error, root))),
    realpath(full).catch((error) => Promise.reject(fileError(error, full))),
  ]);
  if (isWithin(realRoot, real)) return full;
  throw escapes(root, path);
}

function escapes(root: string, path: string): FoundationError {
  return new FoundationError(`'${path}' leads out of ${root}. Use a path that stays inside it.`, {
    code: 'PATH_ESCAPES_ROOT',
    origin: path,
  });
}
