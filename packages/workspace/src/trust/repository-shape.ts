import { readdir } from 'node:fs/promises';
import { dirname, relative, sep } from 'node:path';
import { HOW_TO_WRITE, isWithin, type PathScope } from '../grant/path-scope.js';
import { foldName } from './acts-later.js';

/** What git reads in a repository folder, by folded names. */
const OF_GIT: ReadonlySet<string> = new Set([
  ...['head', 'config', 'config.worktree', 'commondir', 'gitdir', 'objects', 'refs', 'packed-refs', 'hooks'],
  ...['info', 'modules', 'worktrees', 'index', 'shallow'],
]);

/** Git takes a folder of any name for a repository that has these, and obeys the settings in it. By folded names. */
export function isRepository(names: ReadonlySet<string>): boolean {
  return names.has('head') && ((names.has('objects') && names.has('refs')) || names.has('commondir'));
}

/**
 * Why a file at `path` may not be written: a folder above it is a repository without a `.git`, or would become one. Null otherwise.
 * Call it before a write, and again after one that created a file: several files make a repository together. The path must be real.
 */
export async function repositoryRefusal(
  { allow, refuse_acting }: PathScope,
  path: string,
): Promise<string | null> {
  const root = refuse_acting ? allow.find((folder) => isWithin(folder, path)) : undefined;
  if (root === undefined) return null;
  for (let folder = dirname(path); isWithin(root, folder); folder = dirname(folder)) {
    const written = foldName(relative(folder, path).split(sep)[0] as string);
    if (OF_GIT.has(written) && isRepository(new Set([...(await namesIn(folder)), written])))
      return `${folder} is a git repository, or would become one, and git runs programs that its files name. ${HOW_TO_WRITE}`;
    if (folder === dirname(folder)) break;
  }
  return null;
}

async function namesIn(folder: string): Promise<string[]> {
  try {
    return (await readdir(folder)).map(foldName);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return [];
    throw error;
  }
}
