import { FakeModelServer, TempWorkspace } from '@amplifier/testkit';
import { describe, expect, it } from 'vitest';
import { Host } from '../host.js';
import { hostPaths } from '../host-paths.js';
import { openProject } from '../project/open-project.js';
import { folderTrust } from '../trust/folder-trust.js';
import { trustFolder } from '../trust/trust-folder.js';

const asked = { safety_mode: 'read_only', trusted: true } as const;

const agent = (name: string, head = '', body = `You are ${name}.`) =>
  `---\nmeta:\n  name: ${name}\n  description: ${name}\n${head}---\n${body}\n`;

/** A project whose matrix sends `coding` to the large model, and an agent that also prefers the small one. */
async function scene(environment: Record<string, string> = {}) {
  const server = await FakeModelServer.start();
  const both =
    'model_role: coding\nprovider_preferences:\n  - {provider: openai-compatible, model: fake-small}\n';
  const folder = await TempWorkspace.create({
    '.amplifier/agents/coder.md': agent('coder', both),
    '.amplifier/agents/lead.md': agent('lead', 'tools: [tool-delegate]\n'),
  });
  const home = await TempWorkspace.create({
    'settings.yaml': [
      'config:',
      '  providers:',
      '    - module: provider-openai-compatible',
      `      config: { base_url: "${server.url}/v1", default_model: fake-1, api_key: k }`,
      'routing:',
      '  overrides:',
      '    coding: [{ provider: openai-compatible, model: "fake-l*" }]',
      '',
    ].join('\n'),
  });
  const own = { AMPLIFIER_HOME: home.path, ...environment };
  const paths = hostPaths(folder.path, own);
  await trustFolder(paths, await folderTrust(paths));
  const project = await openProject({ cwd: folder.path, environment: own });
  const host = await Host.open(project);
  return {
    server,
    folder,
    host,
    project,
    modelOf: (words: string) =>
      server.exchanges
        .map(({ body, model }) => ({ text: JSON.stringify(body), model }))
        .find(({ text }) => text.includes('You are coder.') && text.includes(words))?.model,
    async [Symbol.asyncDispose]() {
      await host.close();
      for (const each of [server, folder, home]) await each[Symbol.asyncDispose]();
    },
  };
}

const call = (agent: string, instruction: string) =>
  `!call delegate ${JSON.stringify({ agent, instruction, context_depth: 'none' })}`;

describe('the role of an agent', () => {
  it('gives the same model to a session that is the agent, to a delegation from outside and to one by a model', async () => {
    await using bench = await scene();
    const { host } = bench;
    await host.run({ agent: 'coder', instruction: '!say As a root.', ...asked });
    const { session_id } = await host.create(asked);
    const parent = await host.parent(session_id);
    await host.delegator.delegate({ agent: 'coder', instruction: '!say From outside.' }, parent);
    await host.run({ instruction: call('coder', 'By a model.'), ...asked });
    expect(['As a root.', 'From outside.', 'By a model.'].map(bench.modelOf)).toEqual([
      'fake-large',
      'fake-large',
      'fake-large',
    ]);
  });

  it('stays when only an effort is asked for', async () => {
    await using bench = await scene();
    await bench.host.run({ agent: 'coder', instruction: '!say Hard.', effort: 'high', ...asked });
    expect(bench.modelOf('Hard.')).toBe('fake-large');
    expect(bench.server.exchanges[0]?.body).toMatchObject({ reasoning_effort: 'high' });
  });

  it('is looked up once for a whole tree: children use what their parent knows of the models', async () => {
    await using bench = await scene();
    const before = bench.server.listings.length;
    const deep = `!call delegate ${JSON.stringify({ agent: 'coder', instruction: 'Leaf.', context_depth: 'none' })}`;
    await bench.host.run({ instruction: call('lead', deep), ...asked });
    expect(bench.server.exchanges.map(({ model }) => model)).toContain('fake-large');
    expect(bench.server.listings.length - before).toBe(1);
  });
});
