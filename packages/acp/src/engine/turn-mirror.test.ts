import type { LaunchRecord } from '@amplifier/delegation';
import { openMemoryStore } from '@amplifier/sessions';
import { expect, it } from 'vitest';
import { TurnMirror } from './turn-mirror.js';

it('lets others read along what an external agent says, under the id it is stored under', async () => {
  await using store = await openMemoryStore();
  await using log = await store.create();
  const { session_id } = log;
  const launch = { session_id, root_id: session_id, agent: { name: 'acp:x' } } as LaunchRecord;
  const mirror = new TurnMirror({ launch, log, observe: null });
  mirror.thought('Let me see. ');
  mirror.text('I look ');
  mirror.text('around.');
  const open = store.live.snapshots();
  expect(open).toMatchObject([
    { part: 'text', text: 'I look around.' },
    { part: 'reasoning', text: 'Let me see. ' },
  ]);
  mirror.concluded('I look around.', true);
  await mirror.flush();
  const [line] = await store.messages(session_id);
  expect(line?.id).toBe(open[0]?.message_id);
  expect(store.live.snapshots()).toEqual([]);
});
