import { expect, it } from 'vitest';
import { all, type Statement } from '../database/database.js';
import { IN_MEMORY, SqliteDatabase } from '../database/sqlite-database.js';
import { feedEntries } from './follow.js';
import { SqlSessionStore } from './sql-session-store.js';

it('the feed of a session and of a tree is read by index', async () => {
  await using database = await SqliteDatabase.open(IN_MEMORY);
  await using store = new SqlSessionStore(database, {});
  await (await store.create({ session_id: 's' })).close();
  /** The plan of the last statement that the work makes. */
  const planOf = (of: { session_id: string } | { root_id: string }) =>
    database.read(function* () {
      const work = feedEntries({ of, messages: true }, 5, 10);
      let step = work.next();
      let last: Statement | undefined;
      while (!step.done) {
        last = step.value;
        step = work.next(yield step.value);
      }
      const rows = yield* all<{ detail: string }>(`EXPLAIN QUERY PLAN ${last?.sql}`, ...(last?.values ?? []));
      return rows.map(({ detail }) => detail).join('\n');
    });
  const bySession = await planOf({ session_id: 's' });
  const byTree = await planOf({ root_id: 's' });
  expect(bySession).toContain('INDEX events_session (session=? AND n>? AND n<?)');
  expect(byTree).toContain('INDEX events_tree (root_id=? AND n>? AND n<?)');
  expect(bySession + byTree).not.toMatch(/SCAN|TEMP B-TREE/);
});
