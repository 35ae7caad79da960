import { FakeModelServer, TempWorkspace } from '@amplifier/testkit';
import { expect, it } from 'vitest';
import { Host } from './host.js';
import { openProject } from './open-project.js';

const settingsFor = ({ url }: FakeModelServer) =>
  `config:\n  providers: [{ module: provider-openai-compatible, config: { base_url: "${url}/v1", default_model: fake-1 } }]\n`;

it('requests of children of one parent are the same byte for byte up to their tasks, and what the cache gave is in their usage', async () => {
  await using server = await FakeModelServer.start({
    script: ({ steps }, index) =>
      index === 0
        ? {
            tool_calls: ['FIRST', 'SECOND'].map((word) => ({
              name: 'delegate',
              arguments: { agent: 'explorer', instruction: `${word} task`, context_depth: 'recent' },
            })),
          }
        : {
            text: 'Done.',
            usage: { input_tokens: 1000, output_tokens: 10, cache_read_tokens: steps.length > 0 ? 900 : 0 },
          },
  });
  await using folder = await TempWorkspace.create({ 'AGENTS.md': 'Write short sentences.' });
  await using home = await TempWorkspace.create({ 'settings.yaml': settingsFor(server) });
  const environment = { AMPLIFIER_HOME: home.path };
  await using host = await Host.open(await openProject({ cwd: folder.path, environment }));
  const { launch } = await host.run({
    instruction: 'Look at both.',
    model: 'fake-1',
    safety_mode: 'write',
    trusted: true,
  });
  const asked = server.exchanges.map(({ body }) => JSON.stringify(body));
  const first = asked.find((body) => body.includes('FIRST task') && !body.includes('SECOND task')) ?? '';
  const second = asked.find((body) => body.includes('SECOND task') && !body.includes('FIRST task')) ?? '';
  const [before = ''] = first.split('FIRST task');
  expect(second.startsWith(before)).toBe(true);
  expect(before).toMatch(/Write short sentences/);
  expect(before).toMatch(/Another agent handed you one task/);
  expect(before).toMatch(/Look at both/);
  const told = (await host.store.messages(launch.session_id)).filter(({ role }) => role === 'tool');
  for (const { content } of told)
    expect(JSON.parse(String(content))).toMatchObject({
      metadata: { cache_hit_rate: 0.9, usage: { cache_read_tokens: 900 } },
    });
});
