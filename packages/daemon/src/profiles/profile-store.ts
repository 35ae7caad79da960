import { existsSync, readlinkSync } from 'node:fs';
import { mkdir, readdir, readFile, readlink, rename, rm, symlink } from 'node:fs/promises';
import { basename, join, relative } from 'node:path';
import { besideName } from '../atomic-file.js';
import { DaemonError } from '../daemon-error.js';
import { FOLDER_MODE } from '../defaults.js';
import { digestCopy } from './copy-source.js';
import { isText, LOCK_FILE, LOCK_VERSION, type LockedModule, type ProfileLock } from './lock.js';
import { isName, type ProfileId, profileId } from './profile-names.js';

/** A compiled profile in memory: the lock, and the text of everything a model is to read. */
export interface LoadedProfile {
  lock: ProfileLock;
  folder: string;
  /** By the path in the lock. */
  texts: ReadonlyMap<string, string>;
  /** What sessions load while they run, and what must be there for a plan to name it. */
  files: readonly string[];
}

/**
 * Compiled profiles on disk: `compiled/<collection>/<profile>/<lock hash>/`, never changed, and a link
 * `profiles/<collection>/<profile>` to the one that counts, replaced in one step. A plan that was made from an older
 * version keeps its files until nothing that runs needs them.
 */
export class ProfileStore {
  readonly #share: string;
  readonly #loaded = new Map<string, LoadedProfile>();

  constructor(share: string) {
    this.#share = share;
  }

  get compiledDir(): string {
    return join(this.#share, 'compiled');
  }

  /** Makes a compiled version the one that counts. */
  async publish(id: ProfileId, folder: string): Promise<void> {
    const link = this.#link(id);
    await mkdir(join(this.#share, 'profiles', id.collection), { recursive: true, mode: FOLDER_MODE });
    const draft = besideName(link);
    await symlink(relative(join(link, '..'), folder), draft);
    await rename(draft, link);
  }

  async withdraw(id: ProfileId): Promise<void> {
    await rm(this.#link(id), { force: true });
  }

  async has(id: ProfileId): Promise<boolean> {
    return (await this.current(id)) !== null;
  }

  /** The hash of the version that counts. */
  async current(id: ProfileId): Promise<string | null> {
    try {
      return basename(await readlink(this.#link(id)));
    } catch (error) {
      if (isAbsent(error)) return null;
      throw error;
    }
  }

  /** Reading the link is all it takes to know that what is in memory is still right: versions never change. */
  async load(id: ProfileId): Promise<LoadedProfile> {
    const hash = this.#currentSync(id);
    if (hash === null) throw notFound(id);
    const key = `${profileId(id)}/${hash}`;
    const known = this.#loaded.get(key);
    if (known?.files.every((file) => existsSync(file))) return known;
    this.#loaded.delete(key);
    const loaded = await this.#read(id, join(this.compiledDir, id.collection, id.profile, hash));
    for (const other of this.#loaded.keys())
      if (other.startsWith(`${profileId(id)}/`)) this.#loaded.delete(other);
    this.#loaded.set(key, loaded);
    return loaded;
  }

  async list(collection?: string): Promise<ProfileId[]> {
    const found: ProfileId[] = [];
    for (const each of collection ? [collection] : await names(join(this.#share, 'profiles'))) {
      for (const profile of await names(join(this.#share, 'profiles', each))) {
        found.push({ collection: each, profile });
      }
    }
    return found;
  }

  /** Versions that do not count any more, of profiles that exist or not. */
  async superseded(): Promise<(ProfileId & { hash: string })[]> {
    const old: (ProfileId & { hash: string })[] = [];
    for (const collection of await names(this.compiledDir)) {
      for (const profile of await names(join(this.compiledDir, collection))) {
        const current = await this.current({ collection, profile });
        for (const hash of await names(join(this.compiledDir, collection, profile))) {
          if (hash !== current) old.push({ collection, profile, hash });
        }
      }
    }
    return old;
  }

  async removeVersion({ collection, profile, hash }: ProfileId & { hash: string }): Promise<void> {
    const folder = join(this.compiledDir, collection, profile, hash);
    const doomed = besideName(folder);
    await rename(folder, doomed);
    await rm(doomed, { recursive: true, force: true });
  }

  /** Removes what a killed process left unfinished anywhere in the share. Call it while nothing is written there. */
  async sweep(): Promise<void> {
    await sweepFolder(this.#share, VERSION_DEPTH);
  }

  async #read(id: ProfileId, folder: string): Promise<LoadedProfile> {
    try {
      const lock = JSON.parse(await readFile(join(folder, LOCK_FILE), 'utf8')) as ProfileLock;
      if (lock.format_version !== LOCK_VERSION) {
        throw new DaemonError(
          'UNSUPPORTED_SCHEMA',
          `The lock of ${profileId(id)} has version ${lock.format_version}, and ${LOCK_VERSION} is read here. Sync its collection again.`,
        );
      }
      const texts = new Map<string, string>();
      const files: string[] = [];
      for (const resource of lock.resources) {
        const path = join(folder, resource.path);
        if (isText(resource)) texts.set(resource.path, await readFile(path, 'utf8'));
        else files.push(...(await checkedFiles(path, resource, id)));
      }
      return { lock, folder, texts, files };
    } catch (cause) {
      if (!isAbsent(cause)) throw cause;
      throw lost(id, 'a file', cause);
    }
  }

  #currentSync(id: ProfileId): string | null {
    try {
      return basename(readlinkSync(this.#link(id)));
    } catch (error) {
      if (isAbsent(error)) return null;
      throw error;
    }
  }

  #link({ collection, profile }: ProfileId): string {
    return join(this.#share, 'profiles', collection, profile);
  }
}

/** The files of a module, when they are what was compiled. One that ships with the runtime has none that anybody loads. */
async function checkedFiles(
  path: string,
  { ref, digest, module }: LockedModule,
  id: ProfileId,
): Promise<string[]> {
  if (ref === null) return [];
  const copy = await digestCopy(path);
  if (copy.digest !== digest) throw lost(id, `a file of ${module}`);
  return copy.files;
}

function lost(id: ProfileId, what: string, cause?: unknown): DaemonError {
  return new DaemonError('RESOURCE_LOST', `${profileId(id)} has lost ${what}. Sync its collection again.`, {
    cause,
  });
}

/** `compiled/<collection>/<profile>/` is the deepest place where anything is made aside. */
const VERSION_DEPTH = 3;

async function sweepFolder(folder: string, depth: number): Promise<void> {
  const entries = await readdir(folder, { withFileTypes: true }).catch((error) => {
    if (isAbsent(error)) return [];
    throw error;
  });
  for (const entry of entries) {
    const path = join(folder, entry.name);
    if (entry.name.startsWith('.new-')) await rm(path, { recursive: true, force: true });
    else if (entry.isDirectory() && depth > 0) await sweepFolder(path, depth - 1);
  }
}

export function notFound(id: ProfileId): DaemonError {
  return new DaemonError(
    'PROFILE_NOT_FOUND',
    `There is no profile ${profileId(id)}. GET /api/v1/profiles lists the profiles; or sync its collection.`,
  );
}

async function names(folder: string): Promise<string[]> {
  try {
    return (await readdir(folder)).filter(isName).sort();
  } catch (error) {
    if (isAbsent(error)) return [];
    throw error;
  }
}

function isAbsent(error: unknown): boolean {
  const { code } = error as NodeJS.ErrnoException;
  return code === 'ENOENT' || code === 'ENOTDIR' || code === 'EINVAL';
}
