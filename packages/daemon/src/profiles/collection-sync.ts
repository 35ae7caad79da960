import { mkdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { type Clock, errorInfo } from '@amplifier/core';
import { z } from 'zod';
import { DaemonError } from '../daemon-error.js';
import { FOLDER_MODE } from '../defaults.js';
import type { CollectionRegistry, RegisteredCollection } from './collection-registry.js';
import { compileProfile } from './compile-profile.js';
import { discoverProfiles } from './discover-profiles.js';
import { checkName, isName, type ProfileId, profileId } from './profile-names.js';
import type { ProfileStore } from './profile-store.js';
import type { RefResolver } from './ref-resolver.js';

const SyncProblem = z.object({
  collection: z.string(),
  profile: z.string().nullable(),
  code: z.string(),
  message: z.string(),
});

export const SyncReport = z.object({
  /** `updated`: something was compiled anew. `skipped`: nothing was asked, because it is here and `update` was not wanted. */
  collections: z.record(z.string(), z.enum(['synced', 'updated', 'skipped', 'error'])),
  profiles: z.record(z.string(), z.enum(['compiled', 'unchanged', 'pruned', 'error'])),
  problems: z.array(SyncProblem),
  warnings: z.array(z.object({ profile: z.string(), message: z.string() })),
});
export type SyncReport = z.infer<typeof SyncReport>;

export interface SyncProgress {
  collection: string;
  profile: string | null;
  phase: string;
  percent: number | null;
}

export interface SyncOptions {
  collection_id?: string | undefined;
  update?: boolean | undefined;
  /** Only those that are on this machine, or only those that are not. */
  place?: 'local' | 'remote' | undefined;
  onProgress?: ((progress: SyncProgress) => void) | undefined;
}

interface Parts {
  registry: CollectionRegistry;
  refs: RefResolver;
  store: ProfileStore;
  clock: Clock;
  /** Where collections and profiles live. */
  share: string;
  /** The collections that ship with the daemon. */
  bundledDir: string;
}

export const LOCAL_COLLECTION = 'local';
const BUNDLED = 'bundled:';
const REMOTE = /^(git\+|https?:|zip\+|npm:)/;

/** Brings collections here and compiles their profiles. One at a time: two at once would only do the same work twice. */
export class CollectionSync {
  readonly #parts: Parts;
  #running: Promise<unknown> = Promise.resolve();

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  sync(options: SyncOptions = {}): Promise<SyncReport> {
    const run = this.#running.then(() => this.#sync(options));
    this.#running = run.catch(() => undefined);
    return run;
  }

  /** Compiles one profile anew from what its collection holds. */
  compile(id: ProfileId): Promise<SyncReport> {
    const run = this.#running.then(async () => {
      const collection = await this.collection(id.collection);
      const report = emptyReport();
      await this.#syncOne(collection, report, {}, id.profile);
      if (!(profileId(id) in report.profiles)) {
        throw new DaemonError(
          'PROFILE_NOT_FOUND',
          `The collection ${id.collection} has no profile ${id.profile}.`,
        );
      }
      return report;
    });
    this.#running = run.catch(() => undefined);
    return run;
  }

  /** The folder of a collection, fetched when it is not here. */
  async root(
    collection: RegisteredCollection,
    options: SyncOptions = {},
  ): Promise<{ path: string; commit: string | null }> {
    const { share, refs } = this.#parts;
    const { id, source } = collection;
    if (id === LOCAL_COLLECTION) {
      const path = join(share, 'local');
      await mkdir(path, { recursive: true, mode: FOLDER_MODE });
      return { path, commit: null };
    }
    if (source.startsWith(BUNDLED)) return { path: await this.#bundled(source), commit: null };
    const { onProgress, update } = options;
    const found = await refs.resolve(source, {
      base: share,
      update: update ?? false,
      onProgress: ({ phase, percent }) =>
        onProgress?.({ collection: id, profile: null, phase, percent: percent ?? null }),
    });
    if (!(await stat(found.path)).isDirectory()) {
      throw new DaemonError('INVALID_SOURCE', `The source of ${id} is a file; a collection is a folder.`);
    }
    return { path: found.path, commit: found.revision };
  }

  async #bundled(source: string): Promise<string> {
    const name = source.slice(BUNDLED.length);
    const path = join(this.#parts.bundledDir, name);
    if (isName(name) && (await stat(path).catch(() => null))?.isDirectory()) return path;
    throw new DaemonError('INVALID_SOURCE', `No collection ${JSON.stringify(name)} ships with the daemon.`);
  }

  async collections(): Promise<RegisteredCollection[]> {
    const registered = await this.#parts.registry.list();
    const local = { id: LOCAL_COLLECTION, source: LOCAL_COLLECTION, installed_at: null };
    return [...registered.filter(({ id }) => id !== LOCAL_COLLECTION), local];
  }

  /** One of them; throws where there is none of this name. */
  async collection(id: string): Promise<RegisteredCollection> {
    checkName('collection', id);
    return (await this.collections()).find((each) => each.id === id) ?? this.#parts.registry.get(id);
  }

  async #sync(options: SyncOptions): Promise<SyncReport> {
    const report = emptyReport();
    const { collection_id, place } = options;
    const all = collection_id ? [await this.collection(collection_id)] : await this.collections();
    const isWanted = ({ source }: RegisteredCollection) =>
      place === undefined || REMOTE.test(source) === (place === 'remote');
    for (const collection of all.filter(isWanted)) {
      try {
        await this.#syncOne(collection, report, options);
      } catch (error) {
        report.collections[collection.id] = 'error';
        report.problems.push(problem(collection.id, null, error));
      }
    }
    return report;
  }

  async #syncOne(
    collection: RegisteredCollection,
    report: SyncReport,
    options: SyncOptions,
    only?: string,
  ): Promise<void> {
    const { store, refs, clock } = this.#parts;
    const { id, source } = collection;
    options.onProgress?.({ collection: id, profile: null, phase: 'Syncing', percent: null });
    const known = await store.list(id);
    const root = await this.root(collection, options);
    const { profiles, problems } = await discoverProfiles(root.path);
    for (const { file, code, message } of problems)
      report.problems.push({ collection: id, profile: file, code, message });
    let changed = false;
    for (const { manifest, text } of profiles) {
      if (only !== undefined && manifest.name !== only) continue;
      const profile = { collection: id, profile: manifest.name };
      const name = profileId(profile);
      options.onProgress?.({ collection: id, profile: name, phase: 'Compiling', percent: null });
      try {
        const compiled = await compileProfile(
          {
            collection: { id, source, commit: root.commit },
            root: root.path,
            manifest,
            text,
            update: options.update ?? false,
          },
          { refs, compiledDir: store.compiledDir, clock },
        );
        const isCurrent = (await store.current(profile)) === compiled.lock.lock_hash;
        if (!isCurrent) await store.publish(profile, compiled.folder);
        const isAsBefore = isCurrent && !compiled.isRepaired;
        changed ||= !isAsBefore;
        report.profiles[name] = isAsBefore ? 'unchanged' : 'compiled';
        for (const message of compiled.lock.warnings) report.warnings.push({ profile: name, message });
      } catch (error) {
        report.profiles[name] = 'error';
        report.problems.push(problem(id, name, error));
      }
    }
    if (only === undefined)
      changed =
        (await this.#prune(
          known,
          profiles.map(({ manifest }) => manifest.name),
          report,
        )) || changed;
    const wasAsked = options.update === true || !REMOTE.test(source) || known.length === 0;
    report.collections[id] = changed ? 'updated' : wasAsked ? 'synced' : 'skipped';
  }

  /** A profile that its collection has no more is withdrawn. Broken ones stay as they were before they broke. */
  async #prune(
    known: readonly ProfileId[],
    present: readonly string[],
    report: SyncReport,
  ): Promise<boolean> {
    const broken = new Set(report.problems.map(({ profile }) => profile));
    const gone = known.filter(({ profile }) => !present.includes(profile) && !broken.has(`${profile}.md`));
    for (const id of gone) {
      await this.#parts.store.withdraw(id);
      report.profiles[profileId(id)] = 'pruned';
    }
    return gone.length > 0;
  }
}

function emptyReport(): SyncReport {
  return { collections: {}, profiles: {}, problems: [], warnings: [] };
}

function problem(collection: string, profile: string | null, error: unknown): z.infer<typeof SyncProblem> {
  const { code = 'INTERNAL', message } = errorInfo(error);
  return { collection, profile, code, message };
}
