import { openDatabase } from '@amplifier/sessions';

/** Puts text that nobody wrote in the place of a document or of the first event, as a failing disk might. For tests. */
export async function damageDocument(
  file: string,
  session_id: string,
  name: 'launch' | 'mount_plan' | 'session:created',
  body: string,
): Promise<void> {
  const n = '(SELECT n FROM sessions WHERE session_id = ? AND deleted IS NULL)';
  const sql =
    name === 'session:created'
      ? `UPDATE events SET body = ?, plan = NULL WHERE session = ${n} AND seq = 1`
      : `UPDATE documents SET body = ?, plan = NULL WHERE place = ${n} * 4 + ${name === 'launch' ? 0 : 1}`;
  const values = [body, session_id];
  await using database = await openDatabase(file);
  await database.write(function* () {
    yield { sql, values, wants: 'changes' as const };
  });
}
