import { randomUUID } from 'node:crypto';
import { mkdir, readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { type Clock, systemClock } from '@amplifier/core';
import { COMPARISON_MAX_AGE_MS, COPY_MAX_BYTES, DIFF_MAX_FILE_BYTES } from '../defaults.js';
import type { PathScope } from '../grant/path-scope.js';
import { decodeName, encodeName } from '../isolation/byte-path.js';
import { listSource } from '../isolation/list-source.js';
import { OwnGit } from '../isolation/own-git.js';
import { errnoOf } from '../workspace-error.js';
import { type FolderChange, type FolderListing, FolderSnapshots } from './folder-snapshots.js';
import { linksOutside, type Patch } from './make-patch.js';
import { contentIn, renderDiff } from './render-diff.js';
import { loadSnapshot, type Snapshot, saveSnapshot } from './snapshot.js';

export interface CompareOptions {
  /** The workspace home, as for an isolation: another process may finish the comparison. */
  home: string;
  folder: string;
  /** What it denies is left out. Default: everything is compared. */
  readable?: PathScope | undefined;
  clock?: Clock | undefined;
}

const ID = /^[0-9a-f-]{36}$/;

/** What is changed in the user's own folder. Ends with `dispose`; what a dead process left is removed by a later one. */
export class Comparison {
  readonly id: string;
  readonly #store: string;
  readonly #options: CompareOptions;

  private constructor(id: string, options: CompareOptions) {
    this.id = id;
    this.#options = options;
    this.#store = join(options.home, 'comparisons', id);
  }

  /** Keeps the folder as it is now. Throws `FOLDER_TOO_LARGE` if too much of it is in no repository. */
  static async begin(options: CompareOptions): Promise<Comparison> {
    await removeOld(join(options.home, 'comparisons'), options.clock ?? systemClock);
    const comparison = new Comparison(randomUUID(), options);
    try {
      await saveSnapshot(comparison.#snapshot, await comparison.#snapshots().keep());
    } catch (error) {
      await comparison.dispose();
      throw error;
    }
    return comparison;
  }

  /** One that was begun earlier; null if it is gone. */
  static async open(id: string, options: CompareOptions): Promise<Comparison | null> {
    if (!ID.test(id)) return null;
    const comparison = new Comparison(id, options);
    const found = await stat(comparison.#snapshot).catch(missing);
    return found && comparison;
  }

  /** What has changed since, in the form of a patch that is already applied. */
  async changes(): Promise<Pick<Patch, 'target' | 'changes' | 'skipped' | 'leads_outside' | 'diff'>> {
    const before = await loadSnapshot(this.#snapshot);
    const snapshots = this.#snapshots(before);
    const after = await snapshots.take();
    const found: FolderChange[] = [];
    for await (const change of snapshots.changes(before, after)) found.push(change);
    const changes = found.map(({ path, before, after }) => ({ path, before, after }));
    const contents = new Map(found.map(({ path, content }) => [path, content]));
    const diff = await renderDiff(this.#store, changes, async (side, { path, after }) =>
      side === 'before' ? (contents.get(path) ?? null) : contentIn(snapshots.root, decodeName(path), after),
    );
    return {
      target: snapshots.root,
      changes,
      skipped: after.skipped.map(({ path, reason }) => ({ path: encodeName(path), reason })),
      leads_outside: linksOutside(snapshots.root, changes),
      diff: diff.toString(),
    };
  }

  async dispose(): Promise<void> {
    await rm(this.#store, { recursive: true, force: true });
  }

  get #snapshot(): string {
    return join(this.#store, 'snapshot.json');
  }

  #snapshots(last?: Snapshot): FolderSnapshots {
    return new FolderSnapshots(this.#store, () => listComparable(this.#store, this.#options), last);
  }
}

async function listComparable(
  store: string,
  { folder, home, readable }: CompareOptions,
): Promise<FolderListing> {
  const { root, files, folders, git } = await listSource(folder, { home, readable });
  const paths = [...folders, ...files];
  const limits = { files: Number.POSITIVE_INFINITY, bytes: COPY_MAX_BYTES, file_bytes: DIFF_MAX_FILE_BYTES };
  if (!git) return { root, paths, git, limits };
  const { blobs, index, common } = git;
  const [blob] = blobs.values();
  const own = new OwnGit({ store, root, index, objects: join(common, 'objects'), blob });
  const bytes = Number.POSITIVE_INFINITY;
  return { root, paths, git: { blobs, own, prefix: '' }, limits: { ...limits, bytes } };
}

async function removeOld(folder: string, clock: Clock): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  for (const name of await readdir(folder)) {
    const found = await stat(join(folder, name)).catch(missing);
    if (found && found.mtimeMs < clock.now() - COMPARISON_MAX_AGE_MS)
      await rm(join(folder, name), { recursive: true, force: true });
  }
}

function missing(error: unknown): null {
  if (errnoOf(error) === 'ENOENT') return null;
  throw error;
}
