import { copyFile, rename, rm, truncate } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { SessionEvent, TranscriptLine } from '../records.js';
import type { MendedLine } from '../session-log.js';
import { appendAll, syncFd, withFd } from './descriptor.js';
import { exists } from './folder.js';
import type { SessionPaths } from './layout.js';
import { withLines } from './line-file.js';
import { onDisk } from './storage-error.js';
import type { StoreContext } from './store-context.js';
import { loadSession, type StoredSession } from './stored-session.js';
import { syncFolder, writeFresh } from './write-atomic.js';
import { WriterLock } from './writer-lock.js';

/** Takes the right to write a session, and mends what an owner that died left behind. */
export async function takeSession(
  store: StoreContext,
  session_id: string,
  paths: SessionPaths,
  lease: number | undefined,
): Promise<{ stored: StoredSession; lock: WriterLock; mended: MendedLine[] }> {
  // Reading first: a session that is not there, or not ours, must not get a lock file.
  if (!exists(paths.events)) await loadSession(session_id, paths);
  const lock = WriterLock.acquire(paths.folder, `Session ${session_id}`, { ...store, lease });
  try {
    if (lock.before.wasAlive) await shutOut(paths, lock.epoch);
    const mended = [
      ...(await mend<TranscriptLine>(paths.transcript)),
      ...(await mend<SessionEvent>(paths.events)),
    ];
    const stored = await loadSession(session_id, paths);
    if (!lock.before.clean) await publishMissed(store, session_id, stored);
    // The children that owners before this one gave it: see `SessionIndex.reserve`.
    await store.index.refresh();
    return { stored, lock, mended };
  } catch (error) {
    lock.release();
    throw error;
  }
}

/**
 * The owner before this one may still be running. It writes to the files it has open, so those stop being the session:
 * each is replaced by a copy of itself. Whatever it opens later, it asks first whether it is still the owner.
 * The fence tells recovery that what the old owner has in its redo log is about the old files.
 */
async function shutOut({ folder, transcript, events }: SessionPaths, epoch: number): Promise<void> {
  await onDisk('take over', folder, async () => writeFresh(join(folder, `.fence.${epoch}`), ''));
  for (const path of [transcript, events]) {
    const copy = `${path}.taken-over`;
    await onDisk('take over', path, async () => {
      await rm(copy, { force: true });
      await copyFile(path, copy);
      await withFd(copy, 'r+', syncFd);
      await rename(copy, path);
      await syncFolder(dirname(path));
    });
  }
}

/** A last line without its end is completed when it is whole but for the line break, and cut off otherwise. */
async function mend<T>(path: string): Promise<MendedLine[]> {
  const torn = await onDisk('read', path, () =>
    withLines<T, { end: number; text: string; line: number } | null>(path, undefined, async (file) =>
      file.size === file.end
        ? null
        : { end: file.end, text: await file.torn(), line: await file.lineNumber(file.end) },
    ),
  );
  if (torn === null) return [];
  const { end, text, line } = torn;
  return onDisk('mend', path, async () => {
    const isWhole = parses(text);
    if (isWhole) await withFd(path, 'a', (fd) => appendAll(fd, Buffer.from('\n')));
    else await truncate(path, end);
    await withFd(path, 'r+', syncFd);
    return isWhole ? [] : [{ file: path, line, text }];
  });
}

function parses(text: string): boolean {
  try {
    return typeof JSON.parse(text) === 'object';
  } catch {
    return false;
  }
}

/** Events that reached the disk while their owner died before telling the feed. */
export async function publishMissed(
  store: StoreContext,
  session_id: string,
  stored: StoredSession,
): Promise<void> {
  const published = await store.feed.publishedEvents(session_id);
  if (published < stored.events_bytes) {
    store.feed.publish({ s: session_id, e: [published, stored.events_bytes] });
    await store.feed.flush();
  }
}
