import { readdir, readFile, realpath } from 'node:fs/promises';
import { join, relative, resolve } from 'node:path';
import { errorInfo } from '@amplifier/core';
import { type BytePath, decodeName, onDisk } from './byte-path.js';
import { COPY_LEAVES_OUT } from './defaults.js';
import { askGit, runGit, splitNames } from './git.js';
import { isPlaceholder } from './hold-missing.js';
import { deniedBelow, isWithin, type PathScope, scopeRefusal } from './path-scope.js';
import type { SkippedPath } from './scan-tree.js';
import { WorkspaceError } from './workspace-error.js';

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
  git: { common: string; head: string | null; index: string } | null;
}

/** By absolute path. */
type Denial = (path: BytePath) => string | null;

export interface ListOptions {
  /** A repository that is not all in it is not used: the folder alone is listed. What it denies is left out. Default: all of the machine. */
  readable?: PathScope;
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
  const places = ['--show-toplevel', '--path-format=absolute', '--git-common-dir', '--git-path', 'index'];
  const known = await askGit(['rev-parse', ...places], { cwd: path }).catch(notARepository);
  const [root, common = '', index = ''] = known?.split('\n') ?? [];
  return root && (await isRepositoryReadable([root, index], common, readable))
    ? listRepository({ root, common, index }, path, denialIn(root))
    : listFolder(path, denialIn(path));
}

/** True if the index, objects and refs of a repository, and the object stores it borrows from, are all in the scope. */
async function isRepositoryReadable(paths: string[], common: string, readable: PathScope): Promise<boolean> {
  const objects = join(common, 'objects');
  const alternates = await readFile(join(objects, 'info/alternates'), 'utf8').catch(() => '');
  const borrowed = alternates.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  const all = [
    ...[...paths, common, objects, join(common, 'refs'), join(common, 'packed-refs')],
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
  { root: cwd, common, index }: { root: string; common: string; index: string },
  path: string,
  denial: Denial,
): Promise<SourceTree> {
  const git = async (...args: string[]) => splitNames(await runGit(args, { cwd }));
  const head = await askGit(['rev-parse', '--verify', '--quiet', 'HEAD^{commit}'], { cwd }).catch(() => null);
  // With a mark before each: what is untracked is only a name, whatever it looks like.
  const listed = await git('ls-files', '-t', '-z', '--stage', '--cached', '--others', '--exclude-standard');
  const nameOf = (line: string) => line.slice(line.startsWith('? ') ? 2 : line.indexOf('\t') + 1);
  const { isDenied, denied } = noteDenied(cwd, denial);
  const names = listed.map(nameOf).filter((name) => !isDenied(name));
  const ignored = await git('ls-files', '-z', '--others', '--ignored', '--exclude-standard', '--directory');
  const submodules = listed.filter((line) => /^[^?] 160000 /.test(line)).map(nameOf);
  const repositories = new Set([...submodules, ...names.filter(isFolderName).map(withoutSlash)]);
  const apart = new Set(['.git', ...repositories, ...ignored.filter(isFolderName).map(withoutSlash)]);
  const { folders, skipped } = await walk(cwd, (folder) => apart.has(folder) || isDenied(folder));
  return {
    root: cwd,
    prefix: relative(cwd, path),
    files: [...new Set(names)].filter((name) => !isFolderName(name) && !repositories.has(name)),
    folders,
    ignored: ignored.map((name) => name.replace(/\/$/, '')),
    repositories: [...repositories],
    skipped,
    denied: denied(),
    denial,
    git: { common, head, index },
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
  const skipped: SkippedPath[] = [];
  await visit('');
  return { files, folders, skipped };

  async function visit(folder: BytePath): Promise<void> {
    const options = { withFileTypes: true, encoding: 'buffer' as 'utf8' } as const;
    const entries = await readdir(onDisk(root, folder), options).catch((error) => {
      skipped.push({ path: folder, reason: errorInfo(error).message });
      return [];
    });
    for (const entry of entries) {
      // With this encoding the name is a buffer, which node's types do not say.
      const name = (entry.name as unknown as Buffer).toString('latin1');
      const path = folder === '' ? name : `${folder}/${name}`;
      if (!entry.isDirectory()) files.push(path);
      else if (!leaveOut(path) && !isPlaceholder(onDisk(root, path).toString())) {
        folders.push(path);
        await visit(path);
      }
    }
  }
}

/** An empty folder inside a repository's own folder, or no repository at all: both are plain folders to us. */
function notARepository(error: unknown): null {
  if (
    error instanceof WorkspaceError &&
    /not a git repository|must be run in a work tree|ENOENT/.test(error.message)
  )
    return null;
  throw error;
}
