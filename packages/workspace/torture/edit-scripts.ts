import { chmod, lstat, mkdir, readdir, rename, rm, symlink, writeFile } from 'node:fs/promises';
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

/** Every path below `root`, folders before what is in them, without git's own. */
async function pathsBelow(root: string, folder = ''): Promise<string[]> {
  const found: string[] = [];
  for (const entry of await readdir(join(root, folder), { withFileTypes: true })) {
    if (folder === '' && entry.name === '.git') continue;
    const path = join(folder, entry.name);
    found.push(path);
    if (entry.isDirectory()) found.push(...(await pathsBelow(root, path)));
  }
  return found;
}

/** Changes the tree in one random way. A way that is not possible here is no change. */
async function editOnce(root: string, random: Random): Promise<void> {
  const paths = ['', ...(await pathsBelow(root))];
  const place = join(root, pick(random, paths));
  const fresh = join(place, pick(random, NAMES));
  const edits: (() => Promise<unknown>)[] = [
    () => writeFile(fresh, content(random), { flag: 'wx' }),
    () => writeFile(place, content(random)),
    () => mkdir(fresh),
    () => symlink(pick(random, ['a', '../b', '/etc/passwd', 'nowhere']), fresh),
    () => (place === root ? Promise.resolve() : rm(place, { recursive: true })),
    () => chmod(place, pick(random, [0o644, 0o755, 0o600, 0o700, 0o750])),
    () => rename(place, join(root, pick(random, paths), pick(random, NAMES))),
    async () => {
      if (place === root) return;
      await rm(place, { recursive: true });
      await writeFile(place, content(random));
    },
    async () => {
      if (place === root) return;
      await rm(place, { recursive: true });
      await mkdir(place);
      await writeFile(fresh, content(random));
    },
  ];
  await pick(random, edits)().catch((error) => {
    if (!IMPOSSIBLE.has(error.code)) throw error;
  });
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

export async function editTree(root: string, random: Random, edits: number): Promise<void> {
  for (let done = 0; done < edits; done++) await editOnce(root, random);
}

/** A random repository, partly committed. */
export async function randomRepo(random: Random): Promise<TempGitRepo> {
  const repo = await TempGitRepo.create({ 'a/b': 'b', 'c.txt': 'c' });
  await editTree(repo.path, random, 20);
  await repo.commit('random');
  await editTree(repo.path, random, 10);
  return repo;
}

/** Two trees are the same when their pictures are: names, types, modes, contents, link targets. */
export async function picture(root: string): Promise<string> {
  const { readFile, readlink } = await import('node:fs/promises');
  const lines: string[] = [];
  for (const path of (await pathsBelow(root)).sort()) {
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
  await using repo = await randomRepo(random);
  await using home = await TempWorkspace.create();
  const before = await picture(repo.path);
  const isolation = await Isolation.create({ home: home.path, source: repo.path });
  await editTree(isolation.tree, random, 1 + Math.floor(random() * 25));
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
  return null;
}
