import { existsSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { errorInfo, type Report } from '@amplifier/core';
import { COPY_MARK } from '../copies/copy-layout.js';
import { all, run } from '../database/database.js';
import { exportLines } from '../export-session.js';
import { isSessionId } from '../session-ids.js';
import { importSession } from '../sql/exchange-session.js';
import type { StoreContext } from '../sql/store-context.js';
import { readFolderSession } from './read-folder-session.js';

export interface AdoptOptions {
  /** Also readable copies of ours: for a record that was lost. */
  copies?: boolean;
}

/**
 * Takes in what lies in a folder of sessions and is not in the record: those of the Python CLI, and those this program kept in
 * files. Each is taken once and stays as it is where it lies. One that is damaged is told of once and does not keep the
 * others out. Returns how many were taken.
 */
export async function adoptFolders(
  context: StoreContext,
  folder: string,
  report: Report,
  { copies = false }: AdoptOptions = {},
): Promise<number> {
  const names = await readdir(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return [];
    throw error;
  });
  const known = await knownIds(context);
  let taken = 0;
  for (const session_id of names.filter(isSessionId)) {
    const place = join(folder, session_id);
    if (
      known.has(session_id) ||
      known.has(factName(place)) ||
      (!copies && existsSync(join(place, COPY_MARK)))
    )
      continue;
    try {
      if (await adopt(context, place, session_id)) taken++;
    } catch (error) {
      const { message } = errorInfo(error);
      report({
        level: 'warning',
        code: 'SESSION_NOT_ADOPTED',
        message: `The session in ${place} could not be taken into the record: ${message} It is left as it is; repair or delete it.`,
      });
      await context.database.write(() => remember(place, 'damaged'));
    }
  }
  return taken;
}

async function adopt(context: StoreContext, place: string, session_id: string): Promise<boolean> {
  const session = await readFolderSession(place, session_id);
  if (!session) return false;
  await importSession(context, exportLines(session), { isOurs: true });
  await context.database.write(() => remember(place, 'taken'), { trailing: true });
  return true;
}

function* remember(place: string, value: string) {
  yield* run('INSERT INTO facts (name, value) VALUES (?, ?) ON CONFLICT DO NOTHING', factName(place), value);
}

async function knownIds({ database }: StoreContext): Promise<ReadonlySet<string>> {
  const rows = await database.read(
    () =>
      all<{ name: string }>(
        `SELECT session_id AS name FROM sessions UNION ALL SELECT name FROM facts WHERE name LIKE 'adopted %'`,
      ),
    'all',
  );
  return new Set(rows.map(({ name }) => name));
}

function factName(place: string): string {
  return `adopted ${place}`;
}
