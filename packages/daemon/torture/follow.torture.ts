import { TempWorkspace } from '@amplifier/testkit';
import { expect, it } from 'vitest';
import { followLoad } from '../test-support/follow-load.js';

it('1,000 followers and 200 sessions at work for ten minutes leave memory flat', async () => {
  await using workspace = await TempWorkspace.create();
  const result = await followLoad({
    folder: workspace.path,
    followers: 1_000,
    sessions: 200,
    rounds: 60,
    round_ms: 10_000,
  });
  console.log(result);
  expect(result.seconds).toBeGreaterThan(590);
  // What is alive depends on the work under way and not on the work done; what is resident is that and the garbage V8 allows.
  expect(result.last_live_mb).toBeLessThan(result.first_live_mb * 1.2);
  expect(result.highest_mb).toBeLessThan(result.settled_mb * 1.3);
});
