import { expect, it } from 'vitest';
import { openDatabase } from '../open-record.js';
import { SqlRunQueue } from './sql-run-queue.js';

it('counts a limit for each kind, and lets the caller with the fewest active runs go first where that is fair', async () => {
  await using database = await openDatabase(':memory:');
  const limits = (_: string, kind: string) => (kind === 'fair' ? { all: 4, each: 3, isFair: true } : {});
  await using queue = new SqlRunQueue(database, { limits });
  const enqueue = async (kind: string, caller: string, count: number, priority = 0) => {
    for (let at = 0; at < count; at++) {
      const run_id = `${kind}-${caller}${at}`;
      await queue.enqueue({ session_id: run_id, run_id, kind, caller, priority });
    }
  };
  await enqueue('fair', 'a', 6);
  await enqueue('fair', 'b', 2);
  await enqueue('fair', 'late', 1, -1);
  await enqueue('other', 'a', 5);
  const claim = async (kind: string) => (await queue.claim({ kinds: [kind] }))?.run.run_id;
  const claimed = [await claim('fair'), await claim('fair')];
  expect(claimed).toEqual(['fair-a0', 'fair-b0']);
  expect([await claim('fair'), await claim('fair'), await claim('fair')]).toEqual([
    'fair-a1',
    'fair-b1',
    undefined,
  ]);
  for (let at = 0; at < 5; at++) expect(await claim('other')).toBe(`other-a${at}`);
  await queue.cancel('fair-a2', 'not needed');
  expect(await claim('fair')).toBeUndefined();
});

it('gives no caller more than its limit, however much of it waits', async () => {
  await using database = await openDatabase(':memory:');
  await using queue = new SqlRunQueue(database, { limits: () => ({ each: 2, isFair: true }) });
  for (let at = 0; at < 150; at++)
    await queue.enqueue({ session_id: `a${at}`, run_id: `a${at}`, kind: 'k', caller: 'a' });
  await queue.enqueue({ session_id: 'b', run_id: 'b', kind: 'k', caller: 'b' });
  const claim = async () => (await queue.claim({ kinds: ['k'] }))?.run.run_id;
  expect([await claim(), await claim(), await claim(), await claim()]).toEqual(['a0', 'b', 'a1', undefined]);
});
