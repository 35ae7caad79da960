import { readFile } from 'node:fs/promises';
import { errorInfo } from '@amplifier/core';
import { z } from 'zod';
import { OpenFolder } from '../isolation/at-place.js';
import {
  type BytePath,
  decodeName,
  encodeName,
  foldersAbove,
  onDisk,
  quickOnDisk,
} from '../isolation/byte-path.js';
import { type SkippedPath, timeSlices, walkTree } from '../isolation/walk-tree.js';
import { isPlaceholder } from '../sandbox/hold-missing.js';
import type { Change } from './change.js';
import {
  type EntryStat,
  type ReadEntry,
  readEntry,
  sameEntry,
  stampOf,
  statEntry,
  TreeEntry,
} from './tree-entry.js';

/** What is at each path of a folder at one moment. The folder itself is not an entry. */
export interface Snapshot {
  entries: Map<BytePath, ReadEntry>;
  /** What is at these paths, and below them, is not known. */
  skipped: SkippedPath[];
  /** True if the limits left something out. */
  is_cut?: boolean;
}

export interface SnapshotOptions {
  /** An earlier snapshot of the same folder: what has not been written since is not read again. */
  known?: Snapshot | undefined;
  /** The only paths that may have changed since `known`. Default: any. */
  changed?: ReadonlySet<BytePath> | undefined;
  /** Leaves out a path with everything below: a reason, or an empty string for one that is no part of the tree. */
  leaveOut?: ((path: BytePath) => string | null) | undefined;
  /** Only these paths. Default: everything below the folder. */
  paths?: Iterable<BytePath> | undefined;
  /** The most entries and bytes that are read because they are new or changed. Others are skipped, and new folders not entered. */
  limits?: { entries: number; bytes: number } | undefined;
}

/** Never follows a symlink, and reads nothing behind one. */
export async function takeSnapshot(
  root: string,
  { known, changed, leaveOut = () => null, paths, limits }: SnapshotOptions = {},
): Promise<Snapshot> {
  const entries = new Map<BytePath, ReadEntry>();
  const skipped: SkippedPath[] = [];
  const left = { ...(limits ?? NO_LIMITS) };
  let is_cut = false;
  if (paths === undefined) {
    const unreadable = await walkTree(root, (path) => settle(path) ?? read(path, onDisk(root, path)));
    return { entries, skipped: skipped.concat(unreadable), is_cut };
  }
  using folder = new OpenFolder(root);
  const slice = timeSlices();
  for (const path of paths) {
    const before = changed?.has(path) === false ? known?.entries.get(path) : undefined;
    if (before) {
      entries.set(path, before);
      continue;
    }
    const pause = slice();
    if (pause) await pause;
    const place = folder.has(path) && settle(path) === undefined ? folder.find(path) : null;
    if (place) await read(path, place);
  }
  return { entries, skipped };

  /** Answers without reading any content, if that is possible: is it a folder to enter? */
  function settle(path: BytePath): boolean | undefined {
    const reason = leaveOut(path);
    if (reason !== null) {
      if (reason !== '') skipped.push({ path, reason });
      return false;
    }
    const before = known?.entries.get(path);
    if (!before || before.entry.type === 'folder') return undefined;
    try {
      if (before.stamp !== stampOf(quickOnDisk(root, path))) return undefined;
    } catch {
      return undefined; // Reading it fails as well, and gives the reason.
    }
    entries.set(path, before);
    return false;
  }

  function exceeds(path: BytePath, found: EntryStat | null): boolean {
    if (found === null || (found.type === 'folder' && known?.entries.get(path)?.entry.type === 'folder'))
      return false;
    const size = found.type === 'file' ? found.size : 0;
    if (left.entries < 1 || size > left.bytes) return true;
    left.entries -= 1;
    left.bytes -= size;
    return false;
  }

  /** True for a folder that belongs to the snapshot. */
  async function read(path: BytePath, place: Buffer): Promise<boolean> {
    try {
      if (limits && exceeds(path, statEntry(place))) {
        is_cut = true;
        skipped.push({ path, reason: BEYOND_LIMITS });
        return false;
      }
      const found = await readEntry(place);
      if (found?.entry.type === 'folder' && isPlaceholder(onDisk(root, path).toString())) return false;
      if (found) entries.set(path, found);
      else if (paths === undefined)
        skipped.push({ path, reason: 'it is neither a file nor a folder nor a symlink' });
      return found?.entry.type === 'folder';
    } catch (error) {
      skipped.push({ path, reason: errorInfo(error).message });
      return false;
    }
  }
}

const NO_LIMITS = { entries: Number.POSITIVE_INFINITY, bytes: Number.POSITIVE_INFINITY };
const BEYOND_LIMITS = 'there are more or larger changes than a patch holds';

/** Sorted by path. A path that either snapshot skipped counts as unchanged. */
export function compareSnapshots(before: Snapshot, after: Snapshot): Change[] {
  const unknown = new Set([...before.skipped, ...after.skipped].map(({ path }) => path));
  const isUnknown = (path: BytePath) =>
    unknown.size > 0 && [...foldersAbove(path), path].some((each) => unknown.has(each));
  const changes: Change[] = [];
  for (const path of new Set([...before.entries.keys(), ...after.entries.keys()])) {
    const [old, now] = [before.entries.get(path)?.entry ?? null, after.entries.get(path)?.entry ?? null];
    if (!sameEntry(old, now) && !isUnknown(path))
      changes.push({ path: encodeName(path), before: old, after: now });
  }
  return changes.sort((a, b) => (a.path < b.path ? -1 : 1));
}

const Stored = z.array(z.tuple([z.string(), TreeEntry, z.string()]));

/** Stores the entries of a snapshot. */
export async function saveSnapshot(file: string, { entries }: Snapshot): Promise<void> {
  const { default: writeFileAtomic } = await import('write-file-atomic');
  const lines = [...entries].map(([path, { entry, stamp }]) => [encodeName(path), entry, stamp]);
  await writeFileAtomic(file, JSON.stringify(lines), { mode: 0o600 });
}

export async function loadSnapshot(file: string): Promise<Snapshot> {
  const stored = Stored.parse(JSON.parse(await readFile(file, 'utf8')));
  const entries = new Map(
    stored.map(([name, entry, stamp]): [BytePath, ReadEntry] => [decodeName(name), { entry, stamp }]),
  );
  return { entries, skipped: [] };
}
