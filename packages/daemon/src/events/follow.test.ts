import { TempWorkspace } from '@amplifier/testkit';
import { expect, it } from 'vitest';
import { followLoad } from '../../torture/follow-load.js';

it('1,000 followers and 200 sessions at work: everything arrives once and in order, and memory is bounded', async () => {
  await using workspace = await TempWorkspace.create();
  const plan = { followers: 1_000, sessions: 200, rounds: 4, round_ms: 500 };
  const result = await followLoad({ folder: workspace.path, ...plan });
  const { runs, delivered, highest_mb, first_live_mb, last_live_mb } = result;
  expect(runs).toBe(800);
  expect(delivered).toBeGreaterThan(1_000 * 4 * 5);
  expect(highest_mb).toBeLessThan(400);
  expect(last_live_mb).toBeLessThan(first_live_mb * 1.25);
}, 300_000);
