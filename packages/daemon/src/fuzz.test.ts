import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { fuzzApi } from '../test-support/fuzz-api.js';
import { TestDaemon } from '../test-support/test-daemon.js';

/** The torture has sixty, with six seeds. */
const ROUNDS = 3;

it('strange requests to every operation are refused in good order', async () => {
  await using daemon = await TestDaemon.start();
  for (let count = 0; count < 5; count++) await daemon.session({ auto_start: true });
  const { operations, requests, statuses } = await fuzzApi(daemon, { rounds: ROUNDS, seed: 8 });
  expect(requests).toBe(ROUNDS * operations);
  expect(Object.keys(statuses).length).toBeGreaterThan(5);
});

it('strange requests to the server of a user are refused in good order', async () => {
  await using daemon = await TestDaemon.startForUser();
  const { operations, requests } = await fuzzApi(daemon, { rounds: ROUNDS, seed: 9 });
  expect(requests).toBe(ROUNDS * operations);
});

describe('a source or agent that is none', () => {
  let daemon: TestDaemon;
  beforeAll(async () => {
    daemon = await TestDaemon.startForUser();
  });
  afterAll(() => daemon[Symbol.asyncDispose]());

  it.each([
    ['POST', '/api/v1/agents/dry-run', { agent: '{{7*7}}', instruction: 'x' }, 400],
    ['POST', '/api/v1/agents/dry-run', { agent: '../../etc/passwd', instruction: 'x' }, 400],
    [
      'POST',
      '/api/v1/collections',
      { identifier: 'x', source: 'git+https://x@-oProxyCommand=touch%20x' },
      400,
    ],
    ['POST', '/api/v1/collections', { identifier: 'x', source: 'git+ssh://-oProxyCommand=touch%20x/y' }, 400],
    ['POST', '/api/v1/collections', { identifier: 'x', source: 'git+ssh://%2doProxyCommand=touch/y' }, 400],
    ['POST', '/api/v1/collections', { identifier: 'x', source: 'git+ssh://-oProxyCommand=x@host/y' }, 400],
    ['POST', '/api/v1/collections', { identifier: 'x', source: 'git+https://host/x@-upload-pack=y' }, 400],
    ['POST', '/api/v1/collections', { identifier: 'x', source: 'https://[/' }, 400],
    ['POST', '/api/v1/collections', { identifier: 'x', source: 'https://host/%zz' }, 400],
    ['POST', '/api/v1/collections', { identifier: 'x', source: 'npm:-rf' }, 400],
  ])('%s %s %j is refused with %i', async (method, path, body, status) => {
    const answer = await daemon.call(method, path, body);
    expect([answer.status, answer.body.code], answer.text).toEqual([
      status,
      expect.stringMatching(/INVALID|VALID/),
    ]);
  });
});
