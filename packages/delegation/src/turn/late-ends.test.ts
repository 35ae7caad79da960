import type { AmplifierModule } from '@amplifier/core';
import { VirtualClock } from '@amplifier/testkit';
import { expect, it, vi } from 'vitest';
import { delegationBench, gate } from '../../test-support/delegation-bench.js';

it('a loop that outlives its grace is left behind, and its modules are closed when it ends', async () => {
  const clock = new VirtualClock();
  const [begun, released, closed] = [gate<void>(), gate<void>(), gate<void>()];
  let isClosed = false;
  const modules: Record<string, AmplifierModule> = {
    'loop-deaf': {
      mount: ({ mounts }) =>
        mounts.mount('orchestrator', {
          execute: async () => {
            begun.resolve();
            await released.promise;
            return 'Too late.';
          },
        }),
    },
    'tool-open': {
      mount: () => () => {
        isClosed = true;
        closed.resolve();
      },
    },
  };
  const session = { orchestrator: 'loop-deaf', context: 'context-simple' };
  await using bench = await delegationBench({ clock, modules, plan: { session, tools: ['tool-open'] } });
  const ended = bench.root('Go.');
  await begun.promise;
  bench.delegator.live.stopAll({ kind: 'cancel', by: 'ada' }, 'immediate');
  await clock.advance(5_000);
  expect((await ended).outcome).toMatchObject({ status: 'cancelled', partial_text: '' });
  expect(isClosed).toBe(false);
  released.resolve();
  await closed.promise;
  const { session_id } = (await ended).outcome;
  expect(JSON.stringify(await bench.store.messages(session_id))).not.toContain('Too late.');
});

it('what a child in the background consumed counts once, also when its claim is tried again', async () => {
  await using bench = await delegationBench({ background: true });
  const { queue, delegator } = bench;
  if (!queue) throw new Error('no queue');
  await using root = await bench.liveRoot();
  const addUsage = vi.spyOn(root.parent, 'addUsage');
  const finish = queue.finish.bind(queue);
  const finished = gate<void>();
  let tries = 0;
  queue.finish = async (claim, result) => {
    if (++tries === 1) {
      await queue.release(claim);
      throw Object.assign(new Error('no space left on the device'), { code: 'ENOSPC' });
    }
    const run = await finish(claim, result);
    finished.resolve();
    return run;
  };
  await delegator.delegate({ agent: 'explorer', instruction: 'Look.', background: true }, root.parent);
  await finished.promise;
  expect(tries).toBe(2);
  expect(addUsage.mock.calls.map(([usage]) => usage.total_tokens)).toEqual([15]);
});
