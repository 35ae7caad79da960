import { readFile, realpath } from 'node:fs/promises';
import { join, relative, resolve } from 'node:path';
import { COPY_LEAVES_OUT, TREE_MAX_DEPTH } from '../defaults.js';
import { deniedBelow, isWithin, type PathScope, scopeRefusal } from '../grant/path-scope.js';
import { isPlaceholder } from '../sandbox/hold-missing.js';
import { WorkspaceError } from '../workspace-error.js';
import { type BytePath, decodeName, depthOf, onDisk } from './byte-path.js';
import { askGit, runGit, splitNames } from './git.js';
import { type SkippedPath, walkTree } from './walk-tree.js';

/** A folder to be isolated: which files belong to it, and what git knows of it. */
export interface SourceTree {
  /** The real path of the tree's root: the repository's, also when a folder inside was asked for. */
  root: string;
  /** The folder that was asked for, relative to the root; empty for the root itself. */
  prefix: string;
  /** Files and symlinks that belong to the tree, uncommitted and untracked ones too. Some may be gone again. */
  files: BytePath[];
  /** Folders, empty ones too, of which git knows nothing. */
  folders: BytePath[];
  /** What git ignores, or what is left out of a plain folder; a folder stands for all in it. */
  ignored: BytePath[];
  /** Submodules and repositories inside: they are left alone. */
  repositories: BytePath[];
  skipped: SkippedPath[];
  /** Left out of the tree because it must not be read. A folder includes everything in it. */
  denied: BytePath[];
  /** The place that must not be read and that covers something below the root; null for everything else. */
  denial: Denial;
  git: { common: string; head: string | null; index: string; blobs: Map<BytePath, string> } | null;
}

/** By absolute path. */
type Denial = (path: BytePath) => string | null;

export interface ListOptions {
  /** A repository that is not all in it is not used: the folder alone is listed. What it denies is left out. Default: all of the machine. */
  readable?: PathScope | undefined;
  /** Where isolated trees are kept: other sessions' work, which no tree contains. */
  home: string;
}

export async function listSource(
  folder: string,
  { readable = EVERYWHERE, home }: ListOptions,
): Promise<SourceTree> {
  const path = await realpath(folder).catch((cause) => {
    throw new WorkspaceError(`The folder ${folder} does not exist, so it cannot be isolated.`, {
      code: 'FOLDER_NOT_FOUND',
      cause,
    });
  });
  const refusal =
    scopeRefusal(readable, path) ?? (isOfTrees(home, path) ? 'isolated trees are kept there' : null);
  if (refusal !== null) {
    const message = `The folder ${folder} cannot be isolated, because the session may not read it: ${refusal}. Work in another folder.`;
    throw new WorkspaceError(message, { code: 'PATH_DENIED', origin: folder });
  }
  const denialIn = (root: string): Denial => {
    const deny = isWithin(home, root) ? readable.deny : [...readable.deny, home];
    const covering = deniedBelow({ ...readable, deny }, root);
    return (name) => covering(onDisk(root, name).toString());
  };
  const places = await gitPlaces(path);
  return places && (await isRepositoryReadable(places, readable))
    ? listRepository(places, path, denialIn(places.root))
    : listFolder(path, denialIn(path));
}

/** Where a repository is: the top of the work tree, the folder that its worktrees share, and the index. */
export interface GitPlaces {
  root: string;
  common: string;
  index: string;
}

/** Null for a folder that is in no repository, and for one inside git's own folder. */
export async function gitPlaces(folder: string): Promise<GitPlaces | null> {
  const asked = ['--show-toplevel', '--path-format=absolute', '--git-common-dir', '--git-path', 'index'];
  const answer = await askGit(['rev-parse', ...asked], { cwd: folder }).catch(notARepository);
  const [root, common = '', index = ''] = answer?.split('\n') ?? [];
  return root ? { root, common, index } : null;
}

/** True if the index, objects and refs of a repository, and the object stores it borrows from, are all in the scope. */
async function isRepositoryReadable(
  { root, common, index }: GitPlaces,
  readable: PathScope,
): Promise<boolean> {
  const objects = join(common, 'objects');
  const alternates = await readFile(join(objects, 'info/alternates'), 'utf8').catch(() => '');
  const borrowed = alternates.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  const all = [
    ...[root, index, common, objects, join(common, 'refs'), join(common, 'packed-refs')],
    ...borrowed.map((path) => resolve(objects, path)),
  ];
  const real = await Promise.all(all.map((path) => realpath(path).catch(() => path)));
  return real.every((path) => scopeRefusal(readable, path) === null);
}

const EVERYWHERE: PathScope = { allow: ['/'], deny: [] };

/** The folder of all trees and their records, or a part of it that is not inside one tree. */
function isOfTrees(home: string, path: string): boolean {
  const trees = join(home, 'isolations');
  return path === home || (isWithin(trees, path) && !/^[^/]+\/tree(?:\/|$)/.test(relative(trees, path)));
}

/** The files of a folder as git sees them, from the folder, what it ignores left out. Null outside of a repository. */
export async function listFiles(cwd: string): Promise<string[] | null> {
  const args = ['ls-files', '-z', '--cached', '--others', '--exclude-standard'];
  const names = await runGit(args, { cwd }).catch(notARepository);
  return names && [...new Set(names.toString().split('\0').filter(Boolean))];
}

/** What git counts as part of the tree: tracked and untracked, not ignored. */
async function listRepository(
  { root, common, index }: GitPlaces,
  path: string,
  denial: Denial,
): Promise<SourceTree> {
  const head = await askGit(['rev-parse', '--verify', '--quiet', 'HEAD^{commit}'], { cwd: root }).catch(
    () => null,
  );
  const listed = await listByGit({ cwd: root });
  const { isDenied, denied } = noteDenied(root, denial);
  const isReached = (name: BytePath) => depthOf(name) <= TREE_MAX_DEPTH;
  const files = [...listed.tracked, ...listed.untracked].filter((name) => isReached(name) && !isDenied(name));
  const isRefused = (name: BytePath) => isDenied(name) && !listed.submodules.has(name);
  const repositories = listed.repositories.filter((name) => !isRefused(name));
  const ignoring = ['ls-files', '-z', '--others', '--ignored', '--exclude-standard', '--directory'];
  const ignored = splitNames(await runGit(ignoring, { cwd: root }));
  const apart = new Set(['.git', ...repositories, ...ignored.filter(isFolderName).map(withoutSlash)]);
  const { folders, skipped } = await walk(root, (folder) => apart.has(folder) || isDenied(folder));
  return {
    root,
    prefix: relative(root, path),
    files,
    folders,
    ignored: ignored.map((name) => name.replace(/\/$/, '')),
    repositories,
    skipped,
    denied: denied(),
    denial,
    git: { common, head, index, blobs: listed.blobs },
  };
}

/** Files and symlinks are without those that git ignores. Some may be gone, or behind a link. */
export interface GitListing {
  tracked: BytePath[];
  untracked: BytePath[];
  /** Submodules and repositories inside. */
  repositories: BytePath[];
  submodules: Set<BytePath>;
  /** The git object of each tracked file, as far as git compares it with the file on disk. */
  blobs: Map<BytePath, string>;
}

export interface GitListOptions {
  cwd: string;
  /** The folder to list, relative to `cwd`. */
  prefix?: string | undefined;
  /** An empty repository, for a folder that is in none. */
  gitDir?: string | undefined;
  /** Default: the repository's own. */
  index?: string | undefined;
  /** Only what the index does not have. */
  untracked?: boolean | undefined;
}

export async function listByGit(options: GitListOptions): Promise<GitListing> {
  const { cwd, prefix = '', gitDir, index, untracked = false } = options;
  const at = gitDir === undefined ? [] : [`--git-dir=${gitDir}`, `--work-tree=${cwd}`];
  const args = ['ls-files', '-v', '-z', ...(untracked ? [] : ['--stage', '--cached'])];
  const listing = [...args, '--others', '--exclude-standard', '--', prefix || '.'];
  const output = await runGit([...at, '--literal-pathspecs', ...listing], {
    cwd,
    env: { GIT_INDEX_FILE: index },
  });
  const tracked = new Set<BytePath>();
  const others: BytePath[] = [];
  const repositories = new Set<BytePath>();
  const submodules = new Set<BytePath>();
  const blobs = new Map<BytePath, string>();
  for (const line of splitNames(output)) {
    // After the mark of an untracked file there is only its name, whatever it looks like.
    if (line.startsWith('? ')) {
      const name = line.slice(2);
      if (isFolderName(name)) repositories.add(withoutSlash(name));
      else others.push(name);
      continue;
    }
    const tab = line.indexOf('\t');
    const [mark, mode, blob = '', stage] = line.slice(0, tab).split(' ');
    const name = line.slice(tab + 1);
    if (mode === '160000') {
      submodules.add(name);
      repositories.add(name);
    } else tracked.add(name);
    if (mark === 'H' && stage === '0' && mode?.startsWith('100')) blobs.set(name, blob);
  }
  const own = (name: BytePath) => !repositories.has(name);
  return {
    tracked: [...tracked].filter(own),
    untracked: others.filter(own),
    repositories: [...repositories],
    submodules,
    blobs,
  };
}

const isFolderName = (name: BytePath) => name.endsWith('/');
const withoutSlash = (name: BytePath) => name.slice(0, -1);

/** A plain folder: everything in it but what is made again from the rest. */
async function listFolder(root: string, denial: Denial): Promise<SourceTree> {
  const leftOut: SkippedPath[] = [];
  const { isDenied, denied } = noteDenied(root, denial);
  const { files, folders, skipped } = await walk(root, (path) => {
    if (isDenied(path)) return true;
    if (!COPY_LEAVES_OUT.has(path.slice(path.lastIndexOf('/') + 1))) return false;
    leftOut.push({ path, reason: 'folders of this name are left out of a copy' });
    return true;
  });
  const ignored = leftOut
    .map(({ path }) => path)
    .filter((path) => path !== '.git' && !path.endsWith('/.git'));
  const readable = files.filter((path) => !isDenied(path));
  const named = { root, prefix: '', files: readable, folders, ignored, repositories: [] };
  return { ...named, skipped: [...skipped, ...leftOut], denied: denied(), denial, git: null };
}

/** Notes the outermost of what must not be read, as it is met. */
function noteDenied(root: string, denial: Denial) {
  const noted = new Set<string>();
  const isDenied = (path: BytePath) => {
    const place = denial(path);
    if (place !== null) noted.add(place);
    return place !== null;
  };
  const denied = () => [...noted].map((place) => decodeName(relative(root, place))).sort();
  return { isDenied, denied };
}

/** Every file and folder below the root, without the folders to leave out and those that cannot be read. */
async function walk(root: string, leaveOut: (folder: BytePath) => boolean) {
  const files: BytePath[] = [];
  const folders: BytePath[] = [];
  const skipped = await walkTree(root, (path, entry) => {
    if (!entry.isDirectory()) files.push(path);
    else if (!leaveOut(path) && !isPlaceholder(onDisk(root, path).toString())) return folders.push(path) > 0;
    return false;
  });
  return { files, folders, skipped };
}

/** An empty folder inside a repository's own folder, or no repository at all: both are plain folders to us. */
function notARepository(error: unknown): null {
  if (
    error instanceof WorkspaceError &&
    /not a git repository|cannot use bare repository|must be run in a work tree|ENOENT/.test(error.message)
  )
    return null;
  throw error;
}
