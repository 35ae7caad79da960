import { createHash } from 'node:crypto';
import { renameSync } from 'node:fs';
import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { errorInfo } from '@amplifier/core';
import { OpenFolder } from '../isolation/at-place.js';
import { type BytePath, decodeName, onDisk, quickOnDisk } from '../isolation/byte-path.js';
import { copyUnlinked } from '../isolation/copy-tree.js';
import type { OwnGit } from '../isolation/own-git.js';
import { timeSlices } from '../isolation/walk-tree.js';
import { errnoOf, WorkspaceError } from '../workspace-error.js';
import type { Change } from './change.js';
import { compareSnapshots, type Snapshot, takeSnapshot } from './snapshot.js';
import {
  type EntryStat,
  hashFile,
  type ReadEntry,
  readEntry,
  sameEntry,
  statEntry,
  type TreeEntry,
} from './tree-entry.js';

/** What belongs to a folder now. */
export interface FolderListing {
  /** What the paths are relative to. */
  root: string;
  paths: Iterable<BytePath>;
  /** The objects of tracked files, and git to compare and read them; null outside of a repository. */
  git: { blobs: ReadonlyMap<BytePath, string>; own: OwnGit; prefix: string } | null;
  /** All paths that may have changed since the listing before, the first time since git's index. Absent if that is not known. */
  changed?: ReadonlySet<BytePath> | undefined;
  /** The most that is read of files that no repository has. Of a file above `file_bytes` only the hash is kept. */
  limits: { files: number; bytes: number; file_bytes: number };
}

export interface FolderChange extends Change {
  /** Absolute. */
  place: string;
  /** The content before. Null if there was no file, or if its content is not available. */
  content: Buffer | null;
}

type Limits = FolderListing['limits'];

/** In place of the SHA-256 of a file that was not read because git has its content: this and the name of the object. */
const IN_GIT = 'git:';

/**
 * Snapshots of a folder that others change, with the contents that were there before. Nothing in the folder changes. A tracked file
 * that git finds unchanged is not read: the repository has its content. The contents of other files are copied.
 */
export class FolderSnapshots {
  readonly #store: string;
  readonly #list: () => Promise<FolderListing>;
  #last: Snapshot | undefined;
  #listing: FolderListing | undefined;
  /** SHA-256 of the contents in the store. */
  readonly #kept = new Set<string>();
  #queue: Promise<unknown> = Promise.resolve();

  /** `store` is made when it is needed; its owner removes it. `last` is the latest snapshot of an earlier process. */
  constructor(store: string, list: () => Promise<FolderListing>, last?: Snapshot) {
    this.#store = store;
    this.#list = list;
    this.#last = last;
  }

  /** What the paths of the latest snapshot are relative to. */
  get root(): string {
    if (!this.#listing) throw new Error('There is no snapshot yet.');
    return this.#listing.root;
  }

  /** The folder as it is now, to be compared with an earlier snapshot. */
  take(): Promise<Snapshot> {
    return this.#afterOthers(async ({ root, paths, changed }) => {
      if (this.#last && changed?.size === 0) return this.#last;
      return takeSnapshot(root, { known: this.#last, paths, changed });
    });
  }

  /** The folder as it is now, with its contents. The first time it throws `FOLDER_TOO_LARGE` beyond the limits. */
  keep(): Promise<Snapshot> {
    return this.#afterOthers((listing) => this.#keep(listing));
  }

  /** `before` must come from `keep`. */
  async *changes(before: Snapshot, after: Snapshot): AsyncGenerator<FolderChange> {
    for (const change of compareSnapshots(before, after)) {
      const path = decodeName(change.path);
      const content = await this.#contentOf(path, change.before);
      const old = withHash(change.before, content);
      const now = isInGit(change.after)
        ? withHash(change.after, await this.#contentOf(path, change.after))
        : change.after;
      if (sameEntry(old, now)) continue;
      yield {
        path: change.path,
        before: old,
        after: now,
        place: onDisk(this.root, path).toString(),
        content,
      };
    }
  }

  /** One after the other: several commands may begin and end at the same time. */
  #afterOthers(work: (listing: FolderListing) => Promise<Snapshot>): Promise<Snapshot> {
    const taken = this.#queue.then(async () => {
      this.#listing = await this.#list();
      this.#last = await work(this.#listing);
      return this.#last;
    });
    this.#queue = taken.catch(() => {});
    return taken;
  }

  async #keep({ root, paths, limits, git, changed: hint }: FolderListing): Promise<Snapshot> {
    await mkdir(this.#store, { recursive: true, mode: 0o700 });
    using folder = new OpenFolder(root);
    const snapshot: Snapshot = { entries: new Map(), skipped: [] };
    const unsettled: [BytePath, EntryStat][] = [];
    const slice = timeSlices();
    for (const path of paths) {
      const known = this.#last?.entries.get(path);
      const isKept = known !== undefined && this.#isKept(known, limits);
      if (isKept && hint && !hint.has(path)) {
        snapshot.entries.set(path, known);
        continue;
      }
      const pause = slice();
      if (pause) await pause;
      const found = folder.has(path) ? statEntry(quickOnDisk(root, path)) : null;
      if (isKept && known.stamp === found?.stamp) snapshot.entries.set(path, known);
      else if (found) unsettled.push([path, found]);
    }
    const isFirst = this.#last === undefined;
    // After the look at each file: one that changes in between has another stamp the next time.
    const changed = isFirst && git ? (hint ?? (await git.own.changed(git.prefix))) : null;
    const unread = unsettled.filter(([path, { type, mode, size, stamp }]) => {
      const blob = type === 'file' && changed && !changed.has(path) ? git?.blobs.get(path) : undefined;
      if (blob === undefined) return true;
      snapshot.entries.set(path, { entry: { type: 'file', mode, size, sha256: IN_GIT + blob }, stamp });
      return false;
    });
    if (isFirst) refuseTooLarge(root, unread, limits);
    for (const [path, found] of unread) {
      const pause = slice();
      if (pause) await pause;
      try {
        const place = folder.find(path);
        const read = place && (await this.#read(place, found, limits));
        if (read) snapshot.entries.set(path, read);
      } catch (error) {
        if (errnoOf(error) === 'ENOENT') continue;
        snapshot.skipped.push({ path, reason: errorInfo(error).message });
      }
    }
    return snapshot;
  }

  #isKept({ entry }: ReadEntry, { file_bytes }: Limits): boolean {
    if (entry.type !== 'file' || isInGit(entry)) return true;
    return entry.size > file_bytes || this.#kept.has(entry.sha256);
  }

  async #read(place: Buffer, found: EntryStat, { file_bytes }: Limits): Promise<ReadEntry | null> {
    const { type, mode, size, stamp } = found;
    if (type !== 'file' || size > file_bytes) return readEntry(place);
    const copy = join(this.#store, 'copy');
    await copyUnlinked(place, copy);
    const hashed = await hashFile(copy);
    renameSync(copy, join(this.#store, hashed.sha256));
    this.#kept.add(hashed.sha256);
    return { entry: { type, mode, ...hashed }, stamp };
  }

  /** Null if it is not available. */
  async #contentOf(path: BytePath, entry: TreeEntry | null): Promise<Buffer | null> {
    if (entry?.type !== 'file') return null;
    if (!isInGit(entry)) return readFile(join(this.#store, entry.sha256)).catch(missing);
    const name = Buffer.from(path, 'latin1').toString();
    const blob = entry.sha256.slice(IN_GIT.length);
    // As a checkout would write it: the file may have other line ends than the object.
    const reading = this.#listing?.git?.own.run(['cat-file', '--filters', `--path=${name}`, blob]);
    const content = await reading?.catch((error: unknown) => {
      if (errnoOf(error) === 'GIT_FAILED') return null;
      throw error;
    });
    return content?.length === entry.size ? content : null;
  }
}

function isInGit(entry: TreeEntry | null): boolean {
  return entry?.type === 'file' && entry.sha256.startsWith(IN_GIT);
}

function withHash(entry: TreeEntry | null, content: Buffer | null): TreeEntry | null {
  if (entry?.type !== 'file' || !isInGit(entry) || content === null) return entry;
  return { ...entry, sha256: createHash('sha256').update(content).digest('hex') };
}

function missing(error: unknown): null {
  if (errnoOf(error) === 'ENOENT') return null;
  throw error;
}

/** Throws `FOLDER_TOO_LARGE` if these files are more than the limits. */
export function refuseTooLarge(root: string, unread: readonly [BytePath, EntryStat][], limits: Limits): void {
  const sizes = unread.flatMap(([, { type, size }]) => (type === 'file' ? [size] : []));
  const bytes = sizes.reduce((sum, size) => sum + size, 0);
  if (sizes.length <= limits.files && bytes <= limits.bytes) return;
  const message = `${root} holds more than is kept: ${sizes.length} files with ${bytes} bytes are in no git repository.`;
  throw new WorkspaceError(message, { code: 'FOLDER_TOO_LARGE', origin: root });
}
