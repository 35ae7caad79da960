import { chmod } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { hostPaths, openQueue } from '@amplifier/host';
import { FakeModelServer, TempWorkspace } from '@amplifier/testkit';
import { describe, expect, it } from 'vitest';
import { CliSandbox } from '../../../test-support/run-cli.js';

describe('amplifier config', () => {
  it('sets, gets and removes one setting and leaves comments alone', async () => {
    await using box = await CliSandbox.create({
      '.amplifier/settings.yaml': '# ours\nbundle:\n  active: foundation # the default\n',
    });
    await box.trust();
    await box.run(['config', 'set', 'routing.matrix', 'economy', '--project']);
    const file = await box.folder.read('.amplifier/settings.yaml');
    expect(file).toContain('# ours');
    expect(file).toContain('# the default');
    expect((await box.run(['config', 'get', 'routing.matrix'])).stdout).toBe('economy\n');
    await box.run(['config', 'set', 'routing.matrix', '--project']);
    expect((await box.run(['config', 'get', 'routing.matrix'])).code).toBe(1);
    const paths = (await box.run(['config', 'path', '--json'])).json();
    expect(paths).toMatchObject({
      home: box.home.path,
      settings: [{ scope: 'user' }, { scope: 'project', exists: true }, { scope: 'local', exists: false }],
    });
  });

  it('refuses a value that would make the file unusable, and opens the editor', async () => {
    await using box = await CliSandbox.create();
    const refused = await box.run(['config', 'set', 'bundle', 'nonsense']);
    expect(refused.stderr).toMatch(/settings\.yaml/);
    expect(refused.code).toBe(1);
    const env = { EDITOR: 'echo "bundle: { active: foundation }" >' };
    expect((await box.run(['config', 'edit'], { env })).code).toBe(0);
    expect((await box.run(['config', 'get', 'bundle.active'])).stdout).toBe('foundation\n');
  });
});

describe('settings of the loop', () => {
  it('limit the tool calls of one answer: the others are answered with an error', async () => {
    await using server = await FakeModelServer.start();
    await using box = await CliSandbox.create({ 'a.txt': 'A', 'b.txt': 'B', 'c.txt': 'C' });
    const env = { ANTHROPIC_API_KEY: 'k', ANTHROPIC_BASE_URL: `${server.url}/v1` };
    const reads = ['a', 'b', 'c'].map((name) => `!call read_file {"file_path": "${name}.txt"}`);
    const task = `${reads.join('\n')}\n!then\n!say Done.`;
    const results = async () => {
      const done = await box.run(['run', task, '--json'], { env });
      expect(done.json(), done.stderr).toMatchObject({ response: 'Done.' });
      const body = JSON.stringify(server.exchanges.at(-1)?.body);
      return (
        body.slice(body.lastIndexOf('"role":"assistant"')).match(/one answer may make \d+ calls?/g) ?? []
      );
    };
    expect(await results()).toEqual([]);
    await box.run(['config', 'set', 'overrides.loop-streaming.config.max_tool_calls', '2', '--user']);
    expect(await results()).toEqual(['one answer may make 2 calls']);
    await box.run(['config', 'set', 'overrides.loop-streaming.config.max_tool_calls', '0', '--user']);
    const refused = await box.run(['run', task], { env });
    expect(refused.code).toBe(1);
    expect(refused.stderr).toContain('max_tool_calls');
  });
});

describe('amplifier provider', () => {
  it('adds a provider with its key out of the settings, tests it and lists its models', async () => {
    await using server = await FakeModelServer.start();
    await using box = await CliSandbox.create();
    const added = await box.run(
      [
        'provider',
        'add',
        'openai-compatible',
        '--base-url',
        `${server.url}/v1`,
        '--model',
        'fake-1',
        '--api-key',
        '-',
      ],
      { input: 'sk-very-secret\n' },
    );
    expect(added.code).toBe(0);
    expect(await box.home.read('settings.yaml')).not.toContain('sk-very-secret');
    expect(await box.home.read('keys.env')).toContain('sk-very-secret');
    expect((await box.run(['provider', 'list'])).stdout).toMatch(/^✓ +openai-compatible +fake-1/m);
    const tested = await box.run(['provider', 'test', 'openai-compatible']);
    expect(tested.stdout).toMatch(/✓ openai-compatible +fake-1 answered in \d+ ms/);
    expect(server.exchanges[0]?.headers.authorization).toBe('Bearer sk-very-secret');
    expect((await box.run(['provider', 'models', '--json'])).json().models).not.toEqual([]);
    expect((await box.run(['config', 'get'])).stdout).not.toContain('sk-very-secret');
  });

  it('says why a provider cannot be used and which there are', async () => {
    await using box = await CliSandbox.create();
    expect((await box.run(['provider', 'list'])).stdout).toMatch(
      /✗ +provider-anthropic[\s\S]*ANTHROPIC_API_KEY|✗ +provider-anthropic/,
    );
    expect((await box.run(['provider', 'test', 'anthropic'])).code).toBe(1);
    const unknown = await box.run(['provider', 'add', 'anthropik']);
    expect(unknown.stderr).toContain('Choose one of: anthropic');
    expect(unknown.code).toBe(2);
  });
});

describe('amplifier routing', () => {
  it('lists, uses and explains', async () => {
    await using server = await FakeModelServer.start();
    await using box = await CliSandbox.create();
    const env = { ANTHROPIC_API_KEY: 'x', ANTHROPIC_BASE_URL: server.url };
    expect((await box.run(['routing', 'list'])).stdout).toMatch(/^\* balanced$/m);
    expect((await box.run(['routing', 'use', 'economy'])).code).toBe(0);
    expect((await box.run(['routing', 'list'])).stdout).toMatch(/^\* economy$/m);
    expect((await box.run(['routing', 'use', 'ecnomy'])).stderr).toContain("Did you mean 'economy'?");
    const shown = (await box.run(['routing', 'show', '--json'], { env })).json();
    expect(shown.roles).toContainEqual(expect.objectContaining({ role: 'fast' }));
    const unknown = await box.run(['routing', 'explain', 'nonsense'], { env });
    expect(unknown.stdout).toContain("has no role 'nonsense'");
    expect(unknown.code).toBe(1);
  });
});

it('amplifier mcp-server adds, lists, tests and removes a server, and amplifier skill lists skills', async () => {
  const fixture = fileURLToPath(new URL('../../../../modules/fixtures/mcp-server.mjs', import.meta.url));
  await using box = await CliSandbox.create({
    '.mcp.json': JSON.stringify({ mcpServers: { shared: { command: 'some-server' } } }),
    '.claude/skills/tidy/SKILL.md': '---\nname: tidy\ndescription: How to tidy.\n---\nTidy.\n',
  });
  expect((await box.run(['mcp-server', 'add', 'fix', '--', process.execPath, fixture])).code).toBe(0);
  const { servers } = (await box.run(['mcp-server', 'list', '--json'])).json();
  expect(servers).toMatchObject([
    { name: 'fix', origin: 'user', used: true },
    { name: 'shared', origin: '.mcp.json', used: false },
  ]);
  expect((await box.run(['mcp-server', 'test', 'fix'])).stdout).toMatch(/^✓ fix: .*mcp_fix_/m);
  expect((await box.run(['mcp-server', 'test', 'shared'])).stderr).toMatch(/not trusted/);
  expect((await box.run(['mcp-server', 'remove', 'fix'])).code).toBe(0);
  expect((await box.run(['mcp-server', 'list'])).stdout).not.toMatch(/^fix/m);
  expect((await box.run(['skill', 'list'])).stdout).toMatch(/^tidy .*How to tidy\.$/m);
});

describe('amplifier bundle', () => {
  it('runs a bundle written for modules in Python without fetching them, and says what that costs', async () => {
    const source = (id: string) =>
      `{ module: ${id}, source: git+https://github.com/microsoft/amplifier-module-${id}@main }`;
    await using server = await FakeModelServer.start();
    await using box = await CliSandbox.create({
      'house/bundle.md': `---\nbundle: { name: house }\nsession:\n  orchestrator: ${source('loop-streaming')}\n  context: ${source('context-simple')}\ntools:\n  - ${source('tool-filesystem')}\n  - ${source('tool-recipes')}\nhooks:\n  - ${source('hooks-session-naming')}\n  - ${source('hook-redaction')}\n  - { module: hook-shell, config: { enabled: true, timeout: 30 } }\n  - { module: hooks-ours, source: ./py }\nagents: all\n---\nHi.\n`,
      'house/py/pyproject.toml': '[project]\nname = "ours"\n',
      'house/agents/coder.md': `---\nmeta: { name: coder, description: Codes. }\ntools:\n  - ${source('tool-lsp')}\n---\nYou code.\n`,
    });
    const check = (await box.run(['bundle', 'check', './house', '--json'])).json();
    const by = (id: string) => (check.modules as { module: string }[]).find(({ module }) => module === id);
    expect(by('tool-filesystem')).toMatchObject({ served_by: 'built-in', used_by: ['session'] });
    expect(by('tool-recipes')).toMatchObject({
      served_by: 'left out',
      cost: expect.stringMatching(/recipes/),
    });
    expect(by('hook-redaction')).toMatchObject({
      served_by: 'built-in',
      cost: expect.stringMatching(/secrets are taken out/),
    });
    expect(by('hook-shell')).toMatchObject({ served_by: 'built-in' });
    expect(by('hooks-ours')).toMatchObject({
      served_by: 'left out',
      cost: expect.stringMatching(/^nothing replaces it .*written in Python/),
    });
    expect(by('tool-lsp')).toMatchObject({ served_by: 'left out', used_by: ['coder'] });
    const env = { OPENAI_COMPATIBLE_BASE_URL: `${server.url}/v1` };
    const ran = await box.run(['run', '--bundle', './house', '-m', 'fake-1', '!say Done.'], { env });
    expect(ran).toMatchObject({ code: 0, stdout: expect.stringContaining('Done.') });
    expect(ran.stderr.match(/Python modules are left out\. 'amplifier bundle check'/g)).toHaveLength(1);
    expect(ran.stderr).not.toMatch(/hooks-session-naming/);
  });

  const TEAM =
    '---\nbundle:\n  name: team\nincludes:\n  - bundle: foundation\nagents:\n  include: [helper]\n---\nWe are a team.\n';

  it('adds, uses, shows, updates and removes a bundle', async () => {
    await using box = await CliSandbox.create({
      'team/bundle.md': TEAM,
      'team/agents/helper.md': '---\nmeta:\n  name: helper\n  description: Helps.\n---\nYou help.\n',
    });
    expect((await box.run(['bundle', 'add', 'team', './team', '--project'])).code).toBe(0);
    expect((await box.run(['bundle', 'use', 'team', '--project'])).code).toBe(0);
    expect((await box.run(['bundle', 'list'])).stdout).toMatch(/^\* +team +\.\/team$/m);
    expect((await box.run(['bundle', 'show'])).stdout).toContain('We are a team.');
    expect((await box.run(['agent', 'list'])).stdout).toMatch(/^helper +team +Helps\.$/m);
    expect((await box.run(['bundle', 'update', '--json'])).json()).toMatchObject({ name: 'team' });
    const missing = await box.run(['bundle', 'add', 'x', './nowhere']);
    expect(missing.code).toBe(1);
    expect((await box.run(['bundle', 'add', './team'])).stderr, 'a name that is taken').toMatch(
      /The bundle is named 'team'/,
    );
    await box.run(['bundle', 'use', 'foundation', '--project']);
    expect((await box.run(['bundle', 'remove', 'team', '--project'])).code).toBe(0);
    expect((await box.run(['bundle', 'list'])).stdout).not.toMatch(/^\*? +team /m);
    await box.run(['bundle', 'add', './team']);
    expect(
      await box.home.read('settings.yaml'),
      'its own name, and a path that leads there from everywhere',
    ).toContain(`team: ${box.folder.resolve('team')}\n`);
  });
});

describe('amplifier init', () => {
  it('finds a key and local model servers and writes settings that work', async () => {
    await using server = await FakeModelServer.start();
    await using second = await FakeModelServer.start();
    await using box = await CliSandbox.create();
    const env = {
      AMPLIFIER_LOCAL_SERVERS: `lm-studio=${server.url}/v1,vllm=${second.url}/v1`,
      OLLAMA_HOST: server.url.replace('http://', ''),
      ANTHROPIC_API_KEY: 'sk-env',
      PATH: process.env.PATH ?? '',
    };
    const { stdout, code } = await box.run(['init', '--yes', '--no-test'], { env });
    expect(stdout).toMatch(/✓ Anthropic, key in ANTHROPIC_API_KEY/);
    expect(stdout).toMatch(/✓ Ollama at http[\s\S]*✓ LM Studio at http[\s\S]*✓ vLLM at http/);
    expect(code).toBe(0);
    expect(await box.home.read('settings.yaml')).toContain('${ANTHROPIC_API_KEY}');
    expect(await box.home.read('settings.yaml')).not.toContain('sk-env');
    const ran = await box.run(['run', '-p', 'ollama', '--json', '!say Local.'], { env });
    expect(ran.json()).toMatchObject({ status: 'success', response: 'Local.' });
    const other = await box.run(['run', '-p', 'vllm', '--json', '!say Second.'], { env });
    expect(other.json()).toMatchObject({ status: 'success', response: 'Second.' });
    expect(second.exchanges).toHaveLength(1);
  });

  it('says what to do when nothing is found', async () => {
    await using box = await CliSandbox.create();
    const { stdout, code } = await box.run(['init', '--yes'], { env: { OLLAMA_HOST: '127.0.0.1:1' } });
    expect(stdout).toMatch(/ANTHROPIC_API_KEY[\s\S]*ollama serve[\s\S]*provider add/);
    expect(code).toBe(1);
  });
});

describe('amplifier doctor', () => {
  it('says of each part whether it works, and the command that fixes it', async () => {
    await using box = await CliSandbox.create();
    const { stdout, code } = await box.run(['doctor']);
    expect(stdout).toMatch(/✓ node: v\d+/);
    expect(stdout).toMatch(/✓ store: .*can be written/);
    expect(stdout).toMatch(/✗ model: [\s\S]*fix: amplifier init/);
    expect(code).toBe(1);
    const well = await box.run(['doctor', '--json'], { env: { ANTHROPIC_API_KEY: 'x' } });
    expect(well.code).toBe(0);
    expect(well.stdout).not.toContain('"x"');
  });

  it('says what waits in the background, who works on it, and what was set aside', async () => {
    await using box = await CliSandbox.create();
    const idle = await box.run(['doctor']);
    expect(idle.stdout).toMatch(/✓ background work: 0 waiting, no worker running/);
    const paths = hostPaths(box.folder.path, { AMPLIFIER_HOME: box.home.path });
    {
      await using queue = await openQueue(paths.queue);
      await queue.enqueue({ session_id: 'bad', kind: 'delegation' });
      const claim = await queue.claim();
      if (claim) await queue.finish(claim, { status: 'failed', error_code: 'SESSION_CORRUPT' });
      await queue.enqueue({ session_id: 'waits', kind: 'delegation' });
    }
    const { stdout } = await box.run(['doctor']);
    expect(stdout).toMatch(/background work: 1 waiting, no worker running[\s\S]*fix: amplifier worker/);
    expect(stdout).toMatch(/background work: bad could not be run and was skipped \(SESSION_CORRUPT\)/);
  });

  it('names the coding agents of the roster that are installed', async () => {
    await using box = await CliSandbox.create({ 'bin/kimi': '#!/bin/sh\n' });
    await using machine = await TempWorkspace.create({ 'bin/opencode': '#!/bin/sh\n', 'bin/goose': '' });
    await chmod(box.folder.resolve('bin/kimi'), 0o755);
    await chmod(machine.resolve('bin/opencode'), 0o755);
    const PATH = `${box.folder.resolve('bin')}:${machine.resolve('bin')}`;
    const { stdout } = await box.run(['doctor'], { env: { PATH } });
    expect(stdout).toMatch(/^– coding agent opencode: OpenCode started and then failed/m);
    expect(stdout).not.toMatch(/kimi|goose/);
  });

  it('names a settings file that cannot be read', async () => {
    await using box = await CliSandbox.create({ '.amplifier/settings.yaml': 'a: [' });
    await box.run(['trust', '--yes']);
    const { stdout, code } = await box.run(['doctor']);
    expect(stdout).toMatch(/✗ settings: .*settings\.yaml:\d+[\s\S]*fix: amplifier config edit/);
    expect(code).toBe(1);
  });
});

describe('amplifier completion', () => {
  it('asks the program itself, in zsh and fish as well as in bash, and names these where it is another', async () => {
    await using box = await CliSandbox.create();
    for (const shell of ['zsh', 'fish'])
      expect((await box.run(['completion', shell])).stdout).toContain('amplifier complete --');
    expect(await box.run(['completion', 'cmd'])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('bash, zsh, fish'),
    });
  });

  it('knows commands, flags, the values of options, agents and session ids', async () => {
    await using box = await CliSandbox.create({ 'a.txt': 'ALPHA' });
    const { session_id } = (await box.run(['run', '--offline', '--json', 'read a.txt'])).json();
    const complete = async (...words: string[]) =>
      (await box.run(['complete', '--', ...words])).stdout.trimEnd().split('\n');
    expect(await complete('se')).toEqual(['serve', 'session']);
    expect(await complete('run', '--safe')).toEqual(['--safety']);
    expect(await complete('run', '--safety', '')).toEqual(['propose', 'read_only', 'write', 'yolo']);
    expect(await complete('run', '--agent', 'zen')).toEqual(['zen-architect']);
    expect(await complete('delegate', 'expl')).toEqual(['explorer']);
    expect(await complete('session', 'show', 'session_')).toEqual([session_id]);
    expect(await complete('run', '--role', 'fas')).toEqual(['fast']);
  });
});
