import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { acquireFileLock } from '@amplifier/core';
import { LOCK_STALE_MS, LOCK_WAIT_MS } from '../defaults.js';
import { WorkspaceError } from '../workspace-error.js';

/** Runs `work` while no other process applies or undoes a patch in the same tree. */
export function withTreeLock<T>(home: string, target: string, work: () => Promise<T>): Promise<T> {
  const name = createHash('sha256').update(target).digest('hex').slice(0, 32);
  return withLock(join(home, 'locks', name), target, work);
}

/** Runs `work` while this process holds the lock beside `file`. Waits for another holder; throws `WORKSPACE_BUSY` after a while. */
export async function withLock<T>(file: string, subject: string, work: () => Promise<T>): Promise<T> {
  await using lock = await acquireFileLock(file, { wait_ms: LOCK_WAIT_MS, stale_ms: LOCK_STALE_MS });
  if (lock === null)
    throw new WorkspaceError(`Another process is changing ${subject}. Try again when it has finished.`, {
      code: 'WORKSPACE_BUSY',
      retryable: true,
    });
  return await work();
}
