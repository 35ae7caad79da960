import { existsSync } from 'node:fs';
import { isAbsolute } from 'node:path';
import type { Report } from '@amplifier/core';
import { refuseBusy } from '../maintenance/refuse-busy.js';
import { openDatabase, openSessionStore } from '../open-record.js';
import { hasCode } from '../session-error.js';
import { SET_ASIDE, setAside } from '../set-aside.js';
import type { SqlSessionStore } from '../sql/sql-session-store.js';
import { ADOPTED, adoptFolders } from './adopt-folders.js';
import type { CopyLayout } from './copy-layout.js';

/** Where the record of before is now, and how many sessions came back. */
export interface Rebuilt {
  set_aside: string | null;
  sessions: number;
}

/** Brings sessions back from their readable copies, where the record is new because the one before was damaged, or is gone. */
export async function bringBack(
  store: SqlSessionStore,
  layout: CopyLayout | null,
  report: Report,
): Promise<void> {
  const restored = await restore(store, layout, report);
  const sessions = restored?.sessions ?? (await restoreLost(store, layout, report));
  if (restored === null && sessions === 0) return;
  const was = restored ? `was damaged. It is now ${restored.set_aside ?? 'gone'}` : 'was missing or empty';
  const message = `The record ${store.name} ${was}. Sessions restored from their readable copies: ${sessions}. If some are missing, restore a backup.`;
  report({ level: 'error', code: 'RECORD_SET_ASIDE', message });
}

/** A file without sessions, and copies of ours beside it: there was a record, and whoever deleted it was not us. */
async function restoreLost(
  store: SqlSessionStore,
  layout: CopyLayout | null,
  report: Report,
): Promise<number> {
  if (!isAbsolute(store.name) || (await store.list({ project: null, limit: 1 })).sessions.length > 0)
    return 0;
  // Deleted sessions are known by name.
  if ((await store.known(ADOPTED)).size > 0) return 0;
  return adoptCopies(store, layout, report, 'only');
}

async function restore(
  store: SqlSessionStore,
  layout: CopyLayout | null,
  report: Report,
): Promise<Rebuilt | null> {
  const aside = await store.note(SET_ASIDE);
  if (aside === null) return null;
  const sessions = await adoptCopies(store, layout, report, true);
  await store.putNote(SET_ASIDE, null);
  return { set_aside: aside || null, sessions };
}

async function adoptCopies(
  store: SqlSessionStore,
  layout: CopyLayout | null,
  report: Report,
  copies: true | 'only',
): Promise<number> {
  let sessions = 0;
  for (const project of (await layout?.projects()) ?? [])
    sessions += await adoptFolders(store, layout?.folderOf(project) ?? '', report, { copies, project });
  return sessions;
}

/**
 * Sets a record aside and brings its sessions back from the readable copies. Refused while somebody is at work in it, who would go on
 * writing to what was set aside, and where a newer program wrote it.
 */
export async function rebuildRecord(file: string, copies: CopyLayout, report: Report): Promise<Rebuilt> {
  await refuseInUse(file);
  await (await setAside(file)).close();
  await using store = await openSessionStore(file, { report });
  return (await restore(store, copies, report)) ?? { set_aside: null, sessions: 0 };
}

/** What is damaged so that nobody can be found in it has nobody at work. */
async function refuseInUse(file: string): Promise<void> {
  if (!existsSync(file)) return;
  try {
    await using database = await openDatabase(file);
    await refuseBusy(database, 'rebuild');
  } catch (error) {
    if (!hasCode(error, 'SESSION_CORRUPT')) throw error;
  }
}
