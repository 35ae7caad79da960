import { TempWorkspace } from '@amplifier/testkit';
import { expect, it } from 'vitest';
import { killWriters } from '../test-support/kill-writers.js';

it('8 writers on 200 sessions, killed at 500 random moments, lose nothing that was acknowledged', async () => {
  await using workspace = await TempWorkspace.create();
  const file = workspace.resolve('record.db');
  const result = await killWriters({ file, writers: 8, sessions: 200, kills: 500, seed: 1 });
  console.log(`${result.acknowledged} acknowledged messages`);
  expect(result.acknowledged).toBeGreaterThan(5_000);
});
