import { existsSync } from 'node:fs';
import { rename } from 'node:fs/promises';
import { isoTime, type Report, systemClock } from '@amplifier/core';
import { adoptFolders } from './adopt/adopt-folders.js';
import type { CopyLayout } from './copies/copy-layout.js';
import { get, run, type Work } from './database/database.js';
import { SqliteDatabase } from './database/sqlite-database.js';
import { hasCode } from './session-error.js';
import type { SqlSessionStoreOptions, StoreContext } from './sql/store-context.js';

/** In a record that was made in the place of a damaged one: where that is now, until the sessions are back. */
const SET_ASIDE = 'set_aside';

/** Opens a record. One that is damaged so that it cannot be opened is set aside, and a new one is made in its place. */
export async function openOrSetAside(file: string): Promise<SqliteDatabase> {
  try {
    return await SqliteDatabase.open(file);
  } catch (error) {
    if (!hasCode(error, 'SESSION_CORRUPT')) throw error;
    return replaceRecord(file);
  }
}

/** Sets a record aside, with what belongs to it, and makes an empty one that is to get its sessions back. */
export async function replaceRecord(file: string): Promise<SqliteDatabase> {
  const aside = `${file}.damaged-${isoTime(systemClock).replace(/[:.]/g, '-')}`;
  const isThere = existsSync(file);
  for (const suffix of ['', '-wal', '-shm'])
    if (existsSync(file + suffix)) await rename(file + suffix, aside + suffix);
  const database = await SqliteDatabase.open(file);
  await database.write(() => remember(isThere ? aside : ''));
  return database;
}

function* remember(aside: string): Work<void> {
  yield* run('INSERT INTO facts (name, value) VALUES (?, ?) ON CONFLICT DO NOTHING', SET_ASIDE, aside);
}

/** Where the record of before is now, and how many sessions came back. */
export interface Rebuilt {
  set_aside: string | null;
  sessions: number;
}

/** Brings sessions back from their readable copies, where the record is new because the one before was damaged. */
async function bringBack(
  context: StoreContext,
  layout: CopyLayout | null,
  report: Report,
): Promise<Rebuilt | null> {
  const { database } = context;
  const row = await database.read(() =>
    get<{ value: string }>('SELECT value FROM facts WHERE name = ?', SET_ASIDE),
  );
  if (!row) return null;
  let sessions = 0;
  for (const project of (await layout?.projects()) ?? [])
    sessions += await adoptFolders(context, layout?.folderOf(project) ?? '', report, {
      copies: true,
      project,
    });
  await database.write(() => run('DELETE FROM facts WHERE name = ?', SET_ASIDE));
  const set_aside = row.value || null;
  const message = `The record ${database.name} was damaged. It is now ${set_aside ?? 'gone'}, and ${sessions} sessions came back from their readable copies. If some are missing, restore a backup.`;
  report({ level: 'error', code: 'RECORD_SET_ASIDE', message });
  return { set_aside, sessions };
}

/** Where nobody else is told. */
const warn: Report = ({ message, code }) => process.emitWarning(message, { code });

export async function takeIn(
  context: StoreContext,
  { copies = null, adoptFrom, report = warn }: SqlSessionStoreOptions,
): Promise<Rebuilt | null> {
  const rebuilt = await bringBack(context, copies, report);
  if (adoptFrom !== undefined) await adoptFolders(context, adoptFrom, report);
  return rebuilt;
}

export async function takeInAll(context: StoreContext, layout: CopyLayout, report = warn): Promise<void> {
  for (const project of await layout.projects())
    await adoptFolders(context, layout.folderOf(project), report, { project });
}
