import type { Report } from '@amplifier/core';
import { adoptFolders } from './copies/adopt-folders.js';
import { bringBack } from './copies/bring-back.js';
import type { CopyLayout } from './copies/copy-layout.js';
import { ReadableCopies } from './copies/readable-copies.js';
import { liveFolder } from './live/live-folder.js';
import { serveLiveText } from './live/serve-live-text.js';
import { openSessionStore } from './open-record.js';
import type { SqlSessionStore } from './sql/sql-session-store.js';
import type { SqlSessionStoreOptions } from './sql/store-context.js';

export interface RecordOptions extends SqlSessionStoreOptions {
  /** Where sessions are also written as files for people to read. Default: nowhere. */
  copies?: CopyLayout | null;
  /** A folder with sessions of other programs, or of this one before it had a record: they are taken in. */
  adoptFrom?: string;
}

/** Where nobody else is told. */
const warn: Report = ({ message, code }) => process.emitWarning(message, { code });

/** The sessions in a file with all that belongs beside it: readable copies, the sessions of before, and what is said this moment. */
export async function openRecord(file: string, options: RecordOptions = {}): Promise<SqlSessionStore> {
  const { copies = null, adoptFrom, report = warn, ...rest } = options;
  const store = await openSessionStore(file, { ...rest, report });
  // What is beside a record is kept by whoever has all of it.
  if (store.tenant !== null) return store;
  try {
    if (copies && !copies.isOff) {
      const readable = new ReadableCopies(store, copies, report);
      store.follow(readable);
      readable.makeGood();
    }
    const folder = liveFolder(store.name);
    if (folder !== null) store.onClose(serveLiveText(store.live, folder));
    await bringBack(store, copies, report);
    if (adoptFrom !== undefined) await adoptFolders(store, adoptFrom, report);
    return store;
  } catch (error) {
    await store.close();
    throw error;
  }
}

/** Takes in what lies in the folders of every project and is not in the record. */
export async function adoptAll(store: SqlSessionStore, layout: CopyLayout, report = warn): Promise<void> {
  for (const project of await layout.projects())
    await adoptFolders(store, layout.folderOf(project), report, { project });
}
