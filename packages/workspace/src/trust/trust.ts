import { readFile, realpath, stat } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, join, parse } from 'node:path';
import { isWithin } from '../grant/path-scope.js';
import { type Looked, realPathOf } from '../grant/real-path.js';
import { withLock } from '../processes/with-lock.js';
import { errnoOf, WorkspaceError } from '../workspace-error.js';

/**
 * Is the folder one of `trusted`, or below one? By where the paths really lead: a symlink neither gains nor loses trust. `looked` as for
 * `realPathOf`.
 */
export async function isTrusted(
  folder: string,
  trusted: readonly string[],
  looked: Looked = new Map(),
): Promise<boolean> {
  const place = await realPathOf(folder, undefined, looked);
  for (const entry of trusted)
    if (isWithin(await realPathOf(expandHome(entry), undefined, looked), place)) return true;
  return false;
}

export interface TrustChange {
  /** False when the file said so already and was not written. */
  changed: boolean;
  folder: string;
  /** Said to a person before they are surprised; null when there is nothing to say. */
  warning: string | null;
}

/** Adds the folder to the trusted ones in a settings file. Every other line of the file stays as it is. */
export async function trustWorkspace(file: string, folder: string): Promise<TrustChange> {
  const place = await realpath(folder).catch((cause) => {
    throw new WorkspaceError(`${folder} does not exist, so it cannot be trusted.`, {
      code: 'FOLDER_NOT_FOUND',
      cause,
    });
  });
  const changed = await editTrusted(file, (trusted) =>
    trusted.includes(place) ? trusted : [...trusted, place],
  );
  return { changed, folder: place, warning: breadthWarning(place) };
}

/** Takes the folder off the list. It may still be trusted through a folder above it; then the warning says so. */
export async function untrustWorkspace(file: string, folder: string): Promise<TrustChange> {
  const place = await realPathOf(expandHome(folder));
  let above: string | undefined;
  const changed = await editTrusted(file, async (trusted) => {
    const places = await Promise.all(trusted.map((entry) => realPathOf(expandHome(entry))));
    above = places.find((entry) => entry !== place && isWithin(entry, place));
    return trusted.filter((_entry, index) => places[index] !== place);
  });
  const warning = above === undefined ? null : `${place} is still trusted, because ${above} is.`;
  return { changed, folder: place, warning };
}

/** The trusted folders a settings file names. A file that does not exist names none. */
export async function readTrusted(file: string): Promise<string[]> {
  return listIn(file, await readIfThere(file));
}

type Edit = (trusted: readonly string[]) => readonly string[] | Promise<readonly string[]>;

async function editTrusted(file: string, edit: Edit): Promise<boolean> {
  // Settings are often a symlink into somebody's dotfiles: write what it points to, and keep the link.
  const place = await realPathOf(file);
  return withLock(place, place, async () => {
    const text = await readIfThere(place);
    const before = await listIn(place, text);
    const after = await edit(before);
    if (after.length === before.length && after.every((entry, index) => entry === before[index]))
      return false;
    const { editTrustedList } = await import('./edit-trusted-list.js');
    const { default: writeFileAtomic } = await import('write-file-atomic');
    await writeFileAtomic(place, editTrustedList(text, after), { mode: await modeOf(place) });
    return true;
  });
}

async function modeOf(file: string): Promise<number> {
  try {
    return (await stat(file)).mode & 0o777;
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return 0o600;
    throw error;
  }
}

async function listIn(file: string, text: string): Promise<string[]> {
  // Loads the YAML library, which few sessions need.
  const { readTrustedList } = await import('./edit-trusted-list.js');
  const found = readTrustedList(text);
  if ('problem' in found) throw invalid(file, found.problem);
  return found.list;
}

function invalid(file: string, problem: string): WorkspaceError {
  return new WorkspaceError(
    `${file} was left as it is, because it is not valid: ${problem}. Correct it first.`,
    {
      code: 'TRUST_FILE_INVALID',
      origin: file,
    },
  );
}

async function readIfThere(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return '';
    throw error;
  }
}

function breadthWarning(place: string): string | null {
  const home = homedir();
  const broad = place === parse(place).root || isWithin(place, home) || dirname(place) === parse(place).root;
  return broad ? `${place} holds far more than one project. Trust the project's own folder instead.` : null;
}

/** Replaces a leading `~`, as in the list of trusted folders. */
export function expandHome(path: string): string {
  return path === '~' || path.startsWith('~/') ? join(homedir(), path.slice(1)) : path;
}
