import { access, constants } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { errorInfo, type Report } from '@amplifier/core';
import { loadSettings, type Settings } from '@amplifier/foundation';
import {
  hasCode,
  openRunQueue,
  openSessionStore,
  type RunQueue,
  type SqlSessionStore,
} from '@amplifier/sessions';
import { adoptAll, type CopyLayout, openRecord, projectCopies } from '@amplifier/sessions/record';
import type { Environment } from '../environment.js';
import { HostError } from '../host-error.js';
import { type HostPaths, recordOf } from '../host-paths.js';
import { placeDatabase } from './place-database.js';

/** The sessions of one project, by the folder of their readable copies. The record is made when it is missing. */
export async function openStore(folder: string, report?: Report): Promise<SqlSessionStore> {
  const { file, project, projects } = recordOf(folder);
  const copies = await copiesOf(projects);
  await placeDatabase(file);
  return orUnwritable(file, () => openRecord(file, { project, copies, adoptFrom: folder, report }));
}

/** The sessions of all projects, and the turns that wait in any of them. */
export async function openAllProjects(
  { record, projects }: Pick<HostPaths, 'record' | 'projects'>,
  report?: Report,
  environment?: Environment,
): Promise<{ store: SqlSessionStore; queue: RunQueue }> {
  const copies = await copiesOf(projects);
  await placeDatabase(record, environment);
  return orUnwritable(record, async () => {
    const store = await openRecord(record, { copies, report });
    await adoptAll(store, copies, report);
    return { store, queue: await openRunQueue(record) };
  });
}

/** The runs of all projects, and their sessions to look at: a process that writes sessions opens its store beside this. */
export async function openAllRuns(
  { record }: Pick<HostPaths, 'record'>,
  report: Report,
  environment?: Environment,
): Promise<{ store: SqlSessionStore; queue: RunQueue }> {
  await placeDatabase(record, environment);
  return orUnwritable(record, async () => ({
    store: await openSessionStore(record, { report }),
    queue: await openRunQueue(record),
  }));
}

/** Copies go where the user did not switch them off. Whoever needs the settings tells what is wrong with them. */
async function copiesOf(projects: string): Promise<CopyLayout> {
  const user = join(dirname(projects), 'settings.yaml');
  const { settings } = await loadSettings({ user }).catch(() => ({ settings: {} as Settings }));
  return { ...projectCopies(projects), isOff: settings.sessions?.readable_copies === false };
}

/** The turns of one project that wait for a worker. */
export async function openQueue(folder: string, _report?: Report): Promise<RunQueue> {
  const { file, project } = recordOf(folder);
  await placeDatabase(file);
  return orUnwritable(file, () => openRunQueue(file, { project }));
}

async function orUnwritable<T>(file: string, open: () => Promise<T>): Promise<T> {
  try {
    return await open();
  } catch (error) {
    const place = isAboutServer(error) || hasCode(error, 'RECORD_TOO_NEW') ? null : await unwritable(file);
    if (place === null) throw error;
    throw new HostError(
      `${place.folder} cannot be written (${place.code}), and sessions are kept there. Make it writable, or set AMPLIFIER_HOME to a folder that is.`,
      { code: 'HOME_NOT_WRITABLE', origin: place.folder, cause: error },
    );
  }
}

/** The record is on a server, and something is wrong there. */
function isAboutServer(error: unknown): boolean {
  const { origin } = errorInfo(error);
  return /^postgres(ql)?:/.test(String(origin));
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
