import { openMemoryStore } from '@amplifier/sessions';
import { expect, it } from 'vitest';
import type { Engine } from './engine/engine.js';
import { StopSwitch } from './engine/stop-switch.js';
import type { LaunchRecord } from './launch-record.js';
import { Limits } from './limits/limits.js';
import { Tree } from './limits/tree.js';
import { runTurn } from './run-turn.js';
import { outcomeIn } from './stored-outcome.js';
import type { Turn } from './turn.js';

it('a resumed session that is stopped while it waits in line keeps the outcome of that turn', async () => {
  const store = await openMemoryStore();
  const log = await store.create({ extra: { turn: 1 } });
  await log.transition('active');
  await log.transition('completed', {
    patch: { extra: { outcome: { status: 'completed' }, outcome_turn: 1 } },
  });
  await log.update({ extra: { turn: 2 } });
  const tree = new Tree('root', Limits.parse({ max_concurrency: 1 }));
  tree.slots.tryAcquire();
  const stop = new StopSwitch();
  stop.stop({ kind: 'cancel', by: 'user' }, 'immediate');
  const launch = {
    session_id: log.session_id,
    depth: 1,
    agent: { name: 'explorer' },
    model: { unmet: [] },
  } as unknown as LaunchRecord;
  const never: Engine = { run: () => Promise.reject(new Error('There was no slot for it.')) };
  const outcome = await runTurn(
    never,
    {
      launch,
      plan: { session: { orchestrator: 'loop', context: 'context' } },
      log,
      number: 2,
      instruction: 'Go on.',
      tree,
      parent: null,
      cancellation: stop,
      observe: null,
    } as unknown as Turn,
    store,
  );
  expect(outcome).toMatchObject({ status: 'cancelled', by: 'user' });
  const metadata = await store.metadata(log.session_id);
  expect(outcomeIn(metadata)).toMatchObject({ status: 'cancelled' });
  expect(metadata.status).toBe('terminated');
});
