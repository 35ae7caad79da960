import { mkdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import { FoundationError } from '../errors.js';

/** Runs `change` while no other process changes the file. The file need not exist. A dead process's lock is taken over. */
export async function withFileLock<Result>(file: string, change: () => Promise<Result>): Promise<Result> {
  const { lock } = await import('proper-lockfile');
  await mkdir(dirname(file), { recursive: true, mode: 0o700 });
  const release = await lock(file, {
    realpath: false,
    stale: 10_000,
    retries: { retries: 40, factor: 1.2, minTimeout: 10, maxTimeout: 500 },
  }).catch((cause: unknown) => {
    throw new FoundationError('Another process keeps changing this file. Try again when it is done.', {
      code: 'FILE_UNREADABLE',
      place: { file },
      retryable: true,
      cause,
    });
  });
  try {
    return await change();
  } finally {
    await release();
  }
}
