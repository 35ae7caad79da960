import { chmodSync, lstatSync, mkdirSync, opendirSync, rmdirSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { isHeldBelow, isHeldName } from '../trust/protected-paths.js';
import { errnoOf } from '../workspace-error.js';

/** No folder of a project has these rights (the sticky bit is for what everybody may write): they tell whose it is. */
const PLACEHOLDER = 0o1755;

/** How many running commands need each of the folders that stand where nothing was. */
const held = new Map<string, number>();

export interface Held {
  /** Those where something is now. */
  paths: string[];
  /** Takes away what was made, unless another command still needs it. Call it when the command has ended. */
  release(): void;
}

/**
 * Puts an empty folder where nothing is yet, so that there is something to lock: a command cannot create what is there. They go
 * when the command ends; git passes empty folders over. Not asynchronous: two commands that start together must not both take
 * themselves for the one who made a folder.
 */
export function holdMissing(paths: readonly string[]): Held {
  const made: string[] = [];
  return {
    paths: paths.filter((path) => hold(path, made)),
    release() {
      for (const folder of made.splice(0).reverse()) release(folder);
    },
  };
}

function hold(path: string, made: string[]): boolean {
  const count = held.get(path);
  if (count !== undefined) {
    if (held.has(dirname(path))) hold(dirname(path), made);
    held.set(path, count + 1);
    made.push(path);
    return true;
  }
  try {
    mkdirSync(path);
    chmodSync(path, PLACEHOLDER);
  } catch (error) {
    const errno = errnoOf(error);
    // Somebody else's stays; one of ours that a killed process left goes with this command.
    if (errno === 'EEXIST' && !isPlaceholder(path)) return true;
    if (errno === 'EEXIST') {
      if (isPlaceholder(dirname(path))) hold(dirname(path), made);
      return keep(path, made);
    }
    if (errno !== 'ENOENT' || !hold(dirname(path), made)) return false;
    return hold(path, made);
  }
  return keep(path, made);
}

function keep(path: string, made: string[]): true {
  held.set(path, 1);
  made.push(path);
  return true;
}

/**
 * Is it a folder of ours that only takes up a place? It is no part of the tree it stands in. Whatever a command has put there, no
 * more is looked at than ours can hold: nothing, or the one folder that needed another above it.
 */
export function isPlaceholder(path: string): boolean {
  if (!isHeldName(basename(path))) return false;
  try {
    const stats = lstatSync(path);
    if (!stats.isDirectory() || (stats.mode & 0o7777) !== PLACEHOLDER) return false;
    const [only, ...more] = firstTwoIn(path);
    if (only === undefined) return true;
    return more.length === 0 && isHeldBelow(path, only) && isPlaceholder(join(path, only));
  } catch {
    return false; // It has gone meanwhile.
  }
}

function firstTwoIn(path: string): string[] {
  const folder = opendirSync(path);
  try {
    return [folder.readSync(), folder.readSync()].flatMap((entry) => entry?.name ?? []);
  } finally {
    folder.closeSync();
  }
}

function release(folder: string): void {
  const count = held.get(folder) ?? 0;
  if (count > 1) {
    held.set(folder, count - 1);
    return;
  }
  held.delete(folder);
  try {
    rmdirSync(folder);
  } catch {
    // Somebody put something in it, or took it away: then it is theirs. An empty folder that has to stay harms nobody.
  }
}
