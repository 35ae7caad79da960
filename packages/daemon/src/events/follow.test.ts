import { TempWorkspace } from '@amplifier/testkit';
import { expect, it } from 'vitest';
import { followLoad } from '../../torture/follow-load.js';

it('1,000 followers and 200 sessions at work: everything arrives once and in order, and memory is bounded', async () => {
  await using workspace = await TempWorkspace.create();
  const plan = { followers: 1_000, sessions: 200, rounds: 6, round_ms: 10_000 };
  const result = await followLoad({ folder: workspace.path, ...plan });
  const { runs, delivered, highest_mb, first_live_mb, last_live_mb } = result;
  expect(runs).toBe(1_200);
  expect(delivered).toBeGreaterThan(1_000 * 6 * 5);
  expect(highest_mb).toBeLessThan(400);
  expect(last_live_mb).toBeLessThan(first_live_mb * 1.25);
}, 300_000);
