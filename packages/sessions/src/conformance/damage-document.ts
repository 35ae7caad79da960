import { run } from '../database/database.js';
import { SqliteDatabase } from '../database/sqlite-database.js';
import { mustFindRow } from '../sql/session-row.js';

/** Puts text that nobody wrote in the place of a document or of the first event, as a failing disk might. For tests. */
export async function damageDocument(
  file: string,
  session_id: string,
  name: 'launch' | 'mount_plan' | 'session:created',
  body: string,
): Promise<void> {
  await using database = await SqliteDatabase.open(file);
  await database.write(function* () {
    const { n } = yield* mustFindRow(session_id);
    if (name === 'session:created')
      yield* run('UPDATE events SET body = ?, plan = NULL WHERE session = ? AND seq = 1', body, n);
    else
      yield* run('UPDATE documents SET body = ?, plan = NULL WHERE session = ? AND name = ?', body, n, name);
  });
}
