import { lstat, readdir, realpath, stat } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, join, relative, resolve } from 'node:path';
import { realOrSame } from '../grant/own-homes.js';
import { isWithin } from '../grant/path-scope.js';
import { realPathOf } from '../grant/real-path.js';
import { runGit } from '../isolation/git.js';
import { WorkspaceError } from '../workspace-error.js';
import { ACTS_LATER, actsInHome, actsLater, isStartUpName } from './acts-later.js';
import { type FoundBelow, lookBelow } from './look-below.js';

/** Names of a folder's own that the sandbox locks. Those with a `*` are refused to file tools alone. */
const ACTING_NAMES: readonly string[] = ACTS_LATER.flatMap(({ names }) => names).filter(
  (name) => !name.includes('*'),
);

/** What of a home a session that works in it must not write beside `isStartUpName`. */
const ALSO_OF_A_HOME: readonly string[] = ['bin', '.cache/amplifier-mcp'];

/** Files that act later in a home folder. A proposal for any folder that contains them may be for a copy of one. */
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

/** The same of `worktrees/NAME`: where its settings are, and further ones. */
const OF_WORKTREE: readonly string[] = ['commondir', 'config.worktree'];

/** What a session that works in `cwd` must not write, whether or not it is there yet. */
export function protectedPaths(cwd: string, home?: string): string[] {
  const below = (folder: string, names: readonly string[]) => names.map((name) => join(folder, name));
  const ofHome = home !== undefined && isWithin(cwd, home) ? below(home, ALSO_OF_A_HOME) : [];
  return [...below(cwd, ACTING_NAMES), ...ofHome];
}

/** Repositories whose settings git is asked for. */
const MOST_ASKED = 20;

/** What is in a home by names that act there. A link that leads to the home or a folder above is not: all of the home would be locked. */
export async function startUpPaths(home: string): Promise<string[]> {
  const names = (await readdir(home).catch(() => [])).filter(isStartUpName);
  const real = await realPathOf(home);
  const found = await Promise.all(
    names.map(async (name) => {
      const path = join(home, name);
      const target = await realpath(path).catch(() => path);
      return isWithin(target, real) ? [] : [path];
    }),
  );
  return found.flat();
}

/**
 * The same for what the disk says: what git's settings name in the folder, other repositories and submodules below it, and what is in
 * the home if that is there.
 */
export async function protectedBelow(cwd: string, home?: string): Promise<string[]> {
  const found = await lookBelow(cwd);
  const repositories = foldersIn(cwd, found.repositories);
  return [
    ...(await repositoryPaths(cwd, found)),
    ...(await Promise.all([cwd, ...repositories].slice(0, MOST_ASKED).map(namedByGit))).flat(),
    ...repositories.flatMap((folder) => protectedPaths(folder)),
    ...(home !== undefined && isWithin(cwd, home) ? await startUpPaths(home) : []),
  ];
}

/**
 * What of the repositories in a folder acts, whether or not it is there yet: those with a `.git`, bare ones, submodules, and what their
 * pointers lead to. Folders that cannot be listed are locked as a whole.
 */
export async function repositoryPaths(root: string, found: Omit<FoundBelow, 'acting'>): Promise<string[]> {
  const { repositories, bare, gits, worktrees, pointed, closed } = found;
  const below = (folders: readonly string[], names: readonly string[]) =>
    foldersIn(root, folders).flatMap((folder) => names.map((name) => join(folder, name)));
  const all = [root, ...foldersIn(root, repositories)];
  return [
    ...(await Promise.all(all.map(pointerFile))).flat(),
    ...below([...new Set([...gits, ...bare, ...pointed])], OF_GIT),
    ...below(worktrees, OF_WORKTREE),
    ...foldersIn(
      root,
      closed.filter((path) => path !== ''),
    ),
  ];
}

/** A name that is no text cannot be locked by its path. */
function foldersIn(root: string, paths: readonly string[]): string[] {
  const names = paths.map((path) => Buffer.from(path, 'latin1').toString());
  return names.filter((name) => !name.includes('\ufffd')).map((name) => join(root, name));
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

/** Does a path of a tree, relative to it, act later in the folder `target` that the tree is for? */
export function actsLaterIn(target: string, path: string): boolean {
  const home = realOrSame(homedir());
  const place = join(target, path);
  const isInHome = isWithin(target, home) && isWithin(home, place);
  return actsLater(path) !== null || (isInHome && actsInHome(relative(home, place)) !== null);
}

/** The same, and what would act in a home if the target were one. */
export function isActing(path: string, target: string): boolean {
  return actsLaterIn(target, path) || OF_A_HOME.some((name) => path === name || path.startsWith(`${name}/`));
}

/** Settings whose value is the path of a file or folder that acts. `include` is relative to the file it is in. */
const PATHS =
  /^(core\.(hookspath|attributesfile|askpass)|include\.path|includeif\..*\.path|(diff|merge)tool\..*\.path|init\.templatedir|gpg\.(.*\.)?program)$/s;
/** Settings whose value is a command. */
const COMMANDS =
  /^(core\.(fsmonitor|editor|pager|sshcommand|gitproxy|alternaterefscommand)|filter\..*\.(clean|smudge|process)|diff\.external|diff\..*\.(command|textconv)|merge\..*\.driver|(diff|merge|gui)tool\..*\.cmd|gpg\.ssh\.defaultkeycommand|credential\.(.*\.)?helper|sequence\.editor|pager\..*|alias\..*|interactive\.difffilter|trailer\..*\.(cmd|command)|remote\..*\.(uploadpack|receivepack)|sendemail\..*cmd|hook\..*\.command|uploadpack\.packobjectshook)$/s;

/** Hooks that git runs in the work tree, where the folder of hooks is one that a session works in. */
const HOOKS = [
  ...['applypatch-msg', 'pre-applypatch', 'post-applypatch', 'pre-commit', 'pre-merge-commit', 'post-merge'],
  ...['prepare-commit-msg', 'commit-msg', 'post-commit', 'pre-rebase', 'post-checkout', 'pre-push'],
  ...['reference-transaction', 'pre-auto-gc', 'post-rewrite', 'fsmonitor-watchman', 'post-index-change'],
  ...['sendemail-validate', 'push-to-checkout', 'pre-receive', 'update', 'proc-receive', 'post-receive'],
];

/**
 * What the git settings of the repository that `folder` is in name in that folder: hooks, further settings, and the scripts of
 * filters, drivers, monitors and aliases. Runs nothing of it. Empty where git cannot read the settings: then it acts on none.
 */
async function namedByGit(folder: string): Promise<string[]> {
  const top = await topOf(folder);
  if (top === null) return [];
  const output = await runGit(['config', '--list', '-z', '--show-scope', '--show-origin'], {
    cwd: top,
  }).catch((error) => {
    if (error instanceof WorkspaceError) return Buffer.of();
    throw error;
  });
  const found = new Set<string>();
  const fields = output.toString().split('\0');
  for (let at = 0; at + 2 < fields.length; at += 3) {
    const [scope, origin = '', entry = ''] = fields.slice(at, at + 3);
    if (scope === 'command') continue; // Given by us.
    const file = origin.startsWith('file:') ? resolve(top, origin.slice('file:'.length)) : null;
    const line = entry.indexOf('\n');
    const [key, value] = line === -1 ? [entry, ''] : [entry.slice(0, line), entry.slice(line + 1)];
    const named = await placesIn(key, value, top, file);
    for (const place of [...(file === null ? [] : [file]), ...named])
      for (const each of isWithin(place, folder) ? HOOKS.map((hook) => join(place, hook)) : [place])
        if (isWithin(folder, each)) found.add(each);
  }
  return [...found];
}

async function placesIn(key: string, value: string, top: string, file: string | null): Promise<string[]> {
  if (PATHS.test(key) && value !== '')
    return [fromHome(value, key.startsWith('include') && file !== null ? dirname(file) : top)];
  if (!COMMANDS.test(key)) return [];
  if (key.startsWith('alias.') && !value.startsWith('!')) return []; // A command of git's own.
  const words = value.split(/[\s"'`;|&()<>=!$]+/).filter(Boolean);
  const places = words.map((word) => fromHome(word, top));
  const files = await Promise.all(places.map(isFile));
  // A program that is named by a path acts as soon as it is there.
  return places.filter((_, at) => files[at] || (at === 0 && words[0]?.includes('/')));
}

function fromHome(path: string, base: string): string {
  return path.startsWith('~/') ? join(homedir(), path.slice(2)) : resolve(base, path);
}

async function isFile(path: string): Promise<boolean> {
  return (await stat(path).catch(() => null))?.isFile() ?? false;
}

/** The nearest folder at or above this one with a `.git`. */
async function topOf(folder: string): Promise<string | null> {
  for (let place = folder; ; place = dirname(place)) {
    if (await lstat(join(place, '.git')).catch(() => null)) return place;
    if (dirname(place) === place) return null;
  }
}
