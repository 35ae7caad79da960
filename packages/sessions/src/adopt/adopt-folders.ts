import { existsSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { errorInfo, type Report } from '@amplifier/core';
import { CONTINUED, COPY_MARK } from '../copies/copy-layout.js';
import { run, table } from '../database/database.js';
import { isSessionId } from '../session-ids.js';
import { insertImported } from '../sql/exchange-session.js';
import type { StoreContext } from '../sql/store-context.js';
import { readFolderSession } from './read-folder-session.js';

export interface AdoptOptions {
  /** Also readable copies of ours: for a record that was lost. */
  copies?: boolean;
  /** Whose sessions these are. Default: the project of the store. */
  project?: string | null;
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
  { copies = false, project = context.project }: AdoptOptions = {},
): Promise<number> {
  const names = await readdir(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return [];
    throw error;
  });
  const known = await knownIds(context);
  let taken = 0;
  for (const session_id of names.filter(isSessionId)) {
    const own = join(folder, session_id);
    const place = copies && existsSync(own + CONTINUED) ? own + CONTINUED : own;
    if (known.has(session_id) || known.has(factName(place))) continue;
    if (!copies && existsSync(join(place, COPY_MARK))) continue;
    try {
      const session = await readFolderSession(place, session_id);
      if (!session) continue;
      await insertImported(context, session, { isOurs: true, project });
      taken++;
      await remember(context, place, 'taken');
    } catch (error) {
      const { message } = errorInfo(error);
      report({
        level: 'warning',
        code: 'SESSION_NOT_ADOPTED',
        message: `The session in ${place} could not be taken into the record: ${message} It is left as it is; repair or delete it.`,
      });
      await remember(context, place, 'damaged');
    }
  }
  return taken;
}

function remember({ database }: StoreContext, place: string, value: string): Promise<number> {
  const sql = 'INSERT INTO facts (name, value) VALUES (?, ?) ON CONFLICT DO NOTHING';
  return database.write(() => run(sql, factName(place), value));
}

async function knownIds({ database }: StoreContext): Promise<ReadonlySet<string>> {
  const known = `FROM (SELECT session_id AS name FROM sessions UNION ALL SELECT name FROM facts WHERE name LIKE 'adopted %') AS known`;
  const rows = await database.read(() => table<{ name: string }>(['name'], known), 'all');
  return new Set(rows.map(({ name }) => name));
}

function factName(place: string): string {
  return `adopted ${place}`;
}
