import { all, type Database } from '../database/database.js';
import { COPY_INDEX_SESSIONS } from '../defaults.js';
import { type SessionRow, summaryOf } from '../sql/session-row.js';
import type { CopyLayout } from './copy-layout.js';
import { replace } from './write-copy.js';

/** Writes the list of all sessions, where one is wanted. */
export async function writeIndex(database: Database, { index }: CopyLayout): Promise<void> {
  if (index === null) return;
  const rows = await database.read(() =>
    all<SessionRow>(
      `SELECT * FROM sessions WHERE deleted IS NULL ORDER BY created DESC, session_id DESC LIMIT ${COPY_INDEX_SESSIONS}`,
    ),
  );
  const lines = rows.reverse().map((row) => {
    const { foreign: _, ...summary } = summaryOf(row);
    const { session_id, parent_id, created, ended } = summary;
    // The same in the words of the daemon's API too, as `session.json` has it.
    const shown = { ...summary, parent_session_id: parent_id, created_at: created, ended_at: ended };
    return `${JSON.stringify(session_id)}: ${JSON.stringify(shown)}`;
  });
  await replace(index, `{"version": 2, "sessions": {\n${lines.join(',\n')}\n}}\n`);
}
