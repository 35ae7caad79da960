import { FakeModelServer } from '@amplifier/testkit';
import { expect, it } from 'vitest';
import { RunBench } from '../../test-support/run-bench.js';
import { delegate, runProfile, script } from '../../test-support/run-profile.js';

it('no preference replaces address, headers or key of a provider on the wire: over REST and by a model', async () => {
  await using bench = await RunBench.start();
  await using other = await FakeModelServer.start();
  const config = {
    base_url: `${other.url}/v1`,
    api_key: 'sk-other',
    headers: { authorization: 'Bearer sk-other', 'x-other': 'yes' },
  };
  const provider_preferences = [{ provider: 'openai-compatible', model: 'fake-2', config }];
  const child = { agent: 'scout', instruction: '!say Seen.' };
  const id = await bench.session();
  await bench.daemon.post(`/api/v1/sessions/${id}/delegate`, { ...child, provider_preferences, wait: 60 });
  await bench.run(id, '!say Hello.', { provider_preferences, wait: 60 });
  await bench.run(id, script(delegate({ ...child, provider_preferences }), '!say Done.'), { wait: 60 });
  expect(other.exchanges).toEqual([]);
  expect(bench.model.exchanges.length).toBeGreaterThanOrEqual(2);
  for (const { headers } of bench.model.exchanges) {
    expect(headers.authorization).toBe('Bearer sk-run-test');
    expect(headers).not.toHaveProperty('x-other');
  }
});

it('a key that is not stored with a session is missed by its name, and no placeholder is sent in its place', async () => {
  await using bench = await RunBench.start();
  const { daemon, model } = bench;
  const manifest = runProfile(model.url)
    .replace('name: worker', 'name: literal')
    .replace('${RUN_TEST_KEY}', 'sk-literal-key-of-a-test');
  expect((await daemon.post('/api/v1/profiles', { name: 'literal', manifest })).status).toBe(201);
  const id = await bench.session({ profile_id: 'local/literal' });
  for (let turn = 0; turn < 2; turn++) {
    const { body } = await bench.run(id, '!say Hello.', { wait: 60 });
    expect(body).toMatchObject({ status: 'failed', outcome: { error: { code: 'CREDENTIALS_MISSING' } } });
    expect(body.outcome.error.message).toMatch(/provider-openai-compatible .* has no api_key/);
    await bench.restart();
  }
  const child = { agent: 'scout', instruction: '!say Hello.', wait: 60 };
  const { body } = await daemon.post(`/api/v1/sessions/${id}/delegate`, child);
  expect(JSON.stringify(body)).toMatch(/has no api_key/);
  expect(model.exchanges).toEqual([]);
});
