import { realpath } from 'node:fs/promises';
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from 'node:path';
import { isPlainObject, type JsonObject } from '@amplifier/core';
import type { Isolation } from '@amplifier/workspace';

const PATH_MEMBERS = ['path', 'file_path', 'paths', 'cwd'];

/**
 * Every path a call names, as written and as it really is: a rule on `.env` must also see a symbolic link to it.
 * Relative to the working folder if they are in it, absolute otherwise. With the absolute names of that folder: in an isolated tree
 * also the name of the user's own.
 */
export async function touchedPaths(
  input: JsonObject,
  workingDir: string | null,
  isolation: Pick<Isolation, 'counterpart' | 'originals'> | null = null,
): Promise<{ paths: string[]; folders: string[] }> {
  const base = workingDir ?? process.cwd();
  const realBase = await realOrSame(base);
  const named = pathsIn(input).map((path) => {
    const absolute = resolve(base, path);
    return isolation?.counterpart(absolute) ?? absolute;
  });
  const real = await Promise.all(named.map(realOrSame));
  const paths = new Set([
    ...named.map((path) => within(base, path)),
    ...real.map((path) => within(realBase, path)),
  ]);
  const folders = new Set([base, realBase, ...(isolation?.originals(base) ?? [])]);
  return { paths: [...paths], folders: [...folders] };
}

function pathsIn(input: JsonObject): string[] {
  const own = PATH_MEMBERS.flatMap((member) => [input[member]].flat()).filter(
    (path) => typeof path === 'string',
  );
  const nested = Array.isArray(input.edits) ? input.edits.filter(isPlainObject).flatMap(pathsIn) : [];
  return [...own, ...nested].filter((path) => !path.includes('\0'));
}

function within(base: string, path: string): string {
  const inside = relative(base, path);
  if (inside === '..' || inside.startsWith(`..${sep}`) || isAbsolute(inside)) return path;
  return inside === '' ? '.' : inside;
}

/** No file has a longer name, so there is nothing to look up. */
const LONGEST_PATH = 4096;

/** The real place of a path, also of one whose last parts do not exist yet. */
async function realOrSame(path: string): Promise<string> {
  if (path.length > LONGEST_PATH) return path;
  try {
    return await realpath(path);
  } catch {
    const parent = dirname(path);
    return parent === path ? path : join(await realOrSame(parent), basename(path));
  }
}
