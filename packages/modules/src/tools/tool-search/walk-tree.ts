import { constants, type Dirent } from 'node:fs';
import { lstat, open, stat } from 'node:fs/promises';
import { basename, dirname, join, relative, sep } from 'node:path';
import { checkGrant, type Grant, listInside } from '@amplifier/workspace';
import type { Ignore } from 'ignore';
import { IGNORE_FILE_MAX_BYTES } from '../defaults.js';

/** The rules of one .gitignore and the folder they are meant from. */
interface IgnoreRules {
  folder: string;
  rules: Ignore;
}

/** The files below a root in order of path, without what .gitignore files leave out. A root that is a file is its own only file. */
export async function* walkTree(root: string, grant: Grant, signal: AbortSignal): AsyncGenerator<string> {
  if (!(await stat(root)).isDirectory()) {
    yield basename(root);
    return;
  }
  const inherited = await rulesAbove(root);
  for await (const path of walkFolder(root, inherited, grant, signal)) yield relative(root, path);
}

/**
 * True if a program that looks through the tree would open a .gitignore that `walkTree` does not read: a link, a pipe, a device or
 * a very large file. Folders that are ignored are not entered. Looks into the first `MAX_FOLDERS` folders: in what is beyond them, the limits
 * of the program hold.
 */
export async function hasUnusableIgnoreFile(
  root: string,
  grant: Grant,
  signal: AbortSignal,
): Promise<boolean> {
  const top = (await stat(root)).isDirectory() ? root : dirname(root);
  for (let folder = top; dirname(folder) !== folder; ) {
    folder = dirname(folder);
    if (await isUnusable(folder)) return true;
  }
  const folders: [string, readonly IgnoreRules[]][] = [[top, await rulesAbove(top)]];
  let looked = 0;
  for (let next = folders.shift(); next && looked < MAX_FOLDERS; next = folders.shift()) {
    looked++;
    signal.throwIfAborted();
    const [folder, inherited] = next;
    const entries = await entriesOf(folder, grant);
    const hasRules = entries.some(({ name }) => name === '.gitignore');
    if (hasRules && (await isUnusable(folder))) return true;
    if (top !== root) return false;
    const own = hasRules ? await rulesOf(folder) : null;
    const rules = own ? [...inherited, own] : inherited;
    for (const entry of entries) {
      const path = join(folder, entry.name);
      const isEntered = entry.isDirectory() && entry.name !== '.git' && !isIgnored(path, true, rules);
      if (isEntered && checkGrant(grant, { kind: 'read', path }).allowed) folders.push([path, rules]);
    }
  }
  return false;
}

/** Read in about a tenth of a second. */
const MAX_FOLDERS = 2_000;

async function isUnusable(folder: string): Promise<boolean> {
  const found = await lstat(join(folder, '.gitignore')).catch(() => null);
  return found !== null && !found.isDirectory() && (!found.isFile() || found.size > IGNORE_FILE_MAX_BYTES);
}

async function* walkFolder(
  folder: string,
  inherited: readonly IgnoreRules[],
  grant: Grant,
  signal: AbortSignal,
): AsyncGenerator<string> {
  signal.throwIfAborted();
  const entries = await entriesOf(folder, grant);
  const own = entries.some(({ name }) => name === '.gitignore') ? await rulesOf(folder) : null;
  const rules = own ? [...inherited, own] : inherited;
  for (const entry of entries) {
    const path = join(folder, entry.name);
    if (entry.name === '.git' || isIgnored(path, entry.isDirectory(), rules)) continue;
    if (!checkGrant(grant, { kind: 'read', path }).allowed) continue;
    if (entry.isDirectory()) yield* walkFolder(path, rules, grant, signal);
    else if (entry.isFile()) yield path;
  }
}

/** Sorted by the bytes of the names, as other programs sort paths. A folder that cannot be read, or has become a link, is passed over. */
async function entriesOf(folder: string, grant: Grant): Promise<Dirent[]> {
  try {
    const entries = await listInside(grant, folder);
    return entries.sort((a, b) => Buffer.compare(Buffer.from(a.name), Buffer.from(b.name)));
  } catch (error) {
    if (UNREADABLE.includes((error as NodeJS.ErrnoException).code ?? '')) return [];
    throw error;
  }
}

const UNREADABLE = ['EACCES', 'ENOENT', 'ENOTDIR', 'PATH_CHANGED'];

/** The rules of the folders above count as well, up to the top of the repository. */
async function rulesAbove(root: string): Promise<IgnoreRules[]> {
  const above: IgnoreRules[] = [];
  for (let folder = root; !(await exists(join(folder, '.git'))) && dirname(folder) !== folder; ) {
    folder = dirname(folder);
    const rules = await rulesOf(folder);
    if (rules) above.unshift(rules);
  }
  return above;
}

/** Only of a regular file: the file may come from a stranger, and a link may lead to a device without an end. Git follows none either. */
async function rulesOf(folder: string): Promise<IgnoreRules | null> {
  try {
    const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
    await using file = await open(join(folder, '.gitignore'), flags);
    const found = await file.stat();
    if (!found.isFile() || found.size > IGNORE_FILE_MAX_BYTES) return null;
    const { default: ignore } = await import('ignore');
    return { folder, rules: ignore().add(await file.readFile('utf8')) };
  } catch (error) {
    if (typeof (error as NodeJS.ErrnoException).errno === 'number') return null;
    throw error;
  }
}

/** The nearest .gitignore that says anything about a path decides. */
function isIgnored(path: string, isFolder: boolean, all: readonly IgnoreRules[]): boolean {
  for (const { folder, rules } of all.toReversed()) {
    const place = relative(folder, path).split(sep).join('/') + (isFolder ? '/' : '');
    const { ignored, unignored } = rules.test(place);
    if (ignored || unignored) return ignored;
  }
  return false;
}

async function exists(path: string): Promise<boolean> {
  try {
    await lstat(path);
    return true;
  } catch {
    return false;
  }
}
