import { mkdir, readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { FOLDER_MODE } from '../defaults.js';
import { SessionError } from '../session-error.js';
import { flushSession } from './flush-session.js';
import { exists } from './folder.js';
import { sessionPaths } from './layout.js';
import { errnoOf, onDisk } from './storage-error.js';
import type { StoreContext } from './store-context.js';
import { notFound } from './stored-session.js';

const DAY_MS = 24 * 60 * 60 * 1000;
const NAME = /^([A-Za-z0-9][A-Za-z0-9_-]*)~(\d+)~/;

interface Discarded {
  session_id: string;
  time: number;
  path: string;
}

/** Moves a session's folder away in one step. It can come back until the trash is emptied. */
export async function discard(store: StoreContext, session_id: string): Promise<void> {
  const { folder } = sessionPaths(store.folder, store.layout, session_id);
  const target = join(trashFolder(store), `${session_id}~${store.clock.now()}~${store.ulid()}`);
  await onDisk('delete', folder, async () => {
    await mkdir(trashFolder(store), { recursive: true, mode: FOLDER_MODE });
    await flushSession(folder, true);
    await rename(folder, target);
    await store.syncSessions();
  });
}

export async function restoreDiscarded(store: StoreContext, session_id: string): Promise<void> {
  const { folder } = sessionPaths(store.folder, store.layout, session_id);
  const all = (await listTrash(store)).filter((discarded) => discarded.session_id === session_id);
  const newest = all.sort((a, b) => a.time - b.time).at(-1);
  if (!newest) throw notFound(session_id, trashFolder(store));
  try {
    await rename(newest.path, folder);
  } catch (error) {
    if (errnoOf(error) !== 'ENOTEMPTY' && errnoOf(error) !== 'EEXIST') throw error;
    throw new SessionError(`Session ${session_id} is there already, so it cannot come back from the trash.`, {
      code: 'SESSION_EXISTS',
      origin: session_id,
    });
  }
  await store.syncSessions();
}

export async function isInTrash(folder: string, session_id: string): Promise<boolean> {
  return (await listTrash({ folder })).some((discarded) => discarded.session_id === session_id);
}

export async function emptyTrash(store: StoreContext, older_than_days: number): Promise<string[]> {
  if (!Number.isInteger(older_than_days) || older_than_days < 0) {
    throw new SessionError(`older_than_days is a whole number from 0 up, and this is ${older_than_days}.`, {
      code: 'INVALID_QUERY',
    });
  }
  const cutoff = store.clock.now() - older_than_days * DAY_MS;
  const old = (await listTrash(store)).filter(({ time }) => time <= cutoff);
  for (const { path } of old) await rm(path, { recursive: true, force: true });
  return old.map(({ session_id }) => session_id);
}

async function listTrash(store: Pick<StoreContext, 'folder'>): Promise<Discarded[]> {
  const folder = trashFolder(store);
  if (!exists(folder)) return [];
  return (await readdir(folder)).flatMap((name) => {
    const [, session_id, time] = NAME.exec(name) ?? [];
    return session_id ? [{ session_id, time: Number(time), path: join(folder, name) }] : [];
  });
}

function trashFolder(store: Pick<StoreContext, 'folder'>): string {
  return join(store.folder, '.trash');
}
