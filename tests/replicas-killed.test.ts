import { TempWorkspace } from '@amplifier/testkit';
import { expect, it } from 'vitest';
import { tortureReplicas } from '../packages/daemon/test-support/replicas.js';
import { installedVersion, startPostgres } from '../packages/postgres/test-support/start-postgres.js';

// `npm run torture -- replicas` does much more of it.
it('two daemons on one database lose nothing and do nothing twice when one is killed and one cut off', async () => {
  await using folder = await TempWorkspace.create();
  await using server = await startPostgres(installedVersion);
  const accidents = ['kill', 'cut'] as const;
  const counts = await tortureReplicas({
    ...{ folder: folder.path, server, daemons: 2, clients: 2, accidents, seed: 1 },
  });
  expect(counts.runs).toBeGreaterThan(0);
  expect(counts.followed).toBeGreaterThan(counts.told);
  // Takes 20 s on two idle cores, and minutes on busy ones.
}, 600_000);
