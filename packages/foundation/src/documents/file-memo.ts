import { type BigIntStats, lstatSync, statSync } from 'node:fs';
import { dirname } from 'node:path';

/** Two changes within this time may have the same timestamp: the coarsest file systems count in 2 s. */
const SETTLE_MS = 2_000;

/** From so many missing entries of one folder on, the times of the folder are compared instead of each entry. */
const MISSING_TOGETHER = 3;

/** Where a value was looked for: every path that decides it, whether or not there is a file. */
export type Places = Set<string>;

/** A place that no value is kept with: added where `make` cannot list the paths that decide its value. */
export const UNKNOWN_PLACE = '\0';

/** What is at a path. */
interface Stamp {
  text: string;
  /** When it last changed, as far as that is known. */
  changed: number;
}

type Stamps = ReadonlyMap<string, Stamp>;

const NEVER = Number.NEGATIVE_INFINITY;
const MISSING: Stamp = { text: 'missing', changed: NEVER };
/** What it leads to may appear without a change of its folder. */
const DANGLING: Stamp = { text: 'dangling link', changed: NEVER };
const UNREADABLE: Stamp = { text: 'unreadable', changed: Number.POSITIVE_INFINITY };

interface Made<T> {
  /** Where the last making looked. */
  places: readonly string[];
  kept: { value: T; stamps: Stamps } | null;
}

/** Values kept by one memo; the least recently used goes first. */
const MAX_KEPT = 100;

/**
 * Keeps values that were made of files until one of the files changes: by inode, size and both times, so that neither a replaced file
 * nor one whose modification time was set back goes unnoticed. A value is kept only if everything it was made of was the same before
 * and after, and had been for a while. Guards rely on it: when in doubt the value is made again.
 *
 * Looks without promises: one through the thread pool costs ten times the call itself, and a turn compares about twenty paths
 * ("prompt" of the bench `product`).
 */
export class FileMemo<T> {
  readonly #made = new Map<string, Made<T>>();
  readonly #now: () => number;

  constructor(now: () => number = Date.now) {
    this.#now = now;
  }

  /** `make` must add every path that it looks at to `places`; for the entries of a folder that is the folder. */
  async get(key: string, make: (places: Places) => Promise<T>): Promise<T> {
    const made = this.#of(key);
    const { kept } = made;
    if (kept && isUnchanged(kept.stamps)) return kept.value;
    made.kept = null;
    const settled = this.#now() - SETTLE_MS;
    const before = stampsOf(made.places, settled);
    const places: Places = new Set();
    const value = await make(places);
    made.places = [...places];
    const after = stampsOf(made.places, settled);
    const isSettled = [...after.values()].every(({ changed }) => changed < settled);
    if (isSettled && isSame(before, after)) made.kept = { value, stamps: after };
    return value;
  }

  #of(key: string): Made<T> {
    const made = this.#made.get(key) ?? { places: [], kept: null };
    this.#made.delete(key);
    this.#made.set(key, made);
    for (const oldest of this.#made.keys()) if (this.#made.size > MAX_KEPT) this.#made.delete(oldest);
    return made;
  }
}

/** Identifies the state of a file. */
export function stampOf({ dev, ino, size, mtimeNs, ctimeNs }: BigIntStats): string {
  return `${dev}:${ino}:${size}:${mtimeNs}:${ctimeNs}`;
}

/** Folders that changed after `settled` may be busy: then each missing path is compared by itself. */
function stampsOf(places: readonly string[], settled: number): Stamps {
  const looked = new Map<string, Stamp>();
  const look = (path: string) => {
    const found = looked.get(path) ?? stampAt(path);
    looked.set(path, found);
    return found;
  };
  const stamps = new Map<string, Stamp>();
  const missing = new Map<string, string[]>();
  for (const path of places) {
    const stamp = look(path);
    if (stamp !== MISSING) {
      stamps.set(path, stamp);
      continue;
    }
    let folder = dirname(path);
    while (look(folder) === MISSING && folder !== dirname(folder)) folder = dirname(folder);
    missing.set(folder, [...(missing.get(folder) ?? []), path]);
  }
  for (const [folder, paths] of missing) {
    const stamp = look(folder);
    if (paths.length >= MISSING_TOGETHER && stamp.changed < settled) stamps.set(folder, stamp);
    else for (const path of paths) stamps.set(path, MISSING);
  }
  return stamps;
}

/** Links are followed: what counts is the file that would be read. */
function stampAt(path: string): Stamp {
  try {
    const stats = statSync(path, { bigint: true, throwIfNoEntry: false });
    if (!stats) return stampOfMissing(path);
    const changed = stats.mtimeMs > stats.ctimeMs ? stats.mtimeMs : stats.ctimeMs;
    return { text: stampOf(stats), changed: Number(changed) };
  } catch (error) {
    return isMissing(error) ? stampOfMissing(path) : UNREADABLE;
  }
}

/** For a path where there was no file. */
function stampOfMissing(path: string): Stamp {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) ? DANGLING : MISSING;
  } catch (error) {
    return isMissing(error) ? MISSING : UNREADABLE;
  }
}

function isMissing(error: unknown): boolean {
  return ['ENOENT', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code ?? '');
}

function isUnchanged(stamps: Stamps): boolean {
  for (const [path, { text }] of stamps) {
    // One call instead of two for a path that is still missing.
    const now = text === MISSING.text ? stampOfMissing(path) : stampAt(path);
    if (now.text !== text) return false;
  }
  return true;
}

function isSame(before: Stamps, after: Stamps): boolean {
  if (before.size !== after.size) return false;
  for (const [path, { text }] of after) if (before.get(path)?.text !== text) return false;
  return true;
}
