import { lstat, readdir, rename } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { errorInfo } from '@amplifier/core';
import { isWithin } from '../grant/path-scope.js';
import { findAtPlace as at, atPlace } from '../isolation/at-place.js';
import { type BytePath, decodeName, encodeName, onDisk, parentOf, within } from '../isolation/byte-path.js';
import { runGit } from '../isolation/git.js';
import { foldName, HELD_BACK } from '../trust/acts-later.js';
import { followCommon, followGit, type Led, leadTo, readSmallFile } from '../trust/git-folders.js';
import { OF_GIT } from '../trust/protected-paths.js';
import { errnoOf } from '../workspace-error.js';
import { absentPaths } from './absent-paths.js';
import { isPlaceholder } from './hold-missing.js';

/** A place where nothing was before a command, and where nothing that acts later may be after it. */
export interface EmptyPlace {
  /** A folder of the write scope, real. */
  root: string;
  /** Below the root. */
  path: BytePath;
  /** The first on the way there that was missing. What lies above it was a folder, and is locked in its place. */
  missing: BytePath;
  /** The new folder of git's own that it is in: what git itself writes there may stay. */
  git?: BytePath | undefined;
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
 * out of the write scope. A new `.git` file may lead to a git folder that is one of `locked`, paths below the root, or names no program.
 */
export async function holdBack(
  places: readonly EmptyPlace[],
  locked: ReadonlySet<BytePath> = new Set(),
): Promise<string[]> {
  const said: string[] = [];
  const moved = new Set<string>();
  const isAbsent = absentPaths();
  for (const place of places) {
    const { root, missing } = place;
    const text = Buffer.from(missing, 'latin1').toString();
    if (!text.includes('\ufffd') && (await isAbsent(join(root, text)))) continue;
    // What cannot be looked into is taken for what it hides.
    const planted = await plantedAt(place, locked).catch(() => missing);
    if (planted === null || moved.has(join(root, planted))) continue;
    moved.add(join(root, planted));
    said.push(...(await moveAside(root, planted)));
  }
  return said;
}

/**
 * What has to be moved so that a folder without a `.git` is no repository, or null if it is one as `git init --bare` and `git clone
 * --bare` make it, or a worktree of one. Its other files may have been there before.
 */
export async function plantedIn(
  root: string,
  folder: BytePath,
  locked: ReadonlySet<BytePath>,
): Promise<BytePath | null> {
  const harmless = await followCommon(root, folder)
    .then((led) => isHarmlessRepository(root, led, locked))
    .catch(() => false);
  const names: string[] = await readdir(onDisk(root, folder)).catch(() => []);
  const head = names.find((name) => foldName(name) === 'head');
  return harmless || head === undefined ? null : within(folder, decodeName(head));
}

/** What has to be moved so that nothing acts at `path`, if anything does. */
async function plantedAt(
  { root, path, missing, git }: EmptyPlace,
  locked: ReadonlySet<BytePath>,
): Promise<BytePath | null> {
  const parts = path.split('/');
  const known = missing.split('/').length;
  for (let count = known; count <= parts.length; count++) {
    const place = parts.slice(0, count).join('/');
    const found = await at(root, place, lstat);
    if (found === null) return null;
    if (count === parts.length) return (await isHarmless(root, place, git)) ? null : place;
    if (found.isDirectory()) continue;
    if (found.isSymbolicLink()) return place;
    // A file of this name tells git where its settings are.
    return parts[count - 1] === '.git' && !(await isHarmlessPointer(root, place, locked)) ? place : null;
  }
  return null;
}

async function isHarmless(root: string, place: BytePath, git: BytePath | undefined): Promise<boolean> {
  const folder = git ?? parentOf(place);
  if (git !== undefined || /(^|\/)\.git$/.test(folder))
    return isHarmlessIn(root, folder, place.slice(folder.length + 1));
  return at(root, place, isEmptyFolder).then((empty) => empty ?? false);
}

/** What `git init` makes acts on nothing: its hooks are samples, its settings say how files are kept. */
async function isHarmlessIn(root: string, git: BytePath, name: string): Promise<boolean> {
  const place = within(git, name);
  if ((await at(root, place, lstat)) === null) return true;
  if (name === 'hooks') return hasOnlySamples(root, place);
  if (name === 'config' || name === 'config.worktree') return hasOrdinarySettings(root, git, name);
  return at(root, place, isEmptyFolder).then((empty) => empty ?? false);
}

/** Apart from a `commondir`: what that leads to has to be judged instead. */
async function isHarmlessGit(root: string, git: BytePath): Promise<boolean> {
  for (const name of OF_GIT)
    if (name !== 'commondir' && !(await isHarmlessIn(root, git, name).catch(() => false))) return false;
  return true;
}

async function hasOnlySamples(root: string, place: BytePath): Promise<boolean> {
  const names = await at(root, place, async (folder) =>
    (await lstat(folder)).isDirectory() ? readdir(folder) : null,
  );
  return names?.every((name) => name.endsWith('.sample')) ?? false;
}

/**
 * Does the `.git` file lead to nothing that acts? It may lead to a worktree or a submodule of a repository whose settings are locked, or
 * to a folder whose settings name no program. A link on the way could be changed later.
 */
async function isHarmlessPointer(
  root: string,
  place: BytePath,
  locked: ReadonlySet<BytePath>,
): Promise<boolean> {
  const folder = parentOf(place);
  const led = await followGit(root, folder);
  if (led === null) return false;
  const isLocked = locked.has(led.own) && led.own === led.common;
  return (isLocked && (await isWorkTreeOf(root, led.own, folder))) || isHarmlessRepository(root, led, locked);
}

async function isHarmlessRepository(
  root: string,
  { own, common, isDirect }: Led,
  locked: ReadonlySet<BytePath>,
): Promise<boolean> {
  if (common === null || !isDirect) return false;
  if (common === own) return isHarmlessGit(root, own);
  return (
    (locked.has(own) || (await isHarmlessGit(root, own))) &&
    (locked.has(common) || (await isHarmlessGit(root, common)))
  );
}

async function isEmptyFolder(place: Buffer): Promise<boolean> {
  return (await lstat(place)).isDirectory() && (await readdir(place)).length === 0;
}

/** Says nothing if the entry is gone: another command that ended has moved it. */
async function moveAside(root: string, place: BytePath): Promise<string[]> {
  const shown = join(root, encodeName(place));
  try {
    for (let count = 1; ; count++) {
      const name = count === 1 ? `${place}${HELD_BACK}` : `${place}${HELD_BACK}-${count}`;
      if ((await at(root, name, lstat)) !== null) continue;
      await atPlace(root, place, (from) => rename(from, beside(from, name)));
      return [
        `This session may not write ${shown}, so it was renamed to ${join(root, encodeName(name))}. A person can look at it and give it its name back.`,
      ];
    }
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return [];
    return [
      `This session may not write ${shown}, and what it put there could not be renamed: ${errorInfo(error).message}. Look at it before anything else.`,
    ];
  }
}

function beside(place: Buffer, path: BytePath): Buffer {
  const name = Buffer.from(path.slice(path.lastIndexOf('/') + 1), 'latin1');
  return Buffer.concat([place.subarray(0, place.lastIndexOf('/') + 1), name]);
}

/** Settings that git writes for `init`, `clone`, `submodule` and `sparse-checkout`. None of them names a program, or a file with more settings. */
const ORDINARY: readonly RegExp[] = [
  /^core\.(repositoryformatversion|filemode|bare|logallrefupdates|ignorecase|precomposeunicode|symlinks)$/,
  /^core\.(sparsecheckout|sparsecheckoutcone)$/,
  /^index\.sparse$/,
  /^extensions\.(objectformat|worktreeconfig)$/,
  /^init\.defaultbranch$/,
  /^user\.(name|email)$/,
  /^branch\..*\.(remote|merge)$/s,
  /^remote\..*\.fetch$/s,
  /^submodule\.(.*\.)?active$/s,
];
/** Addresses of the ordinary kinds. `ext::` and its like name a program. */
const ADDRESS = /^(?:(?:https?|ssh|git|file):\/\/(?!-)|\w[\w.-]*@\w[\w.-]*:|\.{0,2}\/)/;

interface Setting {
  name: string;
  value: string;
}

/** Does git take from these settings nothing that could run a program? What git itself cannot read does not count as ordinary. */
async function hasOrdinarySettings(root: string, git: BytePath, name: string): Promise<boolean> {
  const settings = await settingsIn(root, within(git, name)).catch(() => null);
  if (settings === null) return false;
  for (const setting of settings)
    if (!isOrdinary(setting) && !(await isOwnWorkTree(root, git, setting))) return false;
  return true;
}

/** Null if it is no small file. */
async function settingsIn(root: string, place: BytePath): Promise<Setting[] | null> {
  const text = await at(root, place, readSmallFile);
  if (text === null) return null;
  const listed = await runGit(['config', '--file', '-', '--no-includes', '--list', '-z'], {
    cwd: '/',
    input: Buffer.from(text, 'latin1'),
  });
  const entries = listed.toString('latin1').split('\0').filter(Boolean);
  return entries.map((entry) => {
    const end = entry.indexOf('\n');
    return end === -1
      ? { name: entry, value: '' }
      : { name: entry.slice(0, end), value: entry.slice(end + 1) };
  });
}

function isOrdinary({ name, value }: Setting): boolean {
  if (/^(remote|submodule)\..*\.url$/s.test(name)) return ADDRESS.test(value) && !value.includes('::');
  return ORDINARY.some((pattern) => pattern.test(name));
}

/** Git names the work tree in the settings of a submodule. In any other folder it would overwrite what is there. */
async function isOwnWorkTree(root: string, git: BytePath, { name, value }: Setting): Promise<boolean> {
  if (name !== 'core.worktree') return false;
  const tree = await leadTo(root, git, value);
  return tree?.isDirect === true && (await followGit(root, tree.path))?.own === git;
}

/** Do the settings of a submodule name `folder` as its work tree? */
async function isWorkTreeOf(root: string, git: BytePath, folder: BytePath): Promise<boolean> {
  const settings = (await settingsIn(root, within(git, 'config'))) ?? [];
  const value = settings.findLast(({ name }) => name === 'core.worktree')?.value;
  const tree = await leadTo(root, git, value ?? null);
  return tree?.isDirect === true && tree.path === folder;
}
