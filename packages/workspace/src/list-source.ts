import { readdir, realpath } from 'node:fs/promises';
import { relative } from 'node:path';
import { type BytePath, onDisk } from './byte-path.js';
import { COPY_LEAVES_OUT } from './defaults.js';
import { askGit, runGit, splitNames } from './git.js';
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
  /** Folders that may be empty; git knows of none. */
  folders: BytePath[];
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
  if (!root) return listFolder(path);
  const [common = '', index = ''] = (
    await askGit(['rev-parse', '--path-format=absolute', '--git-common-dir', '--git-path', 'index'], {
      cwd: root,
    })
  ).split('\n');
  const head = await askGit(['rev-parse', '--verify', '--quiet', 'HEAD^{commit}'], { cwd: root }).catch(
    () => null,
  );
  const listed = await runGit(['ls-files', '-z', '--cached', '--others', '--exclude-standard'], {
    cwd: root,
  });
  const staged = splitNames(await runGit(['ls-files', '-z', '--stage'], { cwd: root }));
  const submodules = staged.flatMap((line) =>
    line.startsWith('160000 ') ? line.slice(line.indexOf('\t') + 1) : [],
  );
  const names = [...new Set(splitNames(listed))];
  const nested = names.filter((name) => name.endsWith('/')).map((name) => name.slice(0, -1));
  const repositories = [...new Set([...submodules, ...nested])];
  const files = names.filter((name) => !name.endsWith('/') && !repositories.includes(name));
  return {
    root,
    prefix: relative(root, path),
    files,
    folders: [],
    repositories,
    skipped: [],
    git: { common, head, index },
  };
}

/** A plain folder: everything in it but what is made again from the rest. */
async function listFolder(root: string): Promise<SourceTree> {
  const files: BytePath[] = [];
  const folders: BytePath[] = [];
  const skipped: SkippedPath[] = [];
  await visit('');
  return { root, prefix: '', files, folders, repositories: [], skipped, git: null };

  async function visit(folder: BytePath): Promise<void> {
    for (const entry of await readdir(onDisk(root, folder), {
      withFileTypes: true,
      encoding: 'buffer' as 'utf8',
    })) {
      const name = (entry.name as unknown as Buffer).toString('latin1');
      const path = folder === '' ? name : `${folder}/${name}`;
      if (COPY_LEAVES_OUT.has(name) && entry.isDirectory())
        skipped.push({ path, reason: 'folders of this name are left out of a copy' });
      else if (entry.isDirectory()) {
        folders.push(path);
        await visit(path);
      } else files.push(path);
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
