import { fileURLToPath } from 'node:url';
import type { Diagnostic, JsonObject } from '@amplifier/core';
import { FakeModelServer, TempWorkspace } from '@amplifier/testkit';
import { expect, it } from 'vitest';
import { Host } from '../host.js';
import { hostPaths } from '../host-paths.js';
import { openProject } from '../project/open-project.js';
import { listServers } from '../servers/list-servers.js';
import { folderTrust } from '../trust/folder-trust.js';
import { trustFolder } from '../trust/trust-folder.js';

const MCP_SERVER = fileURLToPath(new URL('../../../modules/fixtures/mcp-server.mjs', import.meta.url));
const NODE = JSON.stringify(process.execPath);
const SERVER = JSON.stringify(MCP_SERVER);

async function scene(files: Record<string, string>, own: Record<string, string> = {}, settings = '') {
  const model = await FakeModelServer.start();
  const folder = await TempWorkspace.create(files);
  const person = await TempWorkspace.create(own);
  const provider = `{ module: provider-openai-compatible, config: { base_url: "${model.url}/v1", default_model: fake-1 } }`;
  await person.write('.amplifier/settings.yaml', `config:\n  providers: [${provider}]\n${settings}`);
  const environment = { HOME: person.path, AMPLIFIER_HOME: person.resolve('.amplifier') };
  const paths = hostPaths(folder.path, environment);
  const said: Diagnostic[] = [];
  const project = () =>
    openProject({ cwd: folder.path, environment, report: (each) => void said.push(each) });
  return {
    model,
    folder,
    said,
    project,
    trust: async () => trustFolder(paths, await folderTrust(paths)),
    trustParts: async () => (await folderTrust(paths)).parts.map(({ file, what }) => `${file}: ${what}`),
    /** Runs one turn; gives what the model was offered in it, and the launch. */
    async run(instruction: string, agent?: string) {
      await using host = await Host.open(await project());
      const request = { instruction, safety_mode: 'write', trusted: true } as const;
      const before = model.exchanges.length;
      const { launch } = await host.run(agent === undefined ? request : { ...request, agent });
      const body = (model.exchanges.at(before)?.body ?? {}) as { tools?: { function: { name: string } }[] };
      const offered = (body.tools ?? []).map((tool) => tool.function.name);
      return { offered, launch, asked: JSON.stringify(body) };
    },
    async [Symbol.asyncDispose]() {
      await model[Symbol.asyncDispose]();
      await folder[Symbol.asyncDispose]();
      await person[Symbol.asyncDispose]();
    },
  };
}

const SHARED = `{
  // Comments are allowed, "and this is none": http://x
  "agent": {
    "judge-oc": { "description": "Judges.", "prompt": "{file:./prompts/judge.txt}", "tools": { "write": false }, "maxSteps": 4, },
    "build": { "model": "anthropic/claude-sonnet" },
    "gone": { "description": "x", "prompt": "x", "disable": true },
    "thief": { "description": "x", "prompt": "{file:../secret.txt}" },
    "pickpocket": { "description": "x", "prompt": "{file:./.env}" },
    "../up": { "description": "x", "prompt": "x" },
  },
  "mcp": {
    "tool-of-oc": { "type": "local", "command": [${NODE}, ${SERVER}], "environment": { "A": "{env:HOME}" }, },
    "off": { "type": "local", "command": ["x"], "enabled": false },
    "filed": { "type": "remote", "url": "https://x.example/mcp", "headers": { "K": "{file:~/.key}" } },
  },
}`;
const CODEX = `[mcp_servers.of-cx]
command = ${NODE}
args = [${SERVER}]
startup_timeout_sec = 20
[mcp_servers.docs]
url = "https://docs.example/mcp"
bearer_token_env_var = "DOCS_TOKEN"
enabled_tools = ["search"]
[mcp_servers.cut]
command = "x"
disabled_tools = ["drop"]
[mcp_servers.amplifier]
command = "amplifier"
args = ["mcp"]
`;

it('agents in opencode.json are agents, below ours, with what they turn off turned off', async () => {
  await using at = await scene(
    { 'opencode.jsonc': SHARED, 'prompts/judge.txt': 'You judge, canary-judge.\n', '.env': 'KEY=1\n' },
    {
      '.config/opencode/opencode.json':
        '{"agent":{"mine-oc":{"description":"Mine.","prompt":"You are mine."},"explorer":{"description":"x","prompt":"x"}}}',
    },
  );
  const { agents, problems } = await (await at.project()).agents.listAgents();
  const found = agents.filter(({ path }) => path.includes('opencode.json'));
  expect(found.map(({ name, origin }) => [name, origin])).toEqual([
    ['judge-oc', 'opencode project'],
    ['mine-oc', 'opencode user'],
  ]);
  expect(agents.find(({ name }) => name === 'explorer')?.origin).toBe('foundation');
  const said = problems.map(({ message }) => message).join();
  for (const file of ['secret.txt', '.env']) expect(said).toContain(file);
  const { launch, asked } = await at.run('!say Judged.', 'judge-oc');
  expect(launch).toMatchObject({ safety_mode: 'read_only', agent: { origin: 'opencode project' } });
  expect(asked).toContain('canary-judge');
  await using off = await scene({ 'opencode.jsonc': SHARED }, {}, 'other_tools: { opencode: false }\n');
  const { agents: left } = await (await off.project()).agents.listAgents();
  expect(left.map(({ name }) => name)).not.toContain('judge-oc');
});

it('MCP servers of opencode and Codex are there: the project’s once it is trusted, the user’s at once', async () => {
  await using at = await scene({ 'opencode.jsonc': SHARED }, { '.codex/config.toml': CODEX });
  const listed = async () => {
    const { servers, problems } = await listServers(await at.project());
    const rows = servers.map(({ name, origin, used }) => [name, origin, used]);
    return { rows, problems: problems.join('\n'), servers };
  };
  const before = await listed();
  expect(before.rows).toEqual([
    ['of-cx', 'codex user', true],
    ['docs', 'codex user', true],
    ['tool-of-oc', 'opencode project', false],
  ]);
  expect(before.problems).toMatch(/filed \(.*\{file:…\}/);
  expect(before.problems).toMatch(/cut \(disabled_tools/);
  const config = (name: string): JsonObject =>
    before.servers.find((each) => each.name === name)?.config ?? {};
  expect(config('docs')).toEqual({
    url: 'https://docs.example/mcp',
    headers: { Authorization: `Bearer \${DOCS_TOKEN:}` },
    tools: ['search'],
  });
  // A project gets nothing of the user's environment.
  expect(config('tool-of-oc').env).toEqual({ A: `$\${HOME:}` });
  expect(await at.trustParts()).toEqual([expect.stringMatching(/^opencode\.jsonc: runs: .*mcp-server\.mjs/)]);
  const offered = async () => (await at.run('!say Hi.')).offered.join();
  // A turn waits only so long for a server to be up.
  await expect.poll(offered).toContain('mcp_of-cx_');
  expect(await offered()).not.toContain('mcp_tool-of-oc_');
  await at.trust();
  await expect.poll(offered).toContain('mcp_tool-of-oc_');
  await using off = await scene(
    { 'opencode.jsonc': SHARED },
    { '.codex/config.toml': CODEX },
    'other_tools: false\n',
  );
  expect((await listServers(await off.project())).servers).toEqual([]);
});
