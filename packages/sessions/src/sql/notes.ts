import { get, run, table, type Work } from '../database/database.js';

/** What the record itself remembers, by name: counters, named leases, which folders were taken in. */
export function* noteOf(name: string): Work<string | null> {
  return (yield* get<{ value: string }>('SELECT value FROM facts WHERE name = ?', name))?.value ?? null;
}

/** With null it is forgotten. */
export function* putNote(name: string, value: string | null): Work<void> {
  if (value === null) yield* run('DELETE FROM facts WHERE name = ?', name);
  else
    yield* run(
      'INSERT INTO facts (name, value) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value',
      name,
      value,
    );
}

/** The ids of all sessions that are or were here, and the names of all notes that begin so. */
export function* knownNames(prefix: string): Work<Set<string>> {
  const names = `FROM (SELECT session_id AS name FROM sessions UNION ALL SELECT name FROM facts WHERE name LIKE ?) AS known`;
  const rows = yield* table<{ name: string }>(['name'], names, `${prefix}%`);
  return new Set(rows.map(({ name }) => name));
}
