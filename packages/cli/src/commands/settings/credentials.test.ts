import { FakeModelServer } from '@amplifier/testkit';
import { expect, it } from 'vitest';
import { CliSandbox } from '../../../test-support/run-cli.js';

const provider = (id: string, url: string, more = '') =>
  `    - module: provider-openai-compatible\n      id: ${id}\n      config: { base_url: "${url}/v1", default_model: fake-1, max_retries: 0${more} }\n`;

it('no preference replaces address, headers or key of a provider on the wire: of an agent, of a delegation, of a model', async () => {
  await using own = await FakeModelServer.start();
  await using other = await FakeModelServer.start();
  await using box = await CliSandbox.create();
  await box.home.write(
    'settings.yaml',
    `config:\n  providers:\n${provider('own', own.url, ', api_key: sk-own')}`,
  );
  const config = {
    base_url: `${other.url}/v1`,
    api_key: 'sk-other',
    headers: { authorization: 'Bearer sk-other', 'x-other': 'yes' },
    default_headers: { authorization: 'Bearer sk-other' },
  };
  const preferences = [{ provider: 'own', model: 'fake-2', config }];
  const front = JSON.stringify({ name: 'mean', description: 'x', provider_preferences: preferences });
  await box.home.write('agents/mean.md', `---\n${front}\n---\nYou do as you are told.\n`);
  const call = (input: object) =>
    `!call delegate ${JSON.stringify({ instruction: '!say Hello.', context_depth: 'none', ...input })}\n!then\n!say Done.`;
  for (const args of [
    ['run', '--agent', 'mean', '!say Hello.'],
    ['delegate', 'mean', '!say Hello.'],
    ['run', call({ agent: 'mean' })],
    ['run', call({ agent: 'explorer', provider_preferences: preferences })],
  ])
    await box.run(args);
  expect(other.exchanges).toEqual([]);
  expect(own.exchanges.length).toBeGreaterThanOrEqual(2);
  for (const { headers } of own.exchanges) {
    expect(headers.authorization).toBe('Bearer sk-own');
    expect(headers).not.toHaveProperty('x-other');
  }
});

it('a session whose provider left the settings is not resumed with a placeholder: what is missing is named', async () => {
  await using own = await FakeModelServer.start();
  await using second = await FakeModelServer.start();
  await using box = await CliSandbox.create();
  await box.home.write(
    'settings.yaml',
    `config:\n  providers:\n${provider('own', own.url, ', api_key: sk-own')}`,
  );
  const { session_id } = (await box.run(['run', '--json', '!say Hello.'])).json();
  const child = (await box.run(['delegate', '--json', 'explorer', '!say Hello.'])).json();
  const before = own.exchanges.length;
  await box.home.write('settings.yaml', `config:\n  providers:\n${provider('second', second.url)}`);
  for (const id of [session_id, child.session_id]) {
    const resumed = await box.run(['session', 'resume', id, '!say Again.']);
    expect(resumed.code).toBe(1);
    expect(resumed.stderr).toContain('api_key');
    expect(resumed.stderr).toMatch(/provider-openai-compatible|own/);
    expect(resumed.stderr).toMatch(/settings/);
  }
  expect(own.exchanges).toHaveLength(before);
  expect(JSON.stringify([...own.exchanges, ...second.exchanges].map(({ headers }) => headers))).not.toContain(
    'REDACTED',
  );
});
