import { systemClock } from '@amplifier/core';
import { openMemoryStore } from '@amplifier/sessions';
import { expect, it } from 'vitest';
import { LogPool } from '../sessions/log-pool.js';
import { RunJournal } from './run-journal.js';
import type { RunOrder } from './run-record.js';

it('a fact that two write at the same time stands in the log once', async () => {
  await using store = await openMemoryStore();
  await (await store.create({ session_id: 's' })).close();
  const journal = new RunJournal(store, new LogPool(store, systemClock, 0), true);
  const order = { session_id: 's', kind: 'turn', busy: 'queue', continued_from: null } as RunOrder;
  await Promise.all([journal.queued('r', order), journal.queued('r', order), journal.queued('other', order)]);
  const noted = (await store.events('s')).filter(({ name }) => name === 'run:queued');
  expect(noted.map(({ data }) => data.run_id).sort()).toEqual(['other', 'r']);
});
