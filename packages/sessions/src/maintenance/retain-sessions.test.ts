import { expect, it } from 'vitest';
import { openMemoryStore } from '../open-record.js';
import { retainSessions } from '../record.js';

it('retention shows what it would do, and spares what is needed', async () => {
  await using store = await openMemoryStore();
  const made = [];
  for (const status of ['completed', 'failed', 'active', 'created'] as const) {
    const log = await store.create({ session_id: status });
    if (status !== 'created') await log.transition('active');
    if (status === 'completed' || status === 'failed') await log.transition(status);
    made.push(log);
  }
  await (await store.create({ session_id: 'below', parent_id: 'failed' })).close();
  expect((await retainSessions(store, { older_than_days: 0 })).session_ids).toEqual([]);
  for (const log of made) await log.close();
  const plan = await retainSessions(store, { older_than_days: 0, dry_run: true });
  expect(plan).toMatchObject({ session_ids: ['completed'], dry_run: true });
  expect(plan.bytes).toBeGreaterThan(0);
  expect(await store.has('completed')).toBe(true);
  expect((await retainSessions(store, { older_than_days: 1 })).session_ids).toEqual([]);
  expect((await retainSessions(store, { older_than_days: 0, keep_last: 5 })).session_ids).toEqual([]);
  expect((await retainSessions(store, { older_than_days: 0 })).session_ids).toEqual(['completed']);
  expect(await store.has('completed')).toBe(false);
  for (const days of [-1, 0.5, Number.NaN])
    await expect(retainSessions(store, { older_than_days: days })).rejects.toMatchObject({
      code: 'INVALID_QUERY',
    });
});
