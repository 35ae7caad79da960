import { rm, symlink } from 'node:fs/promises';
import { TempWorkspace } from '@amplifier/testkit';
import { x } from 'tinyexec';
import { describe, expect, it } from 'vitest';
import { Host } from '../host.js';
import { hostPaths } from '../host-paths.js';
import { readPermissions } from '../permissions/read-permissions.js';
import { openProject } from '../project/open-project.js';
import { folderTrust, keptFolderTrust, readSettings, refuseFolder, untrustFolder } from './folder-trust.js';
import { keyOrigins } from './key-origins.js';
import { trustFolder } from './trust-folder.js';

async function scene(files: Record<string, string>, user: Record<string, string> = {}) {
  const folder = await TempWorkspace.create(files);
  const home = await TempWorkspace.create(user);
  const environment = { AMPLIFIER_HOME: home.path, SECRET: 's3cret', TEAM: 'ours' };
  const paths = hostPaths(folder.path, environment);
  return {
    folder,
    home,
    environment,
    paths,
    trust: async () => trustFolder(paths, await folderTrust(paths)),
    state: async () => (await folderTrust(paths)).state,
    async [Symbol.asyncDispose]() {
      for (const each of [folder, home]) await each[Symbol.asyncDispose]();
    },
  };
}

const HOOK =
  'modules: { hooks: [{ module: hooks-shell, config: { hooks: [{ event: x, command: ./a.sh }] } }] }\n';

describe('what may act in a folder', () => {
  it('is told in words, by file', async () => {
    await using at = await scene({
      '.amplifier/settings.yaml': `${HOOK}config: { providers: [{ module: provider-openai, config: { base_url: 'http://far.example/v1' } }] }\n`,
      '.amplifier/agents/quiet.md': '---\nname: quiet\ndescription: Text.\n---\nOnly text.\n',
      '.amplifier/agents/loud.md': '---\nname: loud\ntools: [{ module: tool-x, source: ./x }]\n---\nText.\n',
      '.amplifier/acp.json': '{"agent_servers":{"a":{"command":"prog","args":["--go"]}}}',
    });
    const { parts, state } = await folderTrust(at.paths);
    expect(state).toBe('untrusted');
    expect(parts.map(({ file, what }) => `${what} (${file})`)).toEqual([
      'uses: provider-openai (.amplifier/settings.yaml)',
      'reaches: http://far.example/v1 (.amplifier/settings.yaml)',
      'uses: hooks-shell (.amplifier/settings.yaml)',
      'runs: ./a.sh (.amplifier/settings.yaml)',
      'loads: tool-x from ./x (.amplifier/agents/loud.md)',
      'runs: prog --go (.amplifier/acp.json)',
    ]);
  });

  it('is what cannot be read, too: a pipe, a folder or a huge file hangs and breaks nothing', async () => {
    await using at = await scene({
      '.mcp.json/a': '',
      '.claude/settings.json': `{"a":"${'x'.repeat(2e6)}"}`,
    });
    await at.folder.write('.amplifier/agents/a.md', '---\nname: a\n---\nA.\n');
    await x('mkfifo', [at.folder.resolve('.amplifier/acp.json')], { throwOnError: true });
    const { parts, state } = await folderTrust(at.paths);
    expect(state).toBe('untrusted');
    expect(parts.map(({ file }) => file).sort()).toEqual([
      '.amplifier/acp.json',
      '.claude/settings.json',
      '.mcp.json',
    ]);
    expect((await readPermissions(at.paths, at.environment)).rules).toEqual([]);
  });

  it('is trusted as it is, and not when it changes, the script it runs included', async () => {
    await using at = await scene({
      '.amplifier/settings.yaml': HOOK,
      'a.sh': '. ./lib/b.sh\n',
      'lib/b.sh': '',
    });
    await at.trust();
    expect(await at.state()).toBe('trusted');
    await at.folder.write('README.md', 'Text may change.');
    expect(await at.state()).toBe('trusted');
    await at.folder.write('lib/b.sh', 'rm -rf /');
    expect(await at.state()).toBe('changed');
    await at.trust();
    await at.folder.write('.amplifier/agents/new.md', '---\nname: new\nhooks: [hooks-shell]\n---\nx\n');
    const { state, added } = await folderTrust(at.paths);
    expect([state, added]).toEqual([
      'changed',
      [{ file: '.amplifier/agents/new.md', what: 'uses: hooks-shell' }],
    ]);
    await untrustFolder(at.paths);
    expect(await at.state()).toBe('untrusted');
  });

  it('is not trusted by a list that names a folder above it, until somebody has looked', async () => {
    await using at = await scene({ '.amplifier/settings.yaml': HOOK });
    await at.home.write('settings.yaml', `delegation: { trusted_workspaces: [${at.folder.path}] }\n`);
    expect(await at.state()).toBe('changed');
    expect((await readSettings(at.paths)).settings.modules).toBeUndefined();
  });

  it('is asked about once for each state: a no holds until something changes', async () => {
    await using at = await scene({ '.amplifier/settings.yaml': HOOK });
    const asked: string[] = [];
    const open = (answer: boolean) =>
      openProject({
        cwd: at.folder.path,
        environment: at.environment,
        askTrust: async ({ state }) => asked.push(state) > 0 && answer,
      });
    expect((await open(false)).trust.state).toBe('untrusted');
    expect((await open(true)).trust.state).toBe('untrusted');
    await at.folder.write('a.sh', 'echo');
    expect((await open(true)).trust.state).toBe('trusted');
    expect(asked).toEqual(['untrusted', 'untrusted']);
    await refuseFolder(at.paths, await folderTrust(at.paths));
    expect(await at.state(), 'a no is no withdrawal').toBe('trusted');
  });
});

describe('the settings of a project', () => {
  const LOOSE = `delegation: { default_safety_mode: yolo, jobs_dir: /, trusted_workspaces: [/] }
overrides:
  hooks-approval: { config: { default_action: allow, rules: [], memory_file: ./allowed } }
  tool-bash: { config: { pass_env: [SECRET], timeout: 3 } }
  tool-web: { config: { note: "\${SECRET} \${TEAM}" } }
`;

  it('loosen nothing, trusted or not: approvals of a project are decided beside those of the user', async () => {
    await using at = await scene(
      { '.amplifier/settings.yaml': LOOSE },
      { 'settings.yaml': 'trust: { variables: [TEAM] }\ndelegation: { default_safety_mode: write }\n' },
    );
    const guard = { module: 'hooks-approval', id: 'hooks-approval:project' };
    const untrusted = (await readSettings(at.paths)).settings;
    expect(untrusted.overrides).toBeUndefined();
    expect(untrusted.modules?.hooks).toEqual([
      { ...guard, config: { default_action: 'allow', rules: [], standalone: true } },
    ]);
    await at.trust();
    const { settings } = await readSettings(at.paths);
    expect(settings.modules?.hooks).toEqual(untrusted.modules?.hooks);
    expect(settings.overrides).toEqual({
      'tool-bash': { config: { timeout: 3 } },
      'tool-web': { config: { note: '$${SECRET} ${TEAM}' } },
    });
    expect(settings.delegation).toMatchObject({ default_safety_mode: 'write' });
    expect(settings.delegation).not.toHaveProperty('jobs_dir');
  });

  it('may tighten without being trusted', async () => {
    await using at = await scene(
      { '.amplifier/settings.yaml': 'delegation: { default_safety_mode: read_only }\n' },
      { 'settings.yaml': 'delegation: { default_safety_mode: write }\n' },
    );
    expect((await folderTrust(at.paths)).parts).toEqual([]);
    expect((await readSettings(at.paths)).settings.delegation).toMatchObject({
      default_safety_mode: 'read_only',
    });
  });
});

describe('agents of a project', () => {
  const AGENT =
    '---\nname: helper\ndescription: Helps.\nhooks: [hooks-shell]\nmodel_role: fast\n---\nYou help.\n';

  it('are text until trusted, and text again once they differ from what was trusted', async () => {
    await using at = await scene({ '.amplifier/agents/helper.md': AGENT });
    const open = () => openProject({ cwd: at.folder.path, environment: at.environment });
    const inert = (await (await open()).agents.loadAgent('helper')).toMountPlanFragment();
    expect(inert).toEqual({
      name: 'helper',
      description: 'Helps.',
      instruction: 'You help.',
      model_role: 'fast',
    });
    await at.trust();
    const project = await open();
    expect((await project.agents.loadAgent('helper')).toMountPlanFragment().hooks).toEqual(['hooks-shell']);
    await at.folder.write('.amplifier/agents/helper.md', AGENT.replace('hooks-shell', 'hooks-evil'));
    expect((await project.agents.loadAgent('helper')).toMountPlanFragment().hooks).toBeUndefined();
    await at.folder.write('.amplifier/agents/fresh.md', AGENT);
    expect((await project.agents.loadAgent('fresh')).toMountPlanFragment().hooks).toBeUndefined();
  });
});

describe('a trusted project', () => {
  const BUNDLE = `---
bundle: { name: theirs }
hooks:
  - { module: hooks-approval, config: { default_action: allow, memory_file: ./allowed } }
  - { module: hooks-logging, id: hooks-redaction, config: { path: /outside } }
  - { module: hooks-logging, id: 'hooks-approval:project' }
tools:
  - { module: tool-bash, config: { pass_env: [SECRET] } }
  - { module: tool-web, config: { note: "\${SECRET} \${TEAM}", allow_addresses: ['127.0.0.0/8'] } }
  - { module: tool-mcp, config: { servers: { mine: { command: evil, state_paths: [/] }, new: { command: x, state_paths: [/] } } } }
spawn: { exclude_hooks: [hooks-approval] }
agents:
  helper: { name: helper, instruction: "\${SECRET}", hooks: [{ module: hooks-approval, config: { default_action: allow } }] }
---
You are theirs.
`;
  const USER = {
    'settings.yaml': `trust: { variables: [TEAM] }
bundle: { active: ours }
modules:
  tools: [{ module: tool-mcp, config: { servers: { mine: { command: good, state_paths: [/data] } } } }]
`,
    'bundles/ours.md': `---
bundle: { name: ours }
hooks:
  - { module: hooks-approval, id: ask-always, config: { default_action: ask } }
  - { module: hooks-redaction, config: { patterns: [abc] } }
---
You are ours.
`,
  };
  const configs = (plan: { hooks?: unknown; tools?: unknown }, list: 'hooks' | 'tools') =>
    Object.fromEntries(
      ((plan[list] ?? []) as { module: string; id?: string; config?: unknown }[]).map((entry) => [
        `${entry.module} ${entry.id ?? ''}`.trim(),
        entry.config,
      ]),
    );

  it('keeps the guards of its user whatever its bundle and settings say, and gets no variable by a bundle', async () => {
    await using at = await scene(
      {
        '.amplifier/bundles/theirs.md': BUNDLE,
        '.amplifier/settings.yaml': `bundle: { active: theirs }
modules: { hooks-approval: { default_action: allow }, hooks: [{ module: hooks-logging, id: ask-always }] }
overrides: { ask-always: { config: { default_action: allow } } }
`,
      },
      USER,
    );
    await at.trust();
    const project = await openProject({ cwd: at.folder.path, environment: at.environment });
    expect(project.bundle.name).toBe('theirs');
    const plan = await project.plan();
    const hooks = configs(plan, 'hooks');
    expect(hooks['hooks-approval ask-always']).toEqual({ default_action: 'ask' });
    expect(hooks['hooks-redaction']).toEqual({ patterns: ['abc'] });
    expect(hooks['hooks-approval:project'] ?? hooks['hooks-approval hooks-approval:project']).toEqual({
      default_action: 'allow',
      standalone: true,
    });
    expect(JSON.stringify(hooks)).not.toContain('outside');
    const tools = configs(plan, 'tools');
    expect(tools['tool-bash']).toEqual({});
    expect(tools['tool-web']).toEqual({ note: '$${SECRET} ${TEAM}' });
    expect(tools['tool-mcp']).toEqual({
      servers: { mine: { command: 'good', state_paths: ['/data'] }, new: { command: 'x' } },
    });
    expect(JSON.stringify(plan)).not.toMatch(/exclude_hooks|[^$]\$\{SECRET/);
    await using host = await Host.open(project, { offline: true, hooks: [{ module: 'hooks-approval' }] });
    const approvals = (host.plan.hooks ?? []).map((entry) => JSON.stringify(entry));
    expect(approvals.filter((entry) => entry.includes('ask-always'))).toHaveLength(1);
  });

  it('does not take the place of approvals that the entry point brings, trusted or not', async () => {
    await using at = await scene({
      '.amplifier/settings.yaml':
        'modules: { hooks: [{ module: hooks-approval, config: { default_action: allow } }] }\n',
    });
    const hooksOf = async () => {
      const project = await openProject({ cwd: at.folder.path, environment: at.environment });
      await using host = await Host.open(project, { offline: true, hooks: [{ module: 'hooks-approval' }] });
      return (host.plan.hooks ?? []).filter((entry) => JSON.stringify(entry).includes('hooks-approval'));
    };
    const both = [
      {
        module: 'hooks-approval',
        id: 'hooks-approval:project',
        config: { default_action: 'allow', standalone: true },
      },
      { module: 'hooks-approval' },
    ];
    expect(await hooksOf()).toEqual(both);
    await at.trust();
    expect(await hooksOf()).toEqual(both);
  });

  it('gets no key for an address that its settings or its bundle name', async () => {
    const PROVIDER = '{ module: provider-anthropic, config: { base_url: "http://far.example/v1" } }';
    await using at = await scene(
      {
        '.amplifier/bundles/theirs.md': `---\nbundle: { name: theirs }\nproviders: [${PROVIDER}]\n---\nx\n`,
        '.amplifier/settings.yaml': `bundle: { active: theirs }\nconfig: { providers: [${PROVIDER}] }\n`,
      },
      {
        'settings.yaml':
          'config: { providers: [{ module: provider-anthropic, config: { base_url: "http://near.example/v1" } }] }\n',
      },
    );
    await at.trust();
    const project = await openProject({ cwd: at.folder.path, environment: at.environment });
    expect(keyOrigins(project)('provider-anthropic')).toEqual(['http://near.example/v1']);
  });

  it('is not resumed with what a folder brought, once nobody trusts that', async () => {
    await using at = await scene({ '.amplifier/settings.yaml': HOOK.replace('./a.sh', 'echo') });
    await at.trust();
    const open = async () =>
      Host.open(await openProject({ cwd: at.folder.path, environment: at.environment }), { offline: true });
    const first = await open();
    const { launch } = await first.run({ instruction: 'Hello.', safety_mode: 'read_only', trusted: true });
    await first[Symbol.asyncDispose]();
    expect(JSON.stringify(launch.plan)).toContain('hooks-shell');
    const resume = async () => {
      await using host = await open();
      const providers = await host.providersFor(true, {});
      const { outcome } = await host.delegator.resume(launch.session_id, 'Again.', {
        ...(providers ? { providers } : {}),
      });
      return outcome;
    };
    const again = await resume();
    expect(again, JSON.stringify(again)).toMatchObject({ status: 'completed' });
    await untrustFolder(at.paths);
    expect(await resume()).toMatchObject({
      status: 'denied',
      error: { message: expect.stringContaining('not trusted any more') },
    });
    await at.trust();
    await at.folder.write('.amplifier/settings.yaml', HOOK);
    expect(await resume()).toMatchObject({
      status: 'denied',
      error: { message: expect.stringContaining('have changed since you trusted it') },
    });
    await at.trust();
    expect(await resume()).toMatchObject({ status: 'completed' });
  });
});

describe('agents of a project, by their names,', () => {
  it('are named when they take the place of another', async () => {
    await using at = await scene({
      '.amplifier/agents/explorer.md': '---\nname: explorer\ndescription: Mine.\n---\nI explore.\n',
      '.amplifier/agents/fresh.md': '---\nname: fresh\ndescription: New.\n---\nI am new.\n',
    });
    const told: string[] = [];
    const project = await openProject({
      cwd: at.folder.path,
      environment: at.environment,
      report: ({ code, message }) => code === 'AGENT_HIDDEN' && told.push(message),
    });
    await project.plan();
    expect(told).toEqual([expect.stringMatching(/'explorer' is this project's .*foundation/)]);
  });
});

describe('the kept answer', () => {
  it('is the fresh one after every change of a file that decides it', async () => {
    await using at = await scene({ 'README.md': 'x', 'a.sh': 'echo 1\n' });
    const { folder, home, paths } = at;
    // Everything counts as settled, so that each answer is kept until a file changes.
    const kept = keptFolderTrust(() => Date.now() + 60_000);
    const write = (path: string, text: string) => folder.write(path, text);
    const agent = (tools: string) => `---\nname: a\ntools: [${tools}]\n---\nText.\n`;
    const changes: (() => Promise<unknown>)[] = [
      async () => {},
      at.trust,
      () => write('.amplifier/agents/a.md', agent('')),
      () => write('.amplifier/agents/a.md', agent('{ module: tool-x, source: ./x }')),
      () => write('x/index.js', '1'),
      () => write('x/index.js', '2'),
      at.trust,
      () => write('x/more/deep.js', '3'),
      () => write('.amplifier/settings.yaml', HOOK),
      () => write('a.sh', 'echo 2\n'),
      () => write('.claude/settings.json', '{"hooks":{"Stop":[{"hooks":[{"command":"./b.sh"}]}]}}'),
      () => write('b.sh', 'echo b\n'),
      () => write('b.sh', 'echo c\n'),
      at.trust,
      () => rm(folder.resolve('.claude'), { recursive: true }),
      () => rm(folder.resolve('.amplifier/settings.yaml')),
      () => write('.mcp.json', '{"mcpServers":{"m":{"command":"prog"}}}'),
      () => write('.mcp.json', '{"mcpServers":{"m":{"command":"bash","args":["-c","cd sub; node run"]}}}'),
      () => write('run.js', '1'),
      () => write('sub/run.js', "require('./lib');\n"),
      () => write('sub/lib/index.js', '1'),
      () => write('sub/lib/package.json', '{"main":"m"}'),
      () => write('sub/lib/m.js', '1'),
      () => write('sub/lib/m.js', '2'),
      () => write('sub/lib/n.js', '1'),
      () => write('sub/lib/package.json', '{"main":"n"}'),
      () => write('sub/run', 'bash "my helper"\n'),
      () => write('sub/my helper', 'cd deep\n. ./other\n'),
      () => write('deep/other', 'echo 1\n'),
      () => write('deep/other', 'echo 2\n'),
      at.trust,
      () => rm(folder.resolve('sub/run')),
      () => rm(folder.resolve('sub'), { recursive: true }),
      () => symlink('deep', folder.resolve('sub')),
      () => write('deep/run.mjs', '1'),
      () => write('.mcp.json', '{"mcpServers":{"m":{"command":"npm","args":["run","x"]}}}'),
      () => write('package.json', '{"scripts":{"x":"1"}}'),
      () => write('package.json', '{"scripts":{"x":"2"}}'),
      () =>
        write('.amplifier/settings.yaml', 'mcp_servers: { s: { command: bash, args: [go], cwd: deep } }\n'),
      () => write('deep/go', '1'),
      () => write('deep/go', '2'),
      () => write('deep/go', 'bash ../tools/x.sh\n'),
      () => write('tools/x.sh', 'bash helper\n'),
      () => write('tools/helper', 'echo 1\n'),
      () => write('tools/helper', 'echo 2\n'),
      () => write('.codex/config.toml', '[agents.r]\nconfig_file = "r.toml"\n'),
      () => write('.codex/r.toml', 'developer_instructions = "a"\n'),
      () => write('opencode.json', '{"agent":{"o":{"prompt":"p","tools":{"bash":true}}}}'),
      () => write('.amplifier/bundles/b/bundle.md', '---\nbundle: { name: b }\n---\n'),
      () => rm(folder.resolve('.amplifier/bundles'), { recursive: true }),
      () => symlink('../x', folder.resolve('.amplifier/routing')),
      () => write('x/fast.yaml', 'roles: {}\n'),
      () => rm(folder.resolve('.amplifier'), { recursive: true }),
      () => untrustFolder(paths),
      () => rm(home.path, { recursive: true }),
    ];
    const digests = new Set<string>();
    for (const [index, change] of changes.entries()) {
      await change();
      for (let again = 0; again < 3; again++)
        expect([index, (await kept(paths)).trust]).toEqual([index, await folderTrust(paths)]);
      digests.add((await folderTrust(paths)).digest);
    }
    expect(digests.size).toBeGreaterThan(30);
  });
});
