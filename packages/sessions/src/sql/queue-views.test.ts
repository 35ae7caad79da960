import { expect, it } from 'vitest';
import { openDatabase } from '../open-record.js';
import { SqlRunQueue } from './sql-run-queue.js';

it('forgets what one view has claimed and another has finished, and gives back the rest when it closes', async () => {
  await using database = await openDatabase(':memory:');
  const queue = new SqlRunQueue(database);
  const view = queue.on((same) => same);
  const submit = (run_id: string) =>
    view.enqueueClaimed({ session_id: 's', run_id, line: run_id, kind: 'job' });
  await queue.finish(await submit('finished'), {});
  const before = database.writes;
  await view.close();
  expect(database.writes).toBe(before);
  const other = queue.on((same) => same);
  await other.enqueueClaimed({ session_id: 's', run_id: 'left', line: 'left', kind: 'job' });
  await queue.close();
  await using heir = new SqlRunQueue(database);
  expect((await heir.get('left'))?.status).toBe('queued');
  expect((await heir.get('finished'))?.status).toBe('finished');
});
