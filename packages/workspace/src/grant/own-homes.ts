import { realpathSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { basename, dirname, isAbsolute, join, resolve } from 'node:path';
import { errnoOf, WorkspaceError } from '../workspace-error.js';

type Environment = Readonly<Record<string, string | undefined>>;

/** Parts of the daemon's home that a variable may put elsewhere. */
const DAEMON_FOLDERS = ['CONFIG', 'SHARE', 'STATE', 'CACHE', 'LOG'];

/** The user's folder: `~/.amplifier` unless `AMPLIFIER_HOME` says otherwise. Never depends on the folder somebody works in. */
export function amplifierHome(environment: Environment = process.env): string {
  return absoluteFolder('AMPLIFIER_HOME', environment) ?? join(personsHome(), '.amplifier');
}

/** The home of a server deployment: `~/.amplifierd` unless `AMPLIFIERD_HOME` says otherwise. */
export function deploymentHome(environment: Environment = process.env): string {
  return absoluteFolder('AMPLIFIERD_HOME', environment) ?? join(personsHome(), '.amplifierd');
}

/** What a variable says, when it says anything. A relative path would mean another place in every folder. */
export function absoluteFolder(variable: string, environment: Environment): string | null {
  const folder = environment[variable]?.trim();
  if (!folder) return null;
  if (isAbsolute(folder)) return resolve(folder);
  throw new WorkspaceError(
    `${variable} is the relative path ${JSON.stringify(folder)}, which would be another place in every folder. Set it to an absolute path.`,
    { code: 'HOME_UNKNOWN', origin: variable },
  );
}

function personsHome(): string {
  const home = homedir();
  if (isAbsolute(home)) return home;
  throw new WorkspaceError(
    'HOME is empty or a relative path, so there is no place for settings, keys and sessions. Set HOME, or AMPLIFIER_HOME (for amplifierd: AMPLIFIERD_HOME), to an absolute path.',
    { code: 'HOME_UNKNOWN', origin: 'HOME' },
  );
}

/**
 * The folders in which this runtime keeps its own state: settings, keys, tokens, the record, launch records, of the command line
 * and of the daemon, wherever variables put them. No session may look into them or write there, in any mode.
 */
export function ownHomes(environment: Environment = process.env, cwd: string = process.cwd()): string[] {
  return environment === process.env ? foldersNow(cwd).homes : findHomes(environment, cwd);
}

/**
 * The folders with isolated trees and the journals of applied proposals, of the command line and of the daemon. A session may look
 * into its own tree only: the others hold work of other sessions, and files are written back from journals.
 */
export function treesFolders(environment: Environment = process.env): string[] {
  // They do not depend on the folder of the process.
  return environment === process.env ? foldersNow(looked.cwd).trees : findTrees(environment);
}

/** The disk is asked for real paths once in so long, not with each session: `npm run bench -- delegation` shows it. */
const LOOKED_MS = 1_000;
let looked: { at: number; cwd: string; named: (string | undefined)[]; homes: string[]; trees: string[] } = {
  at: Number.NEGATIVE_INFINITY,
  cwd: '',
  named: [],
  homes: [],
  trees: [],
};
const NAMES = [
  'AMPLIFIER_HOME',
  'AMPLIFIERD_HOME',
  'AMPLIFIER_TREES_DIR',
  'AMPLIFIERD_TREES_DIR',
  'HOME',
  ...DAEMON_FOLDERS.map((name) => `AMPLIFIERD_${name}_DIR`),
];

/** The same for this process, homes and trees. */
export function foldersNow(cwd: string = process.cwd()): { homes: string[]; trees: string[] } {
  const { env } = process;
  const now = Date.now();
  const isKnown = now - looked.at < LOOKED_MS && cwd === looked.cwd;
  if (isKnown && NAMES.every((name, at) => env[name] === looked.named[at])) return looked;
  const named = NAMES.map((name) => env[name]);
  looked = { at: now, cwd, named, homes: findHomes(env, cwd), trees: findTrees(env) };
  return looked;
}

function findHomes(environment: Environment, cwd: string): string[] {
  return withRealPaths(
    [
      ...ifKnown(() => amplifierHome(environment)),
      ...ifKnown(() => deploymentHome(environment)),
      ...DAEMON_FOLDERS.flatMap((name) => environment[`AMPLIFIERD_${name}_DIR`]?.trim() || []),
    ].map((folder) => resolve(cwd, folder)),
  );
}

function findTrees(environment: Environment): string[] {
  return withRealPaths([
    ...ifKnown(
      () => absoluteFolder('AMPLIFIER_TREES_DIR', environment) ?? `${amplifierHome(environment)}-trees`,
    ),
    ...ifKnown(
      () => absoluteFolder('AMPLIFIERD_TREES_DIR', environment) ?? `${deploymentHome(environment)}-trees`,
    ),
  ]);
}

function withRealPaths(folders: readonly string[]): string[] {
  return [...new Set(folders.flatMap((folder) => [folder, realOrSame(folder)]))];
}

/** A home that is nowhere holds nothing to keep sessions from. */
function ifKnown(home: () => string): string[] {
  try {
    return [home()];
  } catch {
    return [];
  }
}

/** The real path. Of a folder that is missing: below the real path of the folder it would be made in. */
export function realOrSame(folder: string): string {
  try {
    return realpathSync(folder);
  } catch {
    const parent = dirname(folder);
    return parent === folder ? folder : join(realOrSame(parent), basename(folder));
  }
}

/** A home of ours may lie in a repository; what is in it must never be staged. */
export async function keepOutOfGit(folder: string): Promise<void> {
  try {
    await writeFile(join(folder, '.gitignore'), '*\n', { flag: 'wx' });
  } catch (error) {
    // A home that cannot be written holds nothing of ours yet; whoever writes there next says so.
    if (!['EEXIST', 'ENOENT', 'EROFS', 'EACCES'].includes(errnoOf(error) ?? '')) throw error;
  }
}
