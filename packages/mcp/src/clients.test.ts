import { createServer } from 'node:http';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { chaosAgentCommand } from '@amplifier/testkit';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Connection, errorOf, McpScene } from '../test-support/mcp-scene.js';

const visible = [dirname(dirname(dirname(dirname(fileURLToPath(import.meta.url)))))];
const AGENTS = {
  chaos: { command: chaosAgentCommand(), visible },
  second: { command: chaosAgentCommand(), visible },
  broken: { command: chaosAgentCommand('--exit-at-start', '3'), visible },
};

/** What a public list of agents, and a model server, answer. */
const list = createServer((request, response) => {
  const node = {
    id: 'node-agent',
    name: 'Evil',
    distribution: { npx: { package: 'node', args: ['-e', '1'] } },
  };
  const chaosling = {
    id: 'chaosling',
    name: 'Chaosling',
    distribution: { npx: { package: '@x/chaosling@1.0.0', args: ['--acp'] } },
  };
  const models = { models: [{ name: 'llama3.2:3b' }] };
  response.end(JSON.stringify(request.url === '/api/tags' ? models : { agents: [node, chaosling] }));
});

let scene: McpScene;
let server: Connection;
beforeAll(async () => {
  await new Promise<void>((ready) => list.listen(0, '127.0.0.1', ready));
  const address = list.address() as { port: number };
  scene = await McpScene.create(
    { 'a.txt': 'one\n' },
    {
      'settings.yaml': JSON.stringify({ delegation: { agents: AGENTS } }),
      'bin/chaosling': '#!/bin/sh\nexit 1\n',
    },
  );
  const { chmod } = await import('node:fs/promises');
  await chmod(`${scene.home.path}/bin/chaosling`, 0o755);
  const at = `127.0.0.1:${address.port}`;
  server = await scene.connect({
    env: {
      AMPLIFIER_ACP_REGISTRY_URL: `http://${at}/registry.json`,
      OLLAMA_HOST: at,
      PATH: `${scene.home.path}/bin:${process.env.PATH}`,
    },
  });
});
afterAll(async () => {
  await server[Symbol.asyncDispose]();
  await scene[Symbol.asyncDispose]();
  await new Promise((closed) => list.close(closed));
});

const call = async (name: string, input: object = {}) => {
  const answer = await server.call(name, { ...input });
  expect(answer.isError, JSON.stringify(answer.content)).toBeFalsy();
  return answer.structuredContent;
};

it('offers the tools and prompts that users of Rutherford know', async () => {
  const { tools } = await server.client.listTools();
  const { prompts } = await server.client.listPrompts();
  for (const name of ['review', 'plan', 'analyze', 'discover', 'setup']) {
    const tool = tools.find((each) => each.name === name);
    expect(tool?.outputSchema, name).toBeDefined();
    expect(prompts.map((each) => each.name)).toContain(name);
  }
  for (const tool of tools)
    for (const [input, schema] of Object.entries(tool.inputSchema.properties ?? {}))
      expect(JSON.stringify(schema), `${tool.name}.${input}`).toContain('"description"');
  const { messages } = await server.client.getPrompt({ name: 'plan', arguments: { goal: 'Fly.' } });
  expect(JSON.stringify(messages)).toContain('Fly.');
});

it('has several agents review side by side, puts it together, and keeps what failed apart', async () => {
  const reviewed = await call('review', {
    targets: ['acp:chaos', { cli: 'acp:second' }, 'acp:broken'],
    diff: '+!say Looks fine.\n!say Looks fine.',
    role: null,
  });
  expect(reviewed.reviews).toMatchObject([
    { ok: true, text: 'Looks fine.', safety_mode: 'read_only' },
    { ok: true, text: 'Looks fine.' },
    { ok: false, error: { code: 'ACP_HANDSHAKE_FAILED' } },
  ]);
  expect(reviewed).toMatchObject({ ok: true, notice: expect.stringContaining('acp:broken') });
  const together = await call('review', {
    targets: ['acp:chaos', 'acp:second'],
    diff: '!say !say Together. ',
    role: null,
  });
  expect(together).toMatchObject({
    synthesis_by: 'acp:chaos',
    synthesis: 'Together.Together.',
    notice: null,
  });
  const alone = await call('review', { targets: ['acp:chaos'], diff: '!say Fine.', role: null });
  expect(alone).toMatchObject({ ok: true, synthesis: null });
  const nothing = await server.call('review', { targets: ['acp:chaos'] });
  expect(errorOf(nothing)).toMatchObject({ code: 'INVALID_INPUT', message: expect.stringContaining('diff') });
  const nobody = await server.call('review', { targets: ['acp:chaos', 'acp:nobody'], diff: 'x' });
  expect(errorOf(nobody)).toMatchObject({ code: 'UNKNOWN_TARGET' });
});

it('plans without changing anything', async () => {
  const { result } = await call('plan', { cli: 'acp:chaos', goal: 'x\n!write a.txt two\n!say 1. Begin.' });
  expect(result).toMatchObject({ ok: true, safety_mode: 'read_only', target: { role: 'architect' } });
  expect(await scene.folder.read('a.txt')).toBe('one\n');
});

it('tells from past jobs how agents have done and how often they agreed', async () => {
  const prompt = 'Is it right?\n!say VERDICT: yes';
  for (const cli of ['acp:chaos', 'acp:second']) await call('delegate', { cli, prompt, persist: true });
  const { pairs } = await call('analyze');
  expect(pairs).toMatchObject([{ a: 'acp:chaos', b: 'acp:second', questions: 1, agreements: 1 }]);
  const { agents } = await call('analyze', { report: 'agents' });
  const chaos = agents.find(({ agent }: { agent: string }) => agent === 'acp:chaos');
  expect(chaos.succeeded).toBeGreaterThan(0);
});

it('discovers agents and local models, takes no interpreter from a list, and writes only when told to', async () => {
  const found = await call('discover', { probe: false });
  expect(found).toMatchObject({ registry_source: 'network', written: [], write_path: null });
  const named = (id: string) => found.discovered.find((each: { id: string }) => each.id === id);
  expect(named('chaos')).toMatchObject({ new: false, status: 'not_probed' });
  expect(named('chaosling')).toMatchObject({ new: true, command: 'chaosling --acp' });
  expect(Object.keys(found.proposed_config)).toEqual(['chaosling']);
  expect(found.local_models).toMatchObject([{ models: ['llama3.2:3b'] }]);
  await call('discover', { probe: false, write: true });
  const { agents } = await call('capabilities');
  expect(agents.map(({ id }: { id: string }) => id)).toContain('acp:chaosling');
});

it('sets up what is missing, says what is left to the user, and trusts nothing', async () => {
  const would = await call('setup');
  expect(would).toMatchObject({
    written: false,
    trusted: false,
    next: [`amplifier trust ${scene.folder.path}`, 'amplifier doctor'],
  });
  expect(would.proposed.join()).toContain('Ollama');
  const before = await scene.home.read('settings.yaml');
  expect(before).not.toContain('provider-ollama');
  expect(await call('setup', { write: true })).toMatchObject({ written: true });
  const after = await scene.home.read('settings.yaml');
  expect(after).toContain('provider-ollama');
  expect(after).not.toContain('key-of-a-test');
  expect((await call('setup')).proposed).toEqual([]);
});

it('lets an agent into the folder itself only as Rutherford does, and says so', async () => {
  const asked = {
    cli: 'acp:chaos',
    prompt: '!write a.txt direct\n!about',
    safety_mode: 'write',
    direct_workspace_mutation: true,
    working_dir: scene.folder.path,
    trust_workspace: true,
  };
  const closed = await server.call('delegate', asked);
  expect(errorOf(closed)).toMatchObject({
    message: expect.stringContaining('allow_direct_workspace_mutation'),
  });
  const settings = { agents: AGENTS, allow_direct_workspace_mutation: true };
  await scene.home.write('settings.yaml', JSON.stringify({ delegation: settings }));
  const looking = await server.call('delegate', { ...asked, safety_mode: 'read_only' });
  expect(errorOf(looking)).toMatchObject({ message: expect.stringContaining('write or yolo') });
  const relative = await server.call('delegate', { ...asked, working_dir: '.' });
  expect(errorOf(relative)).toMatchObject({ message: expect.stringContaining('absolute') });
  const unlisted = await server.call('delegate', asked);
  expect(errorOf(unlisted)).toMatchObject({ code: 'WORKSPACE_NOT_TRUSTED' });
  await scene.home.write(
    'settings.yaml',
    JSON.stringify({ delegation: { ...settings, trusted_workspaces: [scene.folder.path] } }),
  );
  const { result } = await call('delegate', asked);
  expect(result).toMatchObject({
    ok: true,
    direct_mutation: true,
    changes_applied: true,
    changed_files: ['a.txt'],
  });
  expect(await scene.folder.read('a.txt')).toBe('direct\n');
  const apart = await call('delegate', { ...asked, direct_workspace_mutation: false, prompt: '!say Hi.' });
  expect(apart.result).toMatchObject({ direct_mutation: false });
});
