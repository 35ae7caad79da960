import { CancellationToken } from '@amplifier/core';
import { expect, it } from 'vitest';
import { delegationBench } from '../../test-support/delegation-bench.js';
import { outcomeIn } from '../recovery/stored-outcome.js';

it('stores the outcome of a resumed session that is stopped while it waits for a run slot', async () => {
  await using bench = await delegationBench({
    scene: (_, { prompt }) => (prompt.includes('HANG') ? { hang: true } : { text: 'Done.' }),
  });
  await using root = await bench.liveRoot({ limits: { max_concurrency: 1 } });
  const { delegator, store } = bench;
  const { launch } = await delegator.delegate({ agent: 'explorer', instruction: 'first' }, root.parent);
  const busy = delegator.delegate({ agent: 'explorer', instruction: 'HANG' }, root.parent);
  await bench.hanging;
  const cancellation = new CancellationToken();
  cancellation.request('immediate');
  const { outcome } = await delegator.resume(launch.session_id, 'second', { cancellation });
  expect(outcome).toMatchObject({ status: 'cancelled', turn_count: 0 });
  const metadata = await store.metadata(launch.session_id);
  expect(outcomeIn(metadata)).toMatchObject({ status: 'cancelled' });
  expect(metadata).toMatchObject({ status: 'terminated', extra: { turn: 2 }, last_outcome: { turn: 2 } });
  delegator.live.stopAll({ kind: 'cancel', by: 'me' }, 'immediate');
  expect(await busy).toMatchObject({ outcome: { status: 'cancelled' } });
});
