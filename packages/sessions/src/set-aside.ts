import { existsSync } from 'node:fs';
import { rename } from 'node:fs/promises';
import { isoTime, systemClock } from '@amplifier/core';
import { SqliteDatabase } from './database/sqlite-database.js';
import { hasCode } from './session-error.js';
import { putNote } from './sql/notes.js';

/** The note in a record that was made in the place of a damaged one: where that is now, until the sessions are back. */
export const SET_ASIDE = 'set_aside';

/** Opens a record. One that is damaged so that it cannot be opened is set aside, and a new one is made in its place. */
export async function openOrSetAside(file: string): Promise<SqliteDatabase> {
  return SqliteDatabase.open(file).catch((error) => {
    if (!hasCode(error, 'SESSION_CORRUPT')) throw error;
    return setAside(file);
  });
}

/** Sets a record aside, with what belongs to it, and makes an empty one that is to get its sessions back. */
export async function setAside(file: string): Promise<SqliteDatabase> {
  const aside = `${file}.damaged-${isoTime(systemClock).replace(/[:.]/g, '-')}`;
  const isThere = existsSync(file);
  for (const suffix of ['', '-wal', '-shm'])
    if (existsSync(file + suffix)) await rename(file + suffix, aside + suffix);
  const database = await SqliteDatabase.open(file);
  await database.write(() => putNote(SET_ASIDE, isThere ? aside : ''));
  return database;
}
