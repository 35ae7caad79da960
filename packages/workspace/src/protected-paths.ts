import { lstat } from 'node:fs/promises';
import { join } from 'node:path';
import { ACTS_LATER, actsLater } from './acts-later.js';
import { namedByGit } from './named-by-git.js';
import { moduleFolders, nestedRepositories, worktreePointers } from './nested-repositories.js';
import { isWithin } from './path-scope.js';

/** Names of a folder's own that the sandbox locks. Those with a `*` are refused to file tools alone. */
const ACTING_NAMES: readonly string[] = ACTS_LATER.flatMap(({ names }) => names).filter(
  (name) => !name.includes('*'),
);

/** Files that act later in a home folder, where a session works in one. */
const OF_A_HOME: readonly string[] = [
  '.bashrc',
  '.bash_profile',
  '.bash_login',
  '.bash_logout',
  '.bash_aliases',
  '.profile',
  '.zshrc',
  '.zshenv',
  '.zprofile',
  '.zlogin',
  '.config/fish',
  '.config/nvim',
  '.config/systemd',
  '.config/autostart',
  '.vimrc',
  '.vim',
  '.emacs',
  '.emacs.d',
  '.gitconfig',
  '.config/git',
  '.tmux.conf',
  '.inputrc',
  '.local/bin',
  '.cache/amplifier-mcp',
  'bin',
];

/** What of a folder of git's own acts. */
export const OF_GIT: readonly string[] = [
  'hooks',
  'config',
  'config.worktree',
  'commondir',
  'info/attributes',
];

/** What a session that works in `cwd` must not write, whether or not it is there yet. */
export function protectedPaths(cwd: string, home?: string): string[] {
  const below = (folder: string, names: readonly string[]) => names.map((name) => join(folder, name));
  const ofHome = home !== undefined && isWithin(cwd, home) ? below(home, OF_A_HOME) : [];
  return [...below(cwd, ACTING_NAMES), ...ofHome];
}

/** Repositories whose settings git is asked for. */
const MOST_ASKED = 20;

/**
 * The same for what the disk says: what git's settings name in the folder, and other repositories and submodules below it.
 */
export async function protectedBelow(cwd: string): Promise<string[]> {
  const repositories = await nestedRepositories(cwd);
  const all = [cwd, ...repositories];
  const modules = (await Promise.all(all.map(moduleFolders))).flat();
  return [
    ...(await Promise.all(all.map(pointerFile))).flat(),
    ...(await Promise.all(all.map(worktreePointers))).flat(),
    ...(await Promise.all(all.slice(0, MOST_ASKED).map(namedByGit))).flat(),
    ...repositories.flatMap((folder) => protectedPaths(folder)),
    ...modules.flatMap((folder) => OF_GIT.map((name) => join(folder, name))),
  ];
}

/** A worktree and a submodule have a file in the place of git's folder, which tells git where its settings are. */
async function pointerFile(folder: string): Promise<string[]> {
  const path = join(folder, '.git');
  const found = await lstat(path).catch(() => null);
  return found === null || found.isDirectory() ? [] : [path];
}

/**
 * Those of them that are folders: an empty one can stand in for what is not there yet. In the place of a file it would break
 * whatever reads that file meanwhile, and in a home it would break every program that starts.
 */
const FOLDERS: readonly string[] = [
  ...['.git', '.git/hooks', '.husky', '.githooks', '.github/workflows', '.circleci'],
  ...['.amplifier', '.claude', '.agents', '.gemini', '.cursor', '.codex', '.opencode'],
  ...['.claude/agents', '.claude/commands', '.claude/hooks', '.claude/skills', '.agents/skills'],
  ...['.vscode', '.idea', '.zed', '.devcontainer'],
];

/** Can a folder take this place while nothing is there, so that nothing can be created in it? */
export function mustBeHeld(path: string): boolean {
  return FOLDERS.some((name) => path.endsWith(`/${name}`));
}

/** The folder that may have to be made for one of them, and its name. */
const ABOVE = { folder: '.github', name: 'workflows' };

/** Is this the last part of the name of such a folder, or of one that had to be made for it? */
export function isHeldName(name: string): boolean {
  return name === ABOVE.folder || FOLDERS.some((folder) => folder === name || folder.endsWith(`/${name}`));
}

/** Can `name` be all that a folder made for it holds? */
export function isHeldBelow(folder: string, name: string): boolean {
  return folder.endsWith(`/${ABOVE.folder}`) && name === ABOVE.name;
}

/** Left open where nothing is yet, as docs/security.md says once for all of them. */
export function isKnownOpen(path: string): boolean {
  return [...ACTING_NAMES, ...OF_A_HOME, ...OF_GIT].some((name) => path.endsWith(`/${name}`));
}

/** Is a path of a tree, relative to it, one that acts later in the tree or in a home? */
export function isActing(path: string): boolean {
  return actsLater(path) !== null || OF_A_HOME.some((name) => path === name || path.startsWith(`${name}/`));
}
