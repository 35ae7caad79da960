import { existsSync, realpathSync } from 'node:fs';
import { access, constants } from 'node:fs/promises';
import { delimiter, dirname, isAbsolute, join, relative, resolve, sep } from 'node:path';

/**
 * The search path for programs that our process runs outside a sandbox, such as git. Sessions may write the working folder, so
 * entries in it (`.venv/bin`, `node_modules/.bin`) and relative ones are left out; those of other projects come last.
 */
export function programPath(path = process.env.PATH ?? '', cwd = process.cwd()): string {
  const key = JSON.stringify([path, cwd]);
  const known = KNOWN.get(key);
  if (known !== undefined) return known;
  if (KNOWN.size >= MOST_KNOWN) KNOWN.clear();
  // At the root there is no folder of the system that is outside.
  const work = [cwd, realOf(cwd)].filter((folder) => dirname(folder) !== folder);
  const entries = path.split(delimiter).filter(isAbsolute);
  const usable = entries.filter((entry) => ![entry, realOf(entry)].some((at) => isBelow(work, at)));
  const ofProjects = new Set(usable.filter(isInProject));
  const made = [...usable.filter((entry) => !ofProjects.has(entry)), ...ofProjects].join(delimiter);
  KNOWN.set(key, made);
  return made;
}

/** Where a command is, by the search path; null when it is nowhere. Relative entries do not count. */
export async function findProgram(program: string, path: string, cwd: string): Promise<string | null> {
  if (program.includes('/')) return (await isProgram(resolve(cwd, program))) ? resolve(cwd, program) : null;
  for (const folder of path.split(delimiter).filter(isAbsolute)) {
    const file = join(folder, process.platform === 'win32' ? `${program}.exe` : program);
    if (await isProgram(file)) return file;
  }
  return null;
}

/** The same for a program that our process runs outside a sandbox. */
export function findOwnProgram(program: string): Promise<string | null> {
  return findProgram(program, programPath(), process.cwd());
}

async function isProgram(file: string): Promise<boolean> {
  try {
    await access(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** Git is run several times for each command of a session. */
const KNOWN = new Map<string, string>();
const MOST_KNOWN = 100;

function isBelow(folders: readonly string[], path: string): boolean {
  return folders.some((folder) => {
    const way = relative(folder, path);
    return way === '' || (way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way));
  });
}

function isInProject(entry: string): boolean {
  if (/[\\/](node_modules|\.?venv)[\\/]/.test(entry)) return true;
  for (let folder = entry; dirname(folder) !== folder; folder = dirname(folder))
    if (existsSync(join(folder, '.git'))) return true;
  return false;
}

function realOf(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}
