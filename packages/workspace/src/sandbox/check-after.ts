import { createHash, randomUUID } from 'node:crypto';
import { mkdir, readdir, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { errorInfo, hasEnded, ProcessIdentity, systemLiveness } from '@amplifier/core';
import { z } from 'zod';
import { amplifierHome } from '../grant/own-homes.js';
import { deniedPlace, type PathScope, withinAny } from '../grant/path-scope.js';
import { type BytePath, encodeName, within } from '../isolation/byte-path.js';
import { folderLister } from '../trust/list-folders.js';
import { type FoundBelow, lookBelow, stateAt } from '../trust/look-below.js';
import { OF_GIT, repositoryPaths, startUpPaths } from '../trust/protected-paths.js';
import { type EmptyPlace, emptyPlaces, holdBack, plantedIn } from './hold-back.js';

/** Looked through before and after every command, so it is not much. */
const NEAR = { folders: 1000 };

/** What is below the folders that a command may write, before it runs. */
export interface LookedBelow {
  /** By folder. */
  found: ReadonlyMap<string, FoundBelow>;
  /** What of repositories acts, whether or not it is there yet: it must not be written. */
  locked: string[];
}

/** Looks at the folders of the scope in which what acts later must not be written. */
export async function lookBefore(scope: PathScope): Promise<LookedBelow> {
  const { allow, deny } = scope;
  const homes = homesIn(scope);
  const roots = allow.filter((root) => deny.includes(join(root, '.git/config')));
  const found = new Map(
    await Promise.all(roots.map(async (root) => [root, await lookBelow(root, { ...NEAR, homes })] as const)),
  );
  const locked = await Promise.all([
    ...[...found].map(([root, below]) => repositoryPaths(root, below)),
    ...homes.map((home) => startUpPlaces(home, scope)),
  ]);
  const denied = deniedPlace(scope);
  return { found, locked: locked.flat().filter((path) => denied(path) === null) };
}

/** Homes that may be written in. */
function homesIn({ allow, refuse_start_up = [] }: PathScope): string[] {
  return refuse_start_up.filter(withinAny(allow));
}

/** What is in a home and acts there, and the files that links of such names lead to. A link itself cannot be locked. */
async function startUpPlaces(home: string, { deny_except = [] }: PathScope): Promise<string[]> {
  const paths = await Promise.all((await startUpPaths(home)).map((path) => realpath(path).catch(() => path)));
  return paths.filter((path) => !deny_except.includes(path));
}

/**
 * Notes which paths are missing and must not be created, and returns the function that checks them when the command has ended. What
 * appeared while a server ran may be a person's: of that, only repositories that act and files that people do not create by hand are
 * renamed. The notes are on disk for `checkLeft` until then.
 */
export async function checkAfter(
  scope: PathScope,
  before: LookedBelow,
  absent: readonly string[],
  staysOn: boolean,
): Promise<() => Promise<string[]>> {
  const { allow } = scope;
  const homes = homesIn(scope);
  const denied = deniedPlace(scope);
  const places = await emptyPlaces(allow, staysOn ? absent.filter(isMadeByNobody) : absent);
  const looked = await Promise.all(
    allow.map(async (root): Promise<Looked> => {
      const found = before.found.get(root);
      const isOpen = (path: BytePath) => denied(join(root, encodeName(path))) === null;
      const below = found
        ? {
            ...found,
            known: gitsOf(found),
            acting: await statesOf(root, staysOn ? [] : found.acting, isOpen),
          }
        : null;
      return {
        root,
        places: places.filter((place) => place.root === root),
        below,
        homes,
        stays_on: staysOn,
      };
    }),
  );
  const worthIt = looked.filter((one) => one.places.length > 0 || one.below !== null);
  // Where there is no home to write to, a command runs all the same: the note only helps after a sudden death.
  const forget = await noteLooked(worthIt).catch(() => async () => {});
  return async () => {
    try {
      const said = (await Promise.all(worthIt.map(heldBackIn))).flat();
      await forget().catch(() => {});
      return [...said, ...(await checkRunning(worthIt.map(({ root }) => root)))];
    } catch (error) {
      return [
        `It could not be checked whether this left something that acts later: ${errorInfo(error).message}`,
      ];
    } finally {
      await forget().catch(() => {});
    }
  };
}

/**
 * Does for commands whose process was killed what is done when one ends: what they put into these folders where it would act later
 * gets another name. The same for repositories that commands in the background have made so far. Says what it did, one sentence
 * each. Folders must be real.
 */
export async function checkLeft(roots: readonly string[]): Promise<string[]> {
  const said: string[] = [];
  for (const root of roots) {
    const left = (await notesOf(root)).filter(({ owner }) => hasEnded(owner));
    for (const { looked, remove } of left) {
      said.push(...(await heldBackIn(looked)));
      await remove();
    }
  }
  return [
    ...said.map((line) => `The process that ran a command in this folder was killed. ${line}`),
    ...(await checkRunning(roots)),
  ];
}

/** Looks at what commands in the background have made so far: the next command would take it for a person's. */
async function checkRunning(roots: readonly string[]): Promise<string[]> {
  const said: string[] = [];
  for (const root of roots) {
    const notes = (await notesOf(root)).filter(({ owner }) => !hasEnded(owner));
    const running = notes.map(({ looked }) => looked).filter(({ stays_on }) => stays_on);
    if (running.length > 0) said.push(...(await heldBackIn(running.reduce(inBoth))));
  }
  return said.map((line) => `A command runs in the background in this folder. ${line}`);
}

/** What was there when either of two commands began, so that one look is enough for both. */
function inBoth(a: Looked, b: Looked): Looked {
  const both = (one: readonly string[], other: readonly string[]) =>
    one.filter((path) => other.includes(path));
  const below =
    a.below && b.below
      ? {
          repositories: both(a.below.repositories, b.below.repositories),
          bare: both(a.below.bare, b.below.bare),
          closed: both(a.below.closed, b.below.closed),
          known: a.below.known && b.below.known ? both(a.below.known, b.below.known) : null,
          acting: {},
        }
      : (a.below ?? b.below);
  return { ...a, places: [...a.places, ...b.places], below };
}

/** Renames what is new and acts later, and names what acts and was changed. */
async function heldBackIn({ root, places, below, homes, stays_on }: Looked): Promise<string[]> {
  if (below === null) return holdBack(places);
  // Folders that were closed before are locked.
  const lister = folderLister(root, (path) => path === '' || !below.closed.includes(path));
  const now = await lookBelow(root, { ...NEAR, homes, lister });
  const isNew = (before: readonly string[]) => (path: BytePath) => !before.includes(path);
  const before = Object.keys(below.acting);
  const isCompared = (path: BytePath) => below.acting[path] !== LOCKED && now.acting.includes(path);
  const known = new Set(below.known ?? gitsOf(now));
  const whole = (path: BytePath): EmptyPlace => ({ root, path, missing: path });
  const inGit = (names: readonly string[]) => (git: BytePath) =>
    names.map((name): EmptyPlace => ({ root, path: within(git, name), missing: git, git }));
  const pointerIn = (folder: BytePath) => within(folder, '.git');
  const isNoGit = (path: BytePath) => !now.gits.includes(path);
  const asPointer = (path: BytePath): EmptyPlace => ({ root, path: within(path, 'config'), missing: path });
  const isNewGit = (git: BytePath) => !known.has(git) && git !== '.git';
  const made: EmptyPlace[] = [
    ...now.closed.filter((path) => path !== '' && !below.closed.includes(path)).map(whole),
    ...now.links.filter((path) => !known.has(path)).map(whole),
    ...now.gits.filter(isNewGit).flatMap(inGit(OF_GIT)),
    ...now.worktrees.filter(isNewGit).flatMap(inGit(['config.worktree'])),
    // Behind the others: a pointer may stay if nothing acts any more where it leads.
    ...now.repositories.filter(isNew(below.repositories)).map(pointerIn).filter(isNoGit).map(asPointer),
    ...(stays_on ? [] : now.acting.filter(isNew(before)).map(whole)),
  ];
  for (const folder of now.bare.filter(isNew(below.bare))) {
    const planted = await plantedIn(root, folder, known);
    if (planted !== null) made.push(whole(planted));
  }
  const said = await holdBack([...places, ...made], known);
  const states = await statesOf(root, before, isCompared);
  const changed = before.filter((path) => isCompared(path) && states[path] !== below.acting[path]);
  return [
    ...lister.opened.map((path) => openingOf(join(root, encodeName(path)))),
    ...said,
    ...changed.map((path) => changeOf(join(root, encodeName(path)))),
  ];
}

/** Folders and links that git uses for the repositories that were found. */
function gitsOf({ gits, worktrees, pointed, links, bare }: FoundBelow): BytePath[] {
  return [...gits, ...worktrees, ...pointed, ...links, ...bare];
}

function openingOf(path: string): string {
  return `${path} could not be listed. Its permissions were changed, so that its owner can list and change it.`;
}

/** In the place of a state that no command can change. */
const LOCKED = 'locked';

async function statesOf(
  root: string,
  paths: readonly BytePath[],
  isOpen: (path: BytePath) => boolean,
): Promise<Record<BytePath, string>> {
  const stateOf = async (path: BytePath) => (isOpen(path) ? stateAt(root, path) : LOCKED);
  return Object.fromEntries(
    await Promise.all(paths.map(async (path) => [path, await stateOf(path)] as const)),
  );
}

function changeOf(path: string): string {
  return `${path} was changed, and other programs act on it. A person should look at it before anything else uses it.`;
}

const isMadeByNobody = (path: string) => path.endsWith('/.git/commondir');

/** What is not there yet, in one folder of the write scope, while a command runs. */
const Looked = z.object({
  root: z.string(),
  places: z.array(
    z.object({ root: z.string(), path: z.string(), missing: z.string(), git: z.string().optional() }),
  ),
  /** Homes in it, where everything acts that begins with a dot. */
  homes: z.array(z.string()).default([]),
  /** For a command in the background, a server or an agent. */
  stays_on: z.boolean().default(false),
  /** What was below it, with the state of what acts; null where that is not looked at. */
  below: z
    .object({
      repositories: z.array(z.string()),
      bare: z.array(z.string()),
      acting: z.record(z.string(), z.string()),
      /** Folders that could not be looked through. */
      closed: z.array(z.string()).default([]),
      /** Folders of git's own; null in a note of a version that did not write them. */
      known: z.array(z.string()).nullable().default(null),
    })
    .nullable()
    .default(null),
});
type Looked = z.infer<typeof Looked>;

const Note = Looked.extend({ owner: ProcessIdentity });

/** Where no session may read or write: what stands there is ours. */
const notesFolder = () => join(amplifierHome(), 'commands');

/** Notes of one folder are found by their names. */
const nameOf = (root: string) => createHash('sha256').update(root).digest('hex').slice(0, 16);

/** Puts down what is looked at while a command runs, for whoever comes after a process that was killed. Gives the way to remove it. */
async function noteLooked(looked: readonly Looked[]): Promise<() => Promise<void>> {
  const folder = notesFolder();
  const owner = systemLiveness.self;
  const files = looked.map(({ root }) => join(folder, `${nameOf(root)}-${randomUUID()}.json`));
  const remove = async () => {
    await Promise.all(files.map((file) => rm(file, { force: true })));
  };
  await mkdir(folder, { recursive: true, mode: 0o700 });
  await Promise.all(
    looked.map((one, at) =>
      writeFile(files[at] as string, JSON.stringify({ ...one, owner }), { mode: 0o600 }),
    ),
  );
  return remove;
}

/** The notes on a folder, of all processes. One of a dead process must be removed when it was dealt with. */
async function notesOf(
  root: string,
): Promise<{ looked: Looked; owner: ProcessIdentity; remove(): Promise<void> }[]> {
  const folder = notesFolder();
  const names = await readdir(folder).catch(() => []);
  const found = await Promise.all(
    names.map(async (name) => {
      if (!name.startsWith(nameOf(root))) return [];
      const file = join(folder, name);
      const remove = () => rm(file, { force: true });
      // One that is being written at this moment cannot be read.
      const note = await readFile(file, 'utf8').then(parsed, () => null);
      return note?.root === root ? [{ looked: note, owner: note.owner, remove }] : [];
    }),
  );
  return found.flat();
}

function parsed(text: string): z.infer<typeof Note> | null {
  try {
    return Note.parse(JSON.parse(text));
  } catch {
    return null;
  }
}
