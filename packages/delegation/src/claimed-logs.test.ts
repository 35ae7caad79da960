import { openMemoryStore, type SessionLog } from '@amplifier/sessions';
import { expect, it } from 'vitest';
import { ClaimedLogs } from './claimed-logs.js';

const note = (log: SessionLog) => log.appendEvents([{ name: 'fact' }]);

it('cuts off a claimed turn with what runs and begins below it, and nothing that has a claim of its own', async () => {
  await using store = await openMemoryStore();
  const claimed = new ClaimedLogs();
  for (const session_id of ['s', 'own']) {
    const parent_id = session_id === 's' ? null : 's';
    await (await store.create({ session_id, parent_id })).close();
  }
  const turn = claimed.hold(await store.open('s', { lease: 1 }), 1);
  const before = claimed.hold(await store.create({ session_id: 'before', parent_id: 's' }));
  const below = claimed.hold(await store.create({ session_id: 'below', parent_id: 'before' }));
  const own = claimed.hold(await store.open('own', { lease: 7 }), 7);
  const other = claimed.hold(await store.create({ session_id: 'other' }));
  claimed.cutOff('s', 2);
  await note(turn);
  claimed.cutOff('s', 1);
  await turn.close();
  const after = claimed.hold(await store.create({ session_id: 'after', parent_id: 's' }));
  for (const log of [turn, before, below, after])
    await expect(note(log)).rejects.toMatchObject({ code: 'FENCED', origin: log.session_id });
  for (const log of [own, other]) await note(log);
  for (const log of [before, below, after, own, other]) await log.close();
  const again = claimed.hold(await store.open('s'));
  const next = claimed.hold(await store.create({ session_id: 'next', parent_id: 's' }));
  for (const log of [again, next]) {
    await note(log);
    await log.close();
  }
});
