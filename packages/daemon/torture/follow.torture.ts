import { TempWorkspace } from '@amplifier/testkit';
import { expect, it } from 'vitest';
import { followLoad } from './follow-load.js';

it('1,000 followers and 200 changing sessions for ten minutes leave memory flat', async () => {
  await using workspace = await TempWorkspace.create();
  const result = await followLoad({
    home: workspace.resolve('home'),
    followers: 1_000,
    sessions: 200,
    changes: 600,
    per_second: 200,
  });
  console.log(result);
  expect(result.seconds).toBeGreaterThan(590);
  expect(result.highest_mb).toBeLessThan(result.settled_mb * 1.3);
});
