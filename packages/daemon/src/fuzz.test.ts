import { expect, it } from 'vitest';
import { fuzzApi } from '../torture/fuzz-api.js';
import { TestDaemon } from '../torture/test-daemon.js';

it('strange requests to every operation are refused in good order', async () => {
  await using daemon = await TestDaemon.start();
  for (let count = 0; count < 5; count++) await daemon.session({ auto_start: true });
  const { operations, requests, statuses } = await fuzzApi(daemon, { rounds: 6, seed: 8 });
  expect(requests).toBe(6 * operations);
  expect(Object.keys(statuses).length).toBeGreaterThan(5);
});
