import { startDaemon } from '@amplifier/daemon';
import { createClient } from '@amplifier/daemon/client';
import { expect, it } from 'vitest';
import { CliSandbox } from '../packages/cli/test-support/run-cli.js';
import { McpScene } from '../packages/mcp/test-support/mcp-scene.js';

const CODER = `---
meta: { name: coder, description: Codes. }
model_role: coding
provider_preferences:
  - { provider: openai-compatible, model: fake-small }
---
You are coder.
`;

it("an agent's role gives it the same model at every entry point, though the agent also has preferences", async () => {
  await using scene = await McpScene.create({}, { 'agents/coder.md': CODER });
  const { model, home, folder } = scene;
  const settings = {
    config: {
      providers: [
        {
          module: 'provider-openai-compatible',
          config: { base_url: `${model.url}/v1`, default_model: 'fake-1', api_key: 'k' },
        },
      ],
    },
    routing: { overrides: { coding: [{ provider: 'openai-compatible', model: 'fake-l*' }] } },
  };
  await home.write('settings.yaml', JSON.stringify(settings));
  const env = { AMPLIFIER_HOME: home.path };
  await using box = await CliSandbox.create();
  const by = (tool: string, words: string) =>
    `!call ${tool} ${JSON.stringify({ agent: 'coder', instruction: `!say ${words}` })}\n!then\n!say Done.`;
  await box.run(['run', '--agent', 'coder', '!say As a root.'], { env });
  await box.run(['delegate', 'coder', '!say From a shell.'], { env });
  await box.run(['run', by('delegate', 'By a model.')], { env });
  await using server = await scene.connect({ env });
  await server.call('delegate', { cli: 'coder', prompt: '!say Over MCP.' });
  const environment = { ...scene.env, ...env };
  const flags = { port: 0, log_level: 'silent', sync_on_start: false };
  await using daemon = await startDaemon({ users: true, environment, cwd: folder.path, flags });
  const api = createClient(daemon);
  const { data } = await api.POST('/api/v1/sessions', { body: {} });
  await api.POST('/api/v1/sessions/{session_id}/delegate', {
    params: { path: { session_id: data?.session_id ?? '' } },
    body: { agent: 'coder', instruction: '!say Over REST.', wait: 60 },
  });
  const modelOf = (words: string) =>
    model.exchanges.find(({ body }) => {
      const text = JSON.stringify(body);
      return text.includes('You are coder.') && text.includes(words);
    })?.model;
  const ways = ['As a root.', 'From a shell.', 'By a model.', 'Over MCP.', 'Over REST.'];
  expect(ways.map((words) => [words, modelOf(words)])).toEqual(ways.map((words) => [words, 'fake-large']));
});
