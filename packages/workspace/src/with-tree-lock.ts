import { createHash } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { LOCK_STALE_MS } from './defaults.js';
import { errnoOf, WorkspaceError } from './workspace-error.js';

/** Runs `work` while no other process applies or undoes a patch in the same tree. Waits for one that does, or that died doing so. */
export async function withTreeLock<T>(home: string, target: string, work: () => Promise<T>): Promise<T> {
  const { default: lockfile } = await import('proper-lockfile');
  const folder = join(home, 'locks');
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const file = join(folder, createHash('sha256').update(target).digest('hex').slice(0, 32));
  const retries = { retries: 100, factor: 1, minTimeout: 100, maxTimeout: 100 };
  const release = await lockfile
    .lock(file, { realpath: false, stale: LOCK_STALE_MS, retries })
    .catch((error) => {
      if (errnoOf(error) !== 'ELOCKED') throw error;
      throw new WorkspaceError(`Another process is changing ${target}. Try again when it has finished.`, {
        code: 'WORKSPACE_BUSY',
        retryable: true,
      });
    });
  try {
    return await work();
  } finally {
    await release();
  }
}
