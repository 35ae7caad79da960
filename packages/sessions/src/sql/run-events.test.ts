import { TempWorkspace } from '@amplifier/testkit';
import { expect, it } from 'vitest';
import { openRunQueue, openSessionStore } from '../open-record.js';
import type { FeedItem, SessionStore } from '../session-store.js';

const event = (id: string) => ({ id, name: `run:${id}`, data: { run_id: 'r' } });

/** The events of runs that the feed has. */
async function runEvents(store: SessionStore, count: number): Promise<FeedItem[]> {
  const found: FeedItem[] = [];
  for await (const item of store.feed({ after: '0', signal: AbortSignal.timeout(5_000) })) {
    if (item.event.name.startsWith('run:')) found.push(item);
    if (found.length === count) break;
  }
  return found;
}

it('events of a run are in the feed with its changes, while another has the session, and not in its log', async () => {
  await using folder = await TempWorkspace.create();
  const file = folder.resolve('record.db');
  await using store = await openSessionStore(file);
  await using queue = await openRunQueue(file);
  await using log = await store.create({ session_id: 's' });
  const request = { session_id: 's', run_id: 'r', kind: 'turn' };
  await queue.enqueue(request, { event: event('queued') });
  await queue.enqueue(request, { event: event('queued again') });
  const claim = await queue.claim();
  if (!claim) throw new Error('nothing to claim');
  await Promise.all([queue.begin(claim, event('started')), log.appendEvents([{ name: 'own' }])]);
  await queue.finish(claim, { status: 'completed' }, { event: event('ended') });
  await queue.finish(claim, { status: 'completed' }, { event: event('ended again') });
  const told = await runEvents(store, 3);
  expect(told.map(({ event: { name, seq, session_id } }) => [name, seq, session_id])).toEqual([
    ['run:queued', 0, 's'],
    ['run:started', 0, 's'],
    ['run:ended', 0, 's'],
  ]);
  const names = (await store.events('s')).map(({ seq, name }) => [seq, name]);
  expect(names).toEqual([
    [1, 'session:created'],
    [2, 'own'],
  ]);
  await log.close();
  await store.delete('s', { force: true });
  await store.emptyTrash(0);
  const later = await store.create({ session_id: 's2' });
  await later.close();
  await queue.enqueue({ session_id: 's2', run_id: 'r2', kind: 'turn' }, { event: event('queued') });
  expect((await runEvents(store, 1))[0]?.event.session_id).toBe('s2');
});
