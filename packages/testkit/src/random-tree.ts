import { constants } from 'node:fs';
import {
  chmod,
  cp,
  lstat,
  mkdir,
  open,
  readdir,
  readFile,
  readlink,
  rename,
  rm,
  symlink,
  unlink,
} from 'node:fs/promises';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import type { Random } from '@amplifier/core';
import { TempGitRepo, TempWorkspace } from './temp-workspace.js';

const NAMES = ['a', 'b', 'c', 'grün', 'tab\there', 'new\nline', '-x', 'a b', 'base64:', '.hidden'];

function pick<T>(random: Random, list: readonly T[]): T {
  return list[Math.floor(random() * list.length)] as T;
}

function content(random: Random): Buffer {
  const length = Math.floor(random() ** 3 * 5000);
  return Buffer.from(Array.from({ length }, () => Math.floor(random() * (random() < 0.1 ? 256 : 96))));
}

interface TreePath {
  path: string;
  isLink: boolean;
  isFolder: boolean;
}

/** Every path below `root`, folders before what is in them, without git's own. Links are named, not followed. */
async function pathsBelow(root: string, folder = ''): Promise<TreePath[]> {
  const found: TreePath[] = [];
  for (const entry of await readdir(join(root, folder), { withFileTypes: true })) {
    if (folder === '' && entry.name === '.git') continue;
    const path = join(folder, entry.name);
    found.push({ path, isLink: entry.isSymbolicLink(), isFolder: entry.isDirectory() });
    if (entry.isDirectory()) found.push(...(await pathsBelow(root, path)));
  }
  return found;
}

/**
 * Changes the tree in one random way. A way that is not possible here is no change. Links lead into the tree, to nowhere and
 * to `outside`, a file of the trial's own; no edit follows a link, so nothing but the tree changes.
 */
async function editOnce(root: string, random: Random, outside: string): Promise<void> {
  const below = await pathsBelow(root);
  const solid = [{ path: '', isFolder: true }, ...below.filter(({ isLink }) => !isLink)];
  const { path, isFolder } = pick(random, solid);
  const place = join(root, path);
  const fresh = join(place, pick(random, NAMES));
  const inPlace: (() => Promise<unknown>)[] = [
    () => write(fresh, content(random), constants.O_EXCL),
    () => write(place, content(random)),
    () => mkdir(fresh),
    () => symlink(pick(random, ['a', '../b', outside, 'nowhere']), fresh),
    // Whoever may not enter a folder of theirs could not edit it any more.
    () => chmod(place, pick(random, [0o644, 0o755, 0o600, 0o700, 0o750]) | (isFolder ? 0o700 : 0)),
  ];
  const victim = below.length === 0 ? null : join(root, pick(random, below).path);
  const ofVictim: ((victim: string) => Promise<unknown>)[] = [
    (victim) => rm(victim, { recursive: true }),
    (victim) => rename(victim, fresh),
    async (victim) => {
      await rm(victim, { recursive: true });
      await write(victim, content(random));
    },
    async (victim) => {
      await rm(victim, { recursive: true });
      await mkdir(victim);
      await write(join(victim, pick(random, NAMES)), content(random));
    },
  ];
  const ways = [...inPlace, ...(victim === null ? [] : ofVictim.map((way) => () => way(victim)))];
  await pick(random, ways)().catch((error) => {
    if (!IMPOSSIBLE.has(error.code)) throw error;
  });
}

/** Writes a file, never through a link. */
async function write(path: string, bytes: Buffer, flags = constants.O_TRUNC): Promise<void> {
  const { O_WRONLY, O_CREAT, O_NOFOLLOW } = constants;
  const file = await open(path, O_WRONLY | O_CREAT | O_NOFOLLOW | flags);
  await file.writeFile(bytes).finally(() => file.close());
}

const IMPOSSIBLE = new Set([
  'EEXIST',
  'ENOTDIR',
  'EISDIR',
  'ENOENT',
  'ENOTEMPTY',
  'EINVAL',
  'ELOOP',
  'EBUSY',
  'EACCES',
  'ETXTBSY',
]);

export async function editTree(root: string, random: Random, edits: number, outside: Outside): Promise<void> {
  for (let done = 0; done < edits; done++) await editOnce(root, random, outside.file);
}

/** A random repository, partly committed. */
export async function randomRepo(random: Random, outside: Outside): Promise<TempGitRepo> {
  const repo = await TempGitRepo.create({ 'a/b': 'b', 'c.txt': 'c' });
  await editTree(repo.path, random, 20, outside);
  await repo.commit('random');
  await editTree(repo.path, random, 10, outside);
  return repo;
}

/** Files beside the trees that links in them lead to. Nothing that is done to a tree may reach them. */
export class Outside implements AsyncDisposable {
  readonly file: string;
  readonly #folder: TempWorkspace;
  #before = '';

  private constructor(folder: TempWorkspace) {
    this.#folder = folder;
    this.file = folder.resolve('kept.txt');
  }

  static async create(): Promise<Outside> {
    const outside = new Outside(await TempWorkspace.create({ 'kept.txt': 'Nobody writes here.\n' }));
    outside.#before = await picture(outside.#folder.path);
    return outside;
  }

  /** A copy of the tree out here, for `swapFolders`. */
  async copy(root: string): Promise<string> {
    const copy = this.#folder.resolve('copy');
    await cp(root, copy, { recursive: true, verbatimSymlinks: true });
    this.#before = await picture(this.#folder.path);
    return copy;
  }

  async isUntouched(): Promise<boolean> {
    return (await picture(this.#folder.path)) === this.#before;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#folder[Symbol.asyncDispose]();
  }
}

/**
 * Until `signal` says stop, replaces one random folder of the tree after another for a moment by a link to the same folder of
 * `copy`: whoever looks first and acts later, by the same path, acts there.
 */
export async function swapFolders(
  root: string,
  copy: string,
  random: Random,
  signal: AbortSignal,
): Promise<void> {
  await using aside = await TempWorkspace.create();
  while (!signal.aborted) {
    const folders = (await pathsBelow(root).catch(() => [])).filter(({ isFolder }) => isFolder);
    await setImmediate();
    if (folders.length === 0) continue;
    const { path } = pick(random, folders);
    const [place, kept] = [join(root, path), aside.resolve('folder')];
    try {
      await rename(place, kept);
      await symlink(join(copy, path), place);
      for (let turns = random() * 20; turns > 0; turns--) await setImmediate();
      await unlink(place);
    } catch (error) {
      if (!IMPOSSIBLE.has((error as NodeJS.ErrnoException).code ?? '')) throw error;
    }
    // Something else may have come there meanwhile; then the folder is gone for good.
    await rename(kept, place).catch(() => rm(kept, { recursive: true, force: true }));
  }
}

/** Two trees are the same when their pictures are: names, types, modes, contents, link targets. */
export async function picture(root: string): Promise<string> {
  const lines: string[] = [];
  for (const path of (await pathsBelow(root)).map(({ path }) => path).sort()) {
    const stats = await lstat(join(root, path));
    const kind = stats.isDirectory() ? 'folder' : stats.isSymbolicLink() ? 'link' : 'file';
    const what =
      kind === 'file'
        ? (await readFile(join(root, path))).toString('base64')
        : kind === 'link'
          ? await readlink(join(root, path))
          : '';
    lines.push(JSON.stringify([path, kind, kind === 'link' ? 0 : stats.mode & 0o777, what]));
  }
  return lines.join('\n');
}
