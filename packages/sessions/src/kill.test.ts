import { TempWorkspace } from '@amplifier/testkit';
import { expect, it } from 'vitest';
import { killWriters } from '../test-support/kill-writers.js';

it('three writers that are stopped and killed at random moments lose nothing acknowledged, and write nothing twice', async () => {
  await using workspace = await TempWorkspace.create();
  const file = workspace.resolve('record.db');
  const { acknowledged } = await killWriters({
    file,
    writers: 3,
    sessions: 8,
    kills: 5,
    seed: 7,
    leaseMs: 300,
  });
  expect(acknowledged).toBeGreaterThan(20);
});
