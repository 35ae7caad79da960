import { access, constants } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Report } from '@amplifier/core';
import {
  hasCode,
  openRunQueue,
  openSessionStore,
  projectCopies,
  type RunQueue,
  type SqlSessionStore,
} from '@amplifier/sessions';
import { HostError } from './host-error.js';
import { recordOf } from './host-paths.js';

/** The sessions of one project, by the folder of their readable copies. The record is made when it is missing. */
export async function openStore(folder: string, report?: Report): Promise<SqlSessionStore> {
  const { file, project, projects } = recordOf(folder);
  const copies = projectCopies(projects);
  return orUnwritable(file, () =>
    openSessionStore(file, { project, copies, adoptFrom: folder, ...(report ? { report } : {}) }),
  );
}

/** The turns of one project that wait for a worker. */
export async function openQueue(folder: string, _report?: Report): Promise<RunQueue> {
  const { file, project } = recordOf(folder);
  return orUnwritable(file, () => openRunQueue(file, { project }));
}

async function orUnwritable<T>(file: string, open: () => Promise<T>): Promise<T> {
  try {
    return await open();
  } catch (error) {
    const place = hasCode(error, 'RECORD_TOO_NEW') ? null : await unwritable(file);
    if (place === null) throw error;
    throw new HostError(
      `${place.folder} cannot be written (${place.code}), and sessions are kept there. Make it writable, or set AMPLIFIER_HOME to a folder that is.`,
      { code: 'HOME_NOT_WRITABLE', origin: place.folder, cause: error },
    );
  }
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
