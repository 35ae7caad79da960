import { expect, it } from 'vitest';
import { fuzzApi } from '../test-support/fuzz-api.js';
import { TestDaemon } from '../test-support/test-daemon.js';

it.each([5, 6])(
  'strange requests to the server of a user are refused in good order (seed %i)',
  async (seed) => {
    await using daemon = await TestDaemon.startForUser();
    const { requests, statuses } = await fuzzApi(daemon, { rounds: 60, seed });
    console.log(`${requests} requests`, statuses);
    expect(requests).toBeGreaterThan(2_000);
  },
);

it.each([1, 2, 3, 4])('strange requests are refused in good order (seed %i)', async (seed) => {
  await using daemon = await TestDaemon.start();
  for (let count = 0; count < 10; count++) await daemon.session({ auto_start: count % 2 === 0 });
  const { requests, statuses } = await fuzzApi(daemon, { rounds: 60, seed });
  console.log(`${requests} requests`, statuses);
  expect(requests).toBeGreaterThan(2_000);
});
