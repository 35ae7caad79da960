import { createHash } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { LOCK_STALE_MS } from '../defaults.js';
import { errnoOf, WorkspaceError } from '../workspace-error.js';

/** Runs `work` while no other process applies or undoes a patch in the same tree. */
export function withTreeLock<T>(home: string, target: string, work: () => Promise<T>): Promise<T> {
  const name = createHash('sha256').update(target).digest('hex').slice(0, 32);
  return withLock(join(home, 'locks', name), target, work);
}

/** Runs `work` while nobody else holds the lock beside `file`. Waits for one who does, or who died holding it. */
export async function withLock<T>(file: string, subject: string, work: () => Promise<T>): Promise<T> {
  const { default: lockfile } = await import('proper-lockfile');
  await mkdir(dirname(file), { recursive: true, mode: 0o700 });
  const retries = { retries: 100, factor: 1, minTimeout: 100, maxTimeout: 100 };
  // A machine that was asleep finds its lock too old. Work goes on: it looks at what it replaces before each step, and
  // would notice another's. The default would end the process.
  const onCompromised = () => {};
  const release = await lockfile
    .lock(file, { realpath: false, stale: LOCK_STALE_MS, retries, onCompromised })
    .catch((error) => {
      if (errnoOf(error) !== 'ELOCKED') throw error;
      throw new WorkspaceError(`Another process is changing ${subject}. Try again when it has finished.`, {
        code: 'WORKSPACE_BUSY',
        retryable: true,
      });
    });
  try {
    return await work();
  } finally {
    await release().catch((error) => {
      // Taken over from us, as told above: then it is not ours to release.
      if (errnoOf(error) !== 'ERELEASED' && errnoOf(error) !== 'ENOTACQUIRED') throw error;
    });
  }
}
