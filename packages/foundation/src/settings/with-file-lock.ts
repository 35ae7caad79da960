import { acquireFileLock } from '@amplifier/core';
import { FoundationError } from '../errors.js';

/** Runs `change` while no other process changes the file. The file need not exist. A dead process's lock is taken over. */
export async function withFileLock<Result>(file: string, change: () => Promise<Result>): Promise<Result> {
  await using lock = await acquireFileLock(file, { wait_ms: 14_000, stale_ms: 10_000 });
  if (lock === null)
    throw new FoundationError('Another process keeps changing this file. Try again when it is done.', {
      code: 'FILE_UNREADABLE',
      place: { file },
      retryable: true,
    });
  return await change();
}
