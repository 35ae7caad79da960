import { TempWorkspace } from '@amplifier/testkit';
import { expect, it } from 'vitest';
import { killDaemon } from '../test-support/kill-daemon.js';

it('a daemon killed at random moments loses nothing it acknowledged and leaves nothing half done', async () => {
  await using workspace = await TempWorkspace.create();
  const { acknowledged } = await killDaemon({ home: workspace.resolve('home'), kills: 2, seed: 3 });
  expect(acknowledged).toBeGreaterThan(20);
});
