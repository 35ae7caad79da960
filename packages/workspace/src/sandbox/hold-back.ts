import { constants } from 'node:fs';
import { lstat, open, readdir, rename } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { errorInfo } from '@amplifier/core';
import { isWithin } from '../grant/path-scope.js';
import { atPlace, InterferenceError } from '../isolation/at-place.js';
import { type BytePath, decodeName, encodeName, onDisk } from '../isolation/byte-path.js';
import { runGit } from '../isolation/git.js';
import { foldName, HELD_BACK } from '../trust/acts-later.js';
import { errnoOf } from '../workspace-error.js';
import { absentPaths } from './absent-paths.js';
import { isPlaceholder } from './hold-missing.js';

/** Of a file that is looked into; git's own of a new repository has a few hundred bytes. */
const LOOKED_INTO_BYTES = 64 * 1024;

/** A place where nothing was before a command, and where nothing that acts later may be after it. */
export interface EmptyPlace {
  /** A folder of the write scope, real. */
  root: string;
  /** Below the root. */
  path: BytePath;
  /** The first on the way there that was missing. What lies above it was a folder, and is locked in its place. */
  missing: BytePath;
}

/** Those of the paths whose way is free: a file where a folder would have to be leads nowhere. */
export async function emptyPlaces(
  roots: readonly string[],
  absent: readonly string[],
): Promise<EmptyPlace[]> {
  const isAbsent = absentPaths();
  const found = await Promise.all(
    absent.map(async (at) => {
      const root = roots.find((folder) => isWithin(folder, at));
      if (root === undefined) return [];
      const path = decodeName(relative(root, at));
      const isMissing = !path.includes('/') && (await isAbsent(at));
      const missing = isMissing ? path : await firstMissing(root, path);
      return missing === null ? [] : [{ root, path, missing }];
    }),
  );
  return found.flat();
}

async function firstMissing(root: string, path: BytePath): Promise<BytePath | null> {
  const parts = path.split('/');
  for (let count = 1; count <= parts.length; count++) {
    const place = parts.slice(0, count).join('/');
    const there = await lstat(join(root, place)).catch(() => null);
    if (there === null) return place;
    // What only takes up the place for another command may become a repository.
    if (there.isDirectory() && isPlaceholder(join(root, place))) return parts.slice(0, count + 1).join('/');
    if (!there.isDirectory()) return null;
  }
  return null;
}

/**
 * Gives another name to what a command has put where nothing was and where it would act later, by a program that is not confined
 * as the command was. Says what it did, one sentence each. Call it when nothing of the command runs any more. No link leads it
 * out of the write scope.
 */
export async function holdBack(places: readonly EmptyPlace[]): Promise<string[]> {
  const said: string[] = [];
  const moved = new Set<string>();
  const isAbsent = absentPaths();
  for (const { root, path, missing } of places) {
    const text = Buffer.from(missing, 'latin1').toString();
    if (!text.includes('\ufffd') && (await isAbsent(join(root, text)))) continue;
    // What cannot be looked into is taken for what it hides.
    const planted = await plantedAt(root, path, missing).catch(() => missing);
    if (planted === null || moved.has(join(root, planted))) continue;
    moved.add(join(root, planted));
    said.push(await moveAside(root, planted));
  }
  return said;
}

/**
 * What has to be moved so that a folder without a `.git` is no repository, or null if it is one as `git init --bare` and `git clone
 * --bare` make it. Its other files may have been there before.
 */
export async function plantedIn(root: string, folder: BytePath): Promise<BytePath | null> {
  const inside = (name: string) => (folder === '' ? name : `${folder}/${name}`);
  const names: string[] = await readdir(onDisk(root, folder)).catch(() => []);
  const isFree = (name: string) => !names.includes(name);
  const harmless =
    ['commondir', 'config.worktree', 'gitdir'].every(isFree) &&
    (isFree('hooks') || (await hasOnlySamples(root, inside('hooks')).catch(() => false))) &&
    (isFree('config') || (await hasOrdinarySettings(root, inside('config')).catch(() => false)));
  const head = names.find((name) => foldName(name) === 'head');
  return harmless || head === undefined ? null : inside(decodeName(head));
}

/** What has to be moved so that nothing acts at `path`, if anything does. */
async function plantedAt(root: string, path: BytePath, missing: BytePath): Promise<BytePath | null> {
  const parts = path.split('/');
  const known = missing.split('/').length;
  for (let count = known; count <= parts.length; count++) {
    const place = parts.slice(0, count).join('/');
    const found = await at(root, place, lstat);
    if (found === null) return null;
    if (count === parts.length) return (await isHarmless(root, place)) ? null : place;
    if (found.isDirectory()) continue;
    if (found.isSymbolicLink()) return place;
    // A file of this name tells git where its settings are.
    return parts[count - 1] === '.git' && !(await isOwnWorktree(root, place)) ? place : null;
  }
  return null;
}

/** What `git init` makes acts on nothing: its hooks are samples, its settings say how files are kept. */
async function isHarmless(root: string, place: BytePath): Promise<boolean> {
  if (place.endsWith('.git/hooks')) return hasOnlySamples(root, place);
  if (place.endsWith('.git/config')) return hasOrdinarySettings(root, place);
  return at(root, place, isEmptyFolder).then((empty) => empty ?? false);
}

async function hasOnlySamples(root: string, place: BytePath): Promise<boolean> {
  const names = await at(root, place, async (folder) =>
    (await lstat(folder)).isDirectory() ? readdir(folder) : null,
  );
  return names?.every((name) => name.endsWith('.sample')) ?? false;
}

async function hasOrdinarySettings(root: string, place: BytePath): Promise<boolean> {
  const text = await at(root, place, readSmallFile);
  return text !== null && isOrdinarySettings(text);
}

/** One that git made from the repository it lies in, whose settings are locked. */
async function isOwnWorktree(root: string, place: BytePath): Promise<boolean> {
  const target = /^gitdir: (.+)$/.exec((await at(root, place, readSmallFile))?.trim() ?? '')?.[1];
  if (target === undefined || !isWithin(root, target) || !/\/\.git\/worktrees\/[^/.][^/]*$/.test(target))
    return false;
  const pointer = decodeName(relative(root, join(target, 'commondir')));
  return (await at(root, pointer, readSmallFile))?.trim() === '../..';
}

async function isEmptyFolder(place: Buffer): Promise<boolean> {
  return (await lstat(place)).isDirectory() && (await readdir(place)).length === 0;
}

async function readSmallFile(place: Buffer): Promise<string | null> {
  const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = constants;
  const file = await open(place, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  try {
    const found = await file.stat();
    if (!found.isFile() || found.size > LOOKED_INTO_BYTES) return null;
    return await file.readFile('utf8');
  } finally {
    await file.close();
  }
}

async function moveAside(root: string, place: BytePath): Promise<string> {
  const shown = join(root, encodeName(place));
  try {
    for (let count = 1; ; count++) {
      const name = count === 1 ? `${place}${HELD_BACK}` : `${place}${HELD_BACK}-${count}`;
      if ((await at(root, name, lstat)) !== null) continue;
      await atPlace(root, place, (from) => rename(from, beside(from, name)));
      return `This session may not write ${shown}, so it was renamed to ${join(root, encodeName(name))}. A person can look at it and give it its name back.`;
    }
  } catch (error) {
    return `This session may not write ${shown}, and what it put there could not be renamed: ${errorInfo(error).message}. Look at it before anything else.`;
  }
}

function beside(place: Buffer, path: BytePath): Buffer {
  const name = Buffer.from(path.slice(path.lastIndexOf('/') + 1), 'latin1');
  return Buffer.concat([place.subarray(0, place.lastIndexOf('/') + 1), name]);
}

/** Null where nothing is, or the way there is no way any more. */
async function at<T>(root: string, path: BytePath, act: (place: Buffer) => Promise<T>): Promise<T | null> {
  try {
    return await atPlace(root, path, act);
  } catch (error) {
    if (error instanceof InterferenceError || errnoOf(error) === 'ENOENT') return null;
    throw error;
  }
}

/** Settings that `git init`, `git clone` and a first commit write. None of them names a program, or a file with more settings. */
const ORDINARY: readonly RegExp[] = [
  /^core\.(repositoryformatversion|filemode|bare|logallrefupdates|ignorecase|precomposeunicode|symlinks)$/,
  /^extensions\.objectformat$/,
  /^init\.defaultbranch$/,
  /^user\.(name|email)$/,
  /^branch\..*\.(remote|merge)$/s,
  /^remote\..*\.fetch$/s,
];
/** Addresses of the ordinary kinds. `ext::` and its like name a program. */
const ADDRESS = /^(?:(?:https?|ssh|git|file):\/\/(?!-)|\w[\w.-]*@\w[\w.-]*:|\.{0,2}\/)/;

/** Does git take from these settings nothing that could run a program? What git itself cannot read does not count as ordinary. */
async function isOrdinarySettings(text: string): Promise<boolean> {
  try {
    const listed = await runGit(['config', '--file', '-', '--no-includes', '--list', '-z'], {
      cwd: '/',
      input: text,
    });
    return listed.toString().split('\0').filter(Boolean).every(isOrdinary);
  } catch {
    return false;
  }
}

function isOrdinary(entry: string): boolean {
  const end = entry.indexOf('\n');
  const [name, value] = end === -1 ? [entry, ''] : [entry.slice(0, end), entry.slice(end + 1)];
  if (/^remote\..*\.url$/s.test(name)) return ADDRESS.test(value) && !value.includes('::');
  return ORDINARY.some((pattern) => pattern.test(name));
}
