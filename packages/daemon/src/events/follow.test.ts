import { TempWorkspace } from '@amplifier/testkit';
import { expect, it } from 'vitest';
import { followLoad } from '../../test-support/follow-load.js';

it('many followers of sessions at work: everything arrives once and in order, and memory is bounded', async () => {
  await using workspace = await TempWorkspace.create();
  const plan = { followers: 60, sessions: 12, rounds: 4, round_ms: 200 };
  const result = await followLoad({ folder: workspace.path, ...plan });
  const { runs, delivered, highest_mb, first_live_mb, last_live_mb } = result;
  expect(runs).toBe(48);
  expect(delivered).toBeGreaterThan(60 * 4 * 5);
  expect(highest_mb).toBeLessThan(400);
  expect(last_live_mb).toBeLessThan(first_live_mb * 1.25);
}, 300_000);
