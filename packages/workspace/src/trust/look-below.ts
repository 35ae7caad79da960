import { createHash } from 'node:crypto';
import type { Dirent } from 'node:fs';
import { lstat, readdir } from 'node:fs/promises';
import { relative } from 'node:path';
import { isWithin } from '../grant/path-scope.js';
import { type BytePath, decodeName, onDisk, within } from '../isolation/byte-path.js';
import { actsLater, foldName, isHeldBack, isStartUpName, leadsToActing, mayAct } from './acts-later.js';
import { type GitFolders, gitFolders } from './git-folders.js';
import { type FolderLister, folderLister } from './list-folders.js';
import { isRepository } from './repository-shape.js';

const MAX_DEPTH = 6;
/** Folders that are looked into at most. */
const MAX_FOLDERS = 4000;
/** What packages and builds create there is not looked through, except for names that act in the folder itself. */
const PASSED_OVER = new Set(['node_modules', '.venv', 'venv', 'target', 'dist', 'build', '.cache']);
/** Entries of a folder that acts, whose state is compared. */
const MAX_COMPARED = 200;

/** What other programs act on below a folder. Paths are relative to it. */
export interface FoundBelow extends GitFolders {
  /** Folders with a `.git`, other than the folder itself. */
  repositories: BytePath[];
  /** Folders, the folder itself (`''`) included, that git takes for a repository although they have no `.git`. */
  bare: BytePath[];
  /** Files and folders by the names in `acts-later.ts`. */
  acting: BytePath[];
  /** Folders that could not be looked through. They may hold any of these. */
  closed: BytePath[];
}

/**
 * Looks for repositories and acting names. What is deeper or beyond the bound is not found; a folder that large is looked through as
 * far as it goes, shallow folders first. Follows no link.
 */
export async function lookBelow(
  root: string,
  {
    depth: deepest = MAX_DEPTH,
    folders = MAX_FOLDERS,
    homes = [] as readonly string[],
    lister = folderLister(root),
  } = {},
): Promise<FoundBelow> {
  const found: Named = { repositories: [], bare: [], acting: [] };
  for (const home of homes.filter((folder) => isWithin(root, folder)))
    found.acting.push(...(await startUpNames(decodeName(relative(root, home)), lister)));
  const known = new Set(found.acting);
  let level: { path: BytePath; isPassedOver: boolean }[] = [{ path: '', isPassedOver: false }];
  let looked = 0;
  for (let depth = 0; depth <= deepest && level.length > 0; depth++) {
    const here = level.slice(0, folders - looked);
    looked += here.length;
    const listings = await Promise.all(here.map(({ path }) => lister.list(path)));
    level = here.flatMap(({ path, isPassedOver }, at) =>
      lookAt(path, listings[at] ?? [], found, known).flatMap((name) =>
        isPassedOver && !leadsToActing(name)
          ? []
          : [{ path: within(path, name), isPassedOver: isPassedOver || PASSED_OVER.has(name) }],
      ),
    );
  }
  return { ...found, ...(await gitFolders(root, found, lister)), closed: lister.closed };
}

type Named = Pick<FoundBelow, 'repositories' | 'bare' | 'acting'>;

/** Notes what a folder holds, and gives the names of the folders to look into next. */
function lookAt(
  path: BytePath,
  entries: readonly Dirent[],
  found: Named,
  known: ReadonlySet<BytePath>,
): BytePath[] {
  const names = new Set(entries.map(({ name }) => foldName(Buffer.from(name, 'latin1').toString())));
  if (isRepository(names)) found.bare.push(path);
  return entries.flatMap((entry) => {
    const { name } = entry;
    const place = within(path, name);
    if (known.has(place)) return [];
    if (name === '.git') {
      if (path !== '') found.repositories.push(path);
      return [];
    }
    if (mayAct(name) && actsLater(Buffer.from(place, 'latin1').toString()) !== null) {
      found.acting.push(place);
      return [];
    }
    return entry.isDirectory() ? [name] : [];
  });
}

/** What acts directly in a home. What was renamed because it would act is not among them. */
async function startUpNames(home: BytePath, { list }: FolderLister): Promise<BytePath[]> {
  const names = (await list(home)).map(({ name }) => name);
  const isActing = (name: string) => isStartUpName(name) && !isHeldBack(name);
  return names
    .filter((name) => isActing(Buffer.from(name, 'latin1').toString()))
    .map((name) => within(home, name));
}

/** Changes when the file, or anything in the folder, is written, replaced or renamed. */
export async function stateAt(root: string, path: BytePath): Promise<string> {
  const states: string[] = [];
  const waiting = [path];
  for (
    let place = waiting.pop();
    place !== undefined && states.length < MAX_COMPARED;
    place = waiting.pop()
  ) {
    const found = await lstat(onDisk(root, place), { bigint: true }).catch(() => null);
    states.push(found ? `${place} ${found.ino} ${found.size} ${found.ctimeNs}` : `${place} -`);
    if (found?.isDirectory())
      for (const { name } of await entriesAt(root, place)) waiting.push(`${place}/${name}`);
  }
  return createHash('sha256').update(states.join('\n')).digest('hex').slice(0, 16);
}

/** With names of one character for each byte. */
function entriesAt(root: string, path: BytePath): Promise<Dirent[]> {
  return readdir(onDisk(root, path), { withFileTypes: true, encoding: 'latin1' }).catch(() => []);
}
