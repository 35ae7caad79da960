import { readdir, realpath } from 'node:fs/promises';
import { relative } from 'node:path';
import { errorInfo } from '@amplifier/core';
import { type BytePath, onDisk } from './byte-path.js';
import { COPY_LEAVES_OUT } from './defaults.js';
import { askGit, runGit, splitNames } from './git.js';
import { isPlaceholder } from './hold-missing.js';
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
  git: { common: string; head: string | null; index: string } | null;
}

export async function listSource(folder: string): Promise<SourceTree> {
  const path = await realpath(folder).catch((cause) => {
    throw new WorkspaceError(`The folder ${folder} does not exist, so it cannot be isolated.`, {
      code: 'FOLDER_NOT_FOUND',
      cause,
    });
  });
  const root = await askGit(['rev-parse', '--show-toplevel'], { cwd: path }).catch(notARepository);
  return root ? listRepository(root, path) : listFolder(path);
}

/** The files of a folder as git sees them, from the folder, what it ignores left out. Null outside of a repository. */
export async function listFiles(cwd: string): Promise<string[] | null> {
  const args = ['ls-files', '-z', '--cached', '--others', '--exclude-standard'];
  const names = await runGit(args, { cwd }).catch(notARepository);
  return names && [...new Set(names.toString().split('\0').filter(Boolean))];
}

/** What git counts as part of the tree: tracked and untracked, not ignored. */
async function listRepository(cwd: string, path: string): Promise<SourceTree> {
  const git = async (...args: string[]) => splitNames(await runGit(args, { cwd }));
  const places = ['rev-parse', '--path-format=absolute', '--git-common-dir', '--git-path', 'index'];
  const [common = '', index = ''] = (await askGit(places, { cwd })).split('\n');
  const head = await askGit(['rev-parse', '--verify', '--quiet', 'HEAD^{commit}'], { cwd }).catch(() => null);
  const names = await git('ls-files', '-z', '--cached', '--others', '--exclude-standard');
  const ignored = await git('ls-files', '-z', '--others', '--ignored', '--exclude-standard', '--directory');
  const submodules = (await git('ls-files', '-z', '--stage')).flatMap((line) =>
    line.startsWith('160000 ') ? line.slice(line.indexOf('\t') + 1) : [],
  );
  const repositories = new Set([...submodules, ...names.filter(isFolderName).map(withoutSlash)]);
  const apart = new Set(['.git', ...repositories, ...ignored.filter(isFolderName).map(withoutSlash)]);
  const { folders, skipped } = await walk(cwd, (folder) => apart.has(folder));
  return {
    root: cwd,
    prefix: relative(cwd, path),
    files: [...new Set(names)].filter((name) => !isFolderName(name) && !repositories.has(name)),
    folders,
    ignored: ignored.map((name) => name.replace(/\/$/, '')),
    repositories: [...repositories],
    skipped,
    git: { common, head, index },
  };
}

const isFolderName = (name: BytePath) => name.endsWith('/');
const withoutSlash = (name: BytePath) => name.slice(0, -1);

/** A plain folder: everything in it but what is made again from the rest. */
async function listFolder(root: string): Promise<SourceTree> {
  const leftOut: SkippedPath[] = [];
  const { files, folders, skipped } = await walk(root, (path) => {
    if (!COPY_LEAVES_OUT.has(path.slice(path.lastIndexOf('/') + 1))) return false;
    leftOut.push({ path, reason: 'folders of this name are left out of a copy' });
    return true;
  });
  const ignored = leftOut
    .map(({ path }) => path)
    .filter((path) => path !== '.git' && !path.endsWith('/.git'));
  const named = { root, prefix: '', files, folders, ignored, repositories: [] };
  return { ...named, skipped: [...skipped, ...leftOut], git: null };
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
