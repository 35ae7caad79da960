import { copyFile, mkdir, realpath } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { OpenFolder } from '../isolation/at-place.js';
import { type BytePath, quickOnDisk } from '../isolation/byte-path.js';
import { gitPlaces, listByGit } from '../isolation/list-source.js';
import { OwnGit } from '../isolation/own-git.js';
import { errnoOf } from '../workspace-error.js';
import { type FolderListing, refuseTooLarge } from './folder-snapshots.js';
import { type EntryStat, statEntry } from './tree-entry.js';

/** A command waits until all of it is kept. */
const LIMITS = { files: 5_000, bytes: 100_000_000, file_bytes: Number.POSITIVE_INFINITY };

/**
 * Returns a function that lists the files of a folder, without those that git ignores, and which of them have changed since its last
 * call. In a folder that is in no repository, `.gitignore` files count as well. An index of our own in `store` holds what git saw
 * last: git looks at 20,000 files in half the time that node needs.
 */
export function listWork(folder: string, store: string): () => Promise<FolderListing> {
  let opened: ReturnType<typeof open> | undefined;
  let isFirst = true;
  return async () => {
    opened ??= open(folder, store);
    const { root, prefix, own, index, files, blobs } = await opened;
    const gitDir = blobs ? undefined : await own.gitDir();
    const [differing, { untracked }] = await Promise.all([
      own.changed(prefix),
      listByGit({ cwd: root, prefix, gitDir, index, untracked: true }),
    ]);
    const changed = new Set([...differing, ...untracked]);
    const found = [...existing(root, changed)];
    if (isFirst) refuseTooLarge(root, found, LIMITS);
    // Before any of them is read: one that changes from here on is listed again.
    await own.add(found.map(([path]) => path));
    isFirst = false;
    for (const path of untracked) files.add(path);
    return { root, paths: files, git: blobs && { blobs, own, prefix }, changed, limits: LIMITS };
  };
}

async function open(folder: string, store: string) {
  await mkdir(store, { recursive: true, mode: 0o700 });
  const index = join(store, 'index');
  const places = await gitPlaces(folder);
  if (!places) {
    const own = new OwnGit({ store, root: folder, index });
    return { root: folder, prefix: '', own, index, files: new Set<BytePath>(), blobs: null };
  }
  const { root, common } = places;
  const prefix = relative(root, await realpath(folder));
  await copyFile(places.index, index).catch((error: unknown) => {
    if (errnoOf(error) !== 'ENOENT') throw error;
  });
  const { tracked, blobs } = await listByGit({ cwd: root, prefix, index });
  const [blob] = blobs.values();
  const own = new OwnGit({ store, root, index, objects: join(common, 'objects'), blob });
  return { root, prefix, own, index, files: new Set(tracked), blobs };
}

function* existing(root: string, paths: Iterable<BytePath>): Generator<[BytePath, EntryStat]> {
  using folder = new OpenFolder(root);
  for (const path of paths) {
    const found = folder.has(path) ? statEntry(quickOnDisk(root, path)) : null;
    if (found?.type === 'file' || found?.type === 'symlink') yield [path, found];
  }
}
