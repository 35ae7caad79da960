import { constants, type Dirent } from 'node:fs';
import { access, lstat, open, realpath } from 'node:fs/promises';
import { normalize } from 'node:path';
import { findAtPlace } from '../isolation/at-place.js';
import { type BytePath, onDisk, within } from '../isolation/byte-path.js';
import { foldName } from './acts-later.js';
import type { FolderLister } from './list-folders.js';

/** Of a file that is looked into; git's own of a new repository has a few hundred bytes. */
const LOOKED_INTO_BYTES = 64 * 1024;
/** Folders of submodules that are looked into at most, for each repository. */
const MAX_FOLDERS = 1000;

/** Folders that git reads settings or hooks from, for the repositories below a root. Paths are relative to it. */
export interface GitFolders {
  /** Each `.git` that is a folder, and the folders of submodules (`.git/modules/NAME`, with slashes in the names). */
  gits: BytePath[];
  /** `worktrees/NAME` of the repositories. */
  worktrees: BytePath[];
  /** What `.git` files and `commondir` files lead to. */
  pointed: BytePath[];
  /** Links where the folders of submodules and worktrees are. Git follows them. */
  links: BytePath[];
}

/** Resolves the repositories as git does. `repositories` have a `.git`, `bare` are git's folders themselves. */
export async function gitFolders(
  root: string,
  { repositories, bare }: { repositories: readonly BytePath[]; bare: readonly BytePath[] },
  lister: FolderLister,
): Promise<GitFolders> {
  const found: GitFolders = { gits: [], worktrees: [], pointed: [], links: [] };
  const commons = new Set<BytePath>();
  const add = ({ own, common }: Led, isPointed: boolean) => {
    if (isPointed) found.pointed.push(own);
    if (common !== null && common !== own) found.pointed.push(common);
    commons.add(common ?? own);
  };
  for (const folder of ['', ...repositories]) {
    const led = await followGit(root, folder).catch(() => null);
    if (led === null) continue;
    const isFolder = led.own === within(folder, '.git');
    if (isFolder) found.gits.push(led.own);
    add(led, !isFolder);
  }
  for (const own of bare)
    add(await followCommon(root, own).catch(() => ({ own, common: own, isDirect: false })), false);
  for (const common of commons) await addBelow(root, common, found, lister);
  return found;
}

/** The folders that git uses for one repository. */
export interface Led {
  own: BytePath;
  /** With the settings and hooks; another one than `own` for a worktree. Null if it is outside of the root or missing. */
  common: BytePath | null;
  /** No link is on the way. */
  isDirect: boolean;
}

/** What git uses in `folder`. Null without a `.git`, or if it leads out of the root or nowhere. */
export async function followGit(root: string, folder: BytePath): Promise<Led | null> {
  const place = within(folder, '.git');
  const found = await findAtPlace(root, place, lstat);
  if (found === null) return null;
  const own = found.isFile()
    ? await leadTo(root, folder, await pointerIn(root, place))
    : await leadTo(root, folder, '.git');
  if (own === null) return null;
  const led = await followCommon(root, own.path);
  return { ...led, isDirect: led.isDirect && own.isDirect };
}

/** The git folder and, if it is that of a worktree, the common folder that it points to. */
export async function followCommon(root: string, own: BytePath): Promise<Led> {
  const pointer = within(own, 'commondir');
  if ((await findAtPlace(root, pointer, lstat)) === null) return { own, common: own, isDirect: true };
  const text = await findAtPlace(root, pointer, readSmallFile).catch(() => null);
  const common = await leadTo(root, own, text === null ? null : withoutLineEnd(text));
  return { own, common: common?.path ?? null, isDirect: common?.isDirect ?? false };
}

async function pointerIn(root: string, place: BytePath): Promise<BytePath | null> {
  const text = await findAtPlace(root, place, readSmallFile);
  return /^gitdir: (.+)$/s.exec(withoutLineEnd(text ?? ''))?.[1] ?? null;
}

/** Where a path that a file in `folder` names is below the root. Null if it is elsewhere or missing. */
export async function leadTo(
  root: string,
  folder: BytePath,
  target: BytePath | null,
): Promise<{ path: BytePath; isDirect: boolean } | null> {
  if (target === null) return null;
  const base = Buffer.from(root).toString('latin1');
  // Not joined: `..` behind a link is not the folder before it.
  const named = target.startsWith('/') ? target : `${onDisk(root, folder).toString('latin1')}/${target}`;
  const real = await realpath(Buffer.from(named, 'latin1'), 'buffer').then(
    (path) => path.toString('latin1'),
    () => null,
  );
  if (real !== base && !real?.startsWith(`${base}/`)) return null;
  // Behind a name, `..` may leave a link by which the path happens to be the same now.
  const isPlain = !target
    .replace(/^(?:\.\.?\/)+/, '')
    .split('/')
    .slice(1)
    .includes('..');
  const isDirect = isPlain && real === normalize(named).replace(/\/$/, '');
  return { path: real.slice(base.length + 1), isDirect };
}

/** One character for each byte. Null if it is no small regular file. Throws if it cannot be opened. */
export async function readSmallFile(place: Buffer): Promise<string | null> {
  const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = constants;
  const file = await open(place, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  try {
    const found = await file.stat();
    if (!found.isFile() || found.size > LOOKED_INTO_BYTES) return null;
    return await file.readFile('latin1');
  } finally {
    await file.close();
  }
}

/** Adds the worktrees and submodules of a repository, with those of the submodules. */
async function addBelow(
  root: string,
  common: BytePath,
  found: GitFolders,
  { list, closed }: FolderLister,
): Promise<void> {
  const parts: BytePath[] = [];
  let looked = 0;
  const addOf = async (git: BytePath, entries: readonly Dirent[]) => {
    for (const name of ['worktrees', 'modules']) {
      const entry = entries.find((entry) => foldName(entry.name) === name);
      if (entry === undefined) continue;
      const place = within(git, entry.name);
      if (entry.isSymbolicLink()) found.links.push(place);
      else if (name === 'modules') parts.push(place);
      else addEntries(place, await list(place), found.worktrees, found.links);
    }
  };
  await addOf(common, await list(common));
  for (let part = parts.pop(); part !== undefined; part = parts.pop()) {
    if (++looked > MAX_FOLDERS) {
      closed.push(within(common, 'modules'));
      return;
    }
    const entries = await list(part);
    if (entries.some(({ name }) => foldName(name) === 'head')) found.gits.push(part);
    if (await isUsable(root, part, entries)) await addOf(part, entries);
    else addEntries(part, entries, parts, found.links);
  }
}

function addEntries(
  place: BytePath,
  entries: readonly Dirent[],
  folders: BytePath[],
  links: BytePath[],
): void {
  for (const entry of entries) {
    if (entry.isDirectory()) folders.push(within(place, entry.name));
    if (entry.isSymbolicLink()) links.push(within(place, entry.name));
  }
}

/** Does git accept the folder as a git folder? In such a folder it uses no submodule by a longer name. */
async function isUsable(root: string, path: BytePath, entries: readonly Dirent[]): Promise<boolean> {
  const names = entries.map(({ name }) => name);
  if (names.includes('commondir') || !['HEAD', 'objects', 'refs'].every((name) => names.includes(name)))
    return false;
  try {
    for (const name of ['objects', 'refs']) await access(onDisk(root, within(path, name)), constants.X_OK);
    const head = await findAtPlace(root, within(path, 'HEAD'), readSmallFile);
    return /^(?:ref: refs\/|[0-9a-f]{40})/.test(head ?? '');
  } catch {
    return false;
  }
}

function withoutLineEnd(text: string): string {
  return text.replace(/[\r\n]+$/, '');
}
