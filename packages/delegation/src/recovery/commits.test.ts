import { SqlSessionStore } from '@amplifier/sessions';
import { expect, it, vi } from 'vitest';
import { delegating, delegationBench } from '../../test-support/delegation-bench.js';

it('a new root with one delegation takes the same commits, syncs and statements each time', async () => {
  // Without timers neither the lease of the process nor a trailing fact causes an extra commit, and without time a busy machine does not
  // split a transaction that takes long.
  vi.useFakeTimers({ toFake: ['setTimeout', 'performance'] });
  try {
    await using bench = await delegationBench({
      scene: (_, { system, results }) =>
        system.includes('root') && results.length === 0
          ? delegating({ agent: 'explorer', instruction: 'Look.' })
          : { text: 'Done.' },
    });
    await bench.root('Go.');
    const { store } = bench;
    if (!(store instanceof SqlSessionStore)) throw new Error('The store is not a database.');
    for (let run = 0; run < 8; run++) {
      const before = store.counts;
      const { outcome } = await bench.root('Go.');
      expect(outcome).toMatchObject({ status: 'completed' });
      const { commits, syncs, statements } = store.counts;
      expect({
        commits: commits - before.commits,
        syncs: syncs - before.syncs,
        statements: statements - before.statements,
      }).toEqual({ commits: 2, syncs: 1, statements: 20 });
    }
  } finally {
    vi.useRealTimers();
  }
});
