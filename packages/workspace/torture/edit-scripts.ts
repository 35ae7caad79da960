import { constants } from 'node:fs';
import {
  chmod,
  lstat,
  mkdir,
  open,
  readdir,
  readFile,
  readlink,
  rename,
  rm,
  symlink,
} from 'node:fs/promises';
import { join } from 'node:path';
import type { Random } from '@amplifier/core';
import { seededRandom, TempGitRepo, TempWorkspace } from '@amplifier/testkit';
import { applyPatch, Isolation, undoApply } from '@amplifier/workspace';

const NAMES = ['a', 'b', 'c', 'grün', 'tab\there', 'new\nline', '-x', 'a b', 'base64:', '.hidden'];

function pick<T>(random: Random, list: readonly T[]): T {
  return list[Math.floor(random() * list.length)] as T;
}

function content(random: Random): Buffer {
  const length = Math.floor(random() ** 3 * 5000);
  return Buffer.from(Array.from({ length }, () => Math.floor(random() * (random() < 0.1 ? 256 : 96))));
}

/** Every path below `root`, folders before what is in them, without git's own. Links are named, not followed. */
async function pathsBelow(root: string, folder = ''): Promise<{ path: string; isLink: boolean }[]> {
  const found: { path: string; isLink: boolean }[] = [];
  for (const entry of await readdir(join(root, folder), { withFileTypes: true })) {
    if (folder === '' && entry.name === '.git') continue;
    const path = join(folder, entry.name);
    found.push({ path, isLink: entry.isSymbolicLink() });
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
  const solid = ['', ...below.flatMap(({ path, isLink }) => (isLink ? [] : path))].map((path) =>
    join(root, path),
  );
  const place = pick(random, solid);
  const fresh = join(place, pick(random, NAMES));
  const inPlace: (() => Promise<unknown>)[] = [
    () => write(fresh, content(random), constants.O_EXCL),
    () => write(place, content(random)),
    () => mkdir(fresh),
    () => symlink(pick(random, ['a', '../b', outside, 'nowhere']), fresh),
    () => chmod(place, pick(random, [0o644, 0o755, 0o600, 0o700, 0o750])),
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

/** A file beside the trees that links in them lead to. Nothing that is done to a tree may reach it. */
export class Outside implements AsyncDisposable {
  readonly file: string;
  readonly #folder: TempWorkspace;
  readonly #before: string;

  private constructor(folder: TempWorkspace, before: string) {
    this.#folder = folder;
    this.#before = before;
    this.file = folder.resolve('kept.txt');
  }

  static async create(): Promise<Outside> {
    const folder = await TempWorkspace.create({ 'kept.txt': 'Nobody writes here.\n' });
    return new Outside(folder, await picture(folder.path));
  }

  async isUntouched(): Promise<boolean> {
    return (await picture(this.#folder.path)) === this.#before;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#folder[Symbol.asyncDispose]();
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

/** Isolates a random repository, edits at random, applies and undoes. Returns what was wrong, or null. */
export async function tryEditScript(seed: number): Promise<string | null> {
  const random = seededRandom(seed);
  await using outside = await Outside.create();
  await using repo = await randomRepo(random, outside);
  await using home = await TempWorkspace.create();
  const before = await picture(repo.path);
  const isolation = await Isolation.create({ home: home.path, source: repo.path });
  await editTree(isolation.tree, random, 1 + Math.floor(random() * 25), outside);
  const patch = await isolation.patch({ includeIgnored: true });
  const applied = await applyPatch(patch, { home: home.path });
  if (applied.status !== 'applied')
    return `seed ${seed}: a conflict out of nothing: ${JSON.stringify(applied.conflicts)}`;
  if ((await picture(repo.path)) !== (await picture(isolation.tree)))
    return `seed ${seed}: applied, the tree is not what the agent left`;
  const undone = await undoApply(applied.apply_id, { home: home.path });
  if (undone.status !== 'undone') return `seed ${seed}: undo refused: ${JSON.stringify(undone.conflicts)}`;
  if ((await picture(repo.path)) !== before) return `seed ${seed}: undone, the tree is not what it was`;
  await isolation.dispose();
  return (await outside.isUntouched()) ? null : `seed ${seed}: a file outside the tree was changed`;
}
