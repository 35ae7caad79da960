import type { Report } from '@amplifier/core';
import { openSessionStore, SET_ASIDE, type SqlSessionStore, setAside } from '@amplifier/sessions';
import { adoptFolders } from './adopt-folders.js';
import type { CopyLayout } from './copy-layout.js';

/** Where the record of before is now, and how many sessions came back. */
export interface Rebuilt {
  set_aside: string | null;
  sessions: number;
}

/** Brings sessions back from their readable copies, where the record is new because the one before was damaged. */
export async function bringBack(
  store: SqlSessionStore,
  layout: CopyLayout | null,
  report: Report,
): Promise<Rebuilt | null> {
  const aside = await store.note(SET_ASIDE);
  if (aside === null) return null;
  let sessions = 0;
  for (const project of (await layout?.projects()) ?? [])
    sessions += await adoptFolders(store, layout?.folderOf(project) ?? '', report, { copies: true, project });
  await store.putNote(SET_ASIDE, null);
  const set_aside = aside || null;
  const message = `The record ${store.name} was damaged. It is now ${set_aside ?? 'gone'}. Sessions restored from their readable copies: ${sessions}. If some are missing, restore a backup.`;
  report({ level: 'error', code: 'RECORD_SET_ASIDE', message });
  return { set_aside, sessions };
}

/** Sets a damaged record aside and brings its sessions back from the readable copies. Nobody else may have it open. */
export async function rebuildRecord(file: string, copies: CopyLayout, report: Report): Promise<Rebuilt> {
  await (await setAside(file)).close();
  await using store = await openSessionStore(file, { report });
  return (await bringBack(store, copies, report)) ?? { set_aside: null, sessions: 0 };
}
