import { existsSync } from 'node:fs';
import { lstat, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { errorInfo, type Report } from '@amplifier/core';
import { isSessionId } from '../session-ids.js';
import type { SqlSessionStore } from '../sql/sql-session-store.js';
import { CONTINUED, COPY_MARK, REMOVED } from './copy-layout.js';
import { readFolderSession } from './read-folder-session.js';

/** What notes of the record about folders begin with. */
export const ADOPTED = 'adopted ';

/** What the note about a damaged one begins with; when its files were changed last comes after that. */
const DAMAGED = 'damaged ';

export interface AdoptOptions {
  /** Also readable copies of ours, or nothing but these: for a record that was lost. */
  copies?: boolean | 'only';
  /** Whose sessions these are. Default: the project of the store. */
  project?: string | null;
}

/**
 * Takes in what lies in a folder of sessions and is not in the record: those of the Python CLI, and those this program kept in
 * files. Each is taken once and stays as it is where it lies. One that is damaged is told of once and does not keep the
 * others out. Returns how many were taken.
 */
export async function adoptFolders(
  store: SqlSessionStore,
  folder: string,
  report: Report,
  { copies = false, project }: AdoptOptions = {},
): Promise<number> {
  const names = await readdir(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return [];
    throw error;
  });
  // Whoever removed these did not get to the end. What cannot be removed now is tried again by the next.
  for (const name of names.filter(isHalfRemoved))
    await rm(join(folder, name), { recursive: true, force: true }).catch(() => {});
  const known = await store.known(ADOPTED);
  let taken = 0;
  for (const session_id of names.filter(isSessionId)) {
    const own = join(folder, session_id);
    const place = copies && existsSync(own + CONTINUED) ? own + CONTINUED : own;
    if (known.has(session_id)) continue;
    if (known.has(ADOPTED + place) && !(await isRepaired(store, place))) continue;
    if (copies !== true && existsSync(join(place, COPY_MARK)) !== (copies === 'only')) continue;
    try {
      const session = await readFolderSession(place, session_id);
      if (!session) continue;
      await store.takeIn(session, project);
      taken++;
      await store.putNote(ADOPTED + place, 'taken');
    } catch (error) {
      const { message } = errorInfo(error);
      report({
        level: 'warning',
        code: 'SESSION_NOT_ADOPTED',
        message: `The session in ${place} could not be imported into the record: ${message} It was not changed; repair or delete it.`,
      });
      await store.putNote(ADOPTED + place, `${DAMAGED}${await lastChange(place)}`);
    }
  }
  return taken;
}

/** Somebody changed a session that was damaged, so it is tried once more. */
async function isRepaired(store: SqlSessionStore, place: string): Promise<boolean> {
  const note = await store.note(ADOPTED + place);
  if (note === null || !note.startsWith(DAMAGED)) return false;
  return note !== `${DAMAGED}${await lastChange(place)}`;
}

/** 0 where nothing can be seen of it: one that cannot be read must not keep the others out. */
async function lastChange(place: string): Promise<number> {
  let last = 0;
  for (const name of await readdir(place).catch(() => []))
    last = Math.max(last, (await lstat(join(place, name)).catch(() => null))?.mtimeMs ?? 0);
  return last;
}

function isHalfRemoved(name: string): boolean {
  return name.endsWith(REMOVED) && isSessionId(name.slice(0, -REMOVED.length));
}
