import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { syncData, syncFd, withFd } from './descriptor.js';
import { METADATA_FILES } from './layout.js';
import { isMissing } from './storage-error.js';
import { syncFolder } from './write-atomic.js';

/** Flushes everything of a session that is not a cache, together: the file system then does it in one go. */
export async function flushSession(folder: string, isNew: boolean): Promise<void> {
  try {
    const names = (await readdir(folder)).filter(
      (name) => !name.startsWith('.') && !METADATA_FILES.includes(name),
    );
    const flush = isNew ? syncFd : syncData;
    await Promise.all(names.map((name) => withFd(join(folder, name), 'r', flush)));
    if (isNew) await syncFolder(folder);
  } catch (error) {
    // It has gone to the trash, which flushes what it takes.
    if (!isMissing(error)) throw error;
  }
}

/** The value of a session says whether it is new. Two at a time: the log that all wait for needs the disk, too. */
export async function flushSessions(root: string, sessions: ReadonlyMap<string, boolean>): Promise<void> {
  const left = sessions[Symbol.iterator]();
  const worker = async () => {
    for (const [session_id, isNew] of left) await flushSession(join(root, session_id), isNew);
  };
  await Promise.all([worker(), worker()]);
  if ([...sessions.values()].includes(true)) await syncFolder(root);
}
