import { access, constants } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Report } from '@amplifier/core';
import { FileRunQueue, FileSessionStore, type RunQueue } from '@amplifier/sessions';
import { HostError } from './host-error.js';

/** The sessions of one project. The folder is made when it is missing. */
export async function openStore(folder: string, report?: Report): Promise<FileSessionStore> {
  try {
    return await FileSessionStore.open({ folder, ...(report ? { report } : {}) });
  } catch (error) {
    const place = await unwritable(folder);
    if (place === null) throw error;
    throw new HostError(
      `${place.folder} cannot be written (${place.code}), and sessions are kept there. Make it writable, or set AMPLIFIER_HOME to a folder that is.`,
      { code: 'HOME_NOT_WRITABLE', origin: place.folder, cause: error },
    );
  }
}

/** The turns of one project that wait for a worker. */
export function openQueue(folder: string, report?: Report): Promise<RunQueue> {
  return FileRunQueue.open({ folder, ...(report ? { report } : {}) });
}

/** The nearest folder above that is there and cannot be written; null when that is not what is wrong. */
async function unwritable(folder: string): Promise<{ folder: string; code: string } | null> {
  const problem = await access(folder, constants.W_OK).then(
    () => null,
    (error: NodeJS.ErrnoException) => error.code ?? 'unknown',
  );
  if (problem === null) return null;
  if (problem !== 'ENOENT') return { folder, code: problem };
  const above = dirname(folder);
  return above === folder ? null : unwritable(above);
}
