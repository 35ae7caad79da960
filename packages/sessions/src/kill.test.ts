import { TempWorkspace } from '@amplifier/testkit';
import { expect, it } from 'vitest';
import { killWriters } from '../torture/kill-writers.js';

it('writers killed at random moments lose nothing that was acknowledged', async () => {
  await using workspace = await TempWorkspace.create();
  const file = workspace.resolve('record.db');
  const result = await killWriters({ file, writers: 3, sessions: 12, kills: 15, seed: 7 });
  expect(result.acknowledged).toBeGreaterThan(100);
});
