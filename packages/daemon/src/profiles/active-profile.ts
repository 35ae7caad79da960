import { readFile, rm } from 'node:fs/promises';
import { writeFileAtomic } from '../atomic-file.js';
import { DaemonError } from '../daemon-error.js';
import { parseProfileId, profileId } from './profile-names.js';
import { notFound, type ProfileStore } from './profile-store.js';

/** The profile that is taken when a request names none. */
export class ActiveProfile {
  readonly #path: string;
  readonly #profiles: ProfileStore;
  readonly #isUsers: boolean;

  constructor(path: string, profiles: ProfileStore, isUsers: boolean) {
    this.#path = path;
    this.#profiles = profiles;
    this.#isUsers = isUsers;
  }

  async get(): Promise<string | null> {
    try {
      return (await readFile(this.#path, 'utf8')).trim() || null;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
      throw error;
    }
  }

  async set(profile_id: string): Promise<string> {
    const id = parseProfileId(profile_id);
    if (!(await this.#profiles.has(id))) throw notFound(id);
    await writeFileAtomic(this.#path, `${profileId(id)}\n`);
    return profileId(id);
  }

  async clear(): Promise<void> {
    await rm(this.#path, { force: true });
  }

  /** The profile a request means; null where the user's own bundle serves those that name none. */
  async choose(given: string | undefined): Promise<string | null> {
    const chosen = given ?? (await this.get());
    if (chosen || this.#isUsers) return chosen;
    throw new DaemonError('VALIDATION_FAILED', 'The request names no profile_id, and no profile is active.', {
      errors: [{ path: 'profile_id', message: 'is missing' }],
    });
  }
}
