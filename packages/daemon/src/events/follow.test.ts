import { TempWorkspace } from '@amplifier/testkit';
import { expect, it } from 'vitest';
import { followLoad } from '../../torture/follow-load.js';

it('1,000 followers and 200 changing sessions: everything arrives once and in order, and memory is bounded', async () => {
  await using workspace = await TempWorkspace.create();
  const home = workspace.resolve('home');
  const result = await followLoad({ home, followers: 1_000, sessions: 200, changes: 60, per_second: 200 });
  expect(result.delivered).toBe(61_000);
  expect(result.highest_mb).toBeLessThan(400);
}, 180_000);
