import { fileURLToPath } from 'node:url';
import type { Diagnostic } from '@amplifier/core';
import { FakeModelServer, TempWorkspace } from '@amplifier/testkit';
import { describe, expect, it } from 'vitest';
import { probeModules } from '../assembly/probe-modules.js';
import { Host } from '../host.js';
import { hostPaths } from '../host-paths.js';
import { openProject } from '../project/open-project.js';
import { folderTrust } from '../trust/folder-trust.js';
import { trustFolder } from '../trust/trust-folder.js';

const MCP_SERVER = fileURLToPath(new URL('../../../modules/fixtures/mcp-server.mjs', import.meta.url));

/** A folder, a home folder of a person, and a model that looks at what arrives. */
async function scene(files: Record<string, string>, own: Record<string, string> = {}, settings = '') {
  const server = await FakeModelServer.start();
  const folder = await TempWorkspace.create(files);
  const person = await TempWorkspace.create(own);
  const provider = `{ module: provider-openai-compatible, config: { base_url: "${server.url}/v1", default_model: fake-1 } }`;
  await person.write('.amplifier/settings.yaml', `config:\n  providers: [${provider}]\n${settings}`);
  const environment = { HOME: person.path, AMPLIFIER_HOME: person.resolve('.amplifier') };
  const diagnostics: Diagnostic[] = [];
  const project = () =>
    openProject({ cwd: folder.path, environment, report: (found) => void diagnostics.push(found) });
  return {
    server,
    folder,
    person,
    diagnostics,
    project,
    async trust() {
      const paths = hostPaths(folder.path, environment);
      await trustFolder(paths, await folderTrust(paths));
    },
    /** Runs one turn, and gives what the tools answered and what the model was offered. */
    async run(instruction: string, agent?: string) {
      await using host = await Host.open(await project());
      const request = { instruction, safety_mode: 'write', trusted: true } as const;
      const { outcome, launch } = await host.run(agent === undefined ? request : { ...request, agent });
      const messages = await host.store.messages(launch.session_id);
      const told = messages
        .filter(({ role }) => role === 'tool')
        .map(({ content }) => JSON.stringify(content));
      return { outcome, launch, told };
    },
    offered: (index: number) => offered(server, index),
    async [Symbol.asyncDispose]() {
      await server[Symbol.asyncDispose]();
      await folder[Symbol.asyncDispose]();
      await person[Symbol.asyncDispose]();
    },
  };
}

function offered(server: FakeModelServer, index: number): string[] {
  const { tools = [] } = (server.exchanges.at(index)?.body ?? {}) as {
    tools?: { function: { name: string } }[];
  };
  return tools.map((tool) => tool.function.name).sort();
}

const wire = (server: FakeModelServer, index: number) => JSON.stringify(server.exchanges.at(index)?.body);
const call = (tool: string, input: object) => `!call ${tool} ${JSON.stringify(input)}\n!then\n!say Done.`;

const REVIEWER =
  '---\nname: reviewer-cc\ndescription: Reviews changes.\ntools: Read, Grep, NoSuchTool\nmodel: haiku\npermissionMode: bypassPermissions\nskills: house-style\nmaxTurns: 7\n---\nYou review what changed.\n';
const SKILL =
  '---\nname: house-style\ndescription: How we write.\n---\nWrite short sentences, canary-skill.\n';

describe('an agent of Claude Code', () => {
  it('is listed with its origin below ours, and gets of its parent’s tools only those it names', async () => {
    await using at = await scene(
      {
        '.claude/agents/reviewer-cc.md': REVIEWER,
        '.claude/agents/explorer.md': '---\nname: explorer\ndescription: Theirs.\n---\nx\n',
        '.claude/skills/house-style/SKILL.md': SKILL,
      },
      { '.claude/agents/planner-cc.md': '---\nname: planner-cc\ndescription: Plans.\n---\nYou plan.\n' },
    );
    const { agents } = await (await at.project()).agents.listAgents();
    const origin = (name: string) => agents.find((agent) => agent.name === name)?.origin;
    expect(origin('reviewer-cc')).toBe('claude-code project');
    expect(origin('planner-cc')).toBe('claude-code user');
    expect(origin('explorer')).toBe('foundation');
    await at.run(call('delegate', { agent: 'reviewer-cc', instruction: '!say Reviewed.' }));
    expect(at.offered(0)).toContain('write_file');
    expect(at.offered(1)).toEqual(expect.arrayContaining(['read_file', 'grep']));
    for (const tool of ['bash', 'web_fetch', 'delegate', 'todo']) expect(at.offered(1)).not.toContain(tool);
    expect(wire(at.server, 1)).toMatch(/You review what changed/);
    expect(wire(at.server, 1)).toMatch(/canary-skill/);
    expect(at.diagnostics.map(({ message }) => message).join()).toMatch(/no counterpart to 'NoSuchTool'/);
  });

  it('goes by the name in its file, wherever it lies, and its head need not be YAML', async () => {
    const head = (lines: string) => `---\n${lines}\n---\nYou judge, canary-judge.\n`;
    const example = '<example>\nContext: a change\nuser: "judge it"\n</example>';
    await using at = await scene({
      '.claude/agents/team/one.md': head(
        'name: code-judge\ndescription: Use when: code is to be judged. # yes',
      ),
      '.claude/agents/two.md': head(
        `name: long-judge\ndescription: Judges. Examples:\n\n${example}\nmodel: inherit`,
      ),
      '.claude/agents/three.md': head('description: "Says "yes" or "no""\ntools: Read, Bash(git log: *)'),
      '.claude/agents/all.md': head('name: all\ndescription: x: y\ntools: *'),
      '.claude/agents/lead.md': head(
        'name: lead\ndescription: x\ntools: Agent(code-judge, explorer), TaskList',
      ),
      '.claude/agents/bad.md': head('name: bad\ndescription: x\ndisallowedTools: [Write'),
    });
    const { agents, problems } = await (await at.project()).agents.listAgents();
    const theirs = agents.filter(({ origin }) => origin === 'claude-code project');
    const said = Object.fromEntries(theirs.map(({ name, agent }) => [name, agent.description]));
    expect(said).toEqual({
      'code-judge': 'Use when: code is to be judged. # yes',
      'long-judge': `Judges. Examples:\n\n${example}`,
      three: 'Says "yes" or "no"',
      all: 'x: y',
      lead: 'x',
    });
    expect(problems.filter(({ level }) => level === 'error').map(({ message }) => message)).toEqual([
      expect.stringMatching(/bad\.md:4: The YAML cannot be read/),
    ]);
    const lead = theirs.find(({ name }) => name === 'lead')?.agent.frontmatter;
    expect(lead).toMatchObject({
      agents: ['code-judge', 'explorer'],
      inherit_tools: ['tool-delegate', 'tool-todo'],
    });
    await at.run(call('delegate', { agent: 'code-judge', instruction: '!say Judged.' }));
    expect(wire(at.server, 1)).toContain('canary-judge');
  });

  it('is offered single tools of a module where it names them, and so are agents below it', async () => {
    const head = 'name: runner-cc\ndescription: Runs.\ntools: Read, Bash, Glob, Agent';
    const below = 'name: below-cc\ndescription: Writes.\ntools: Write, Read, Grep, Glob';
    await using at = await scene({
      '.claude/agents/runner-cc.md': `---\n${head}\n---\nYou run.\n`,
      '.claude/agents/below-cc.md': `---\n${below}\n---\nYou write.\n`,
    });
    await at.run(call('delegate', { agent: 'below-cc', instruction: '!say Done.' }), 'runner-cc');
    expect(at.offered(0)).toEqual(expect.arrayContaining(['bash', 'glob', 'list_files', 'read_file']));
    for (const tool of ['write_file', 'edit_file', 'multi_edit', 'grep'])
      expect(at.offered(0)).not.toContain(tool);
    expect(at.offered(1)).toEqual(expect.arrayContaining(['glob', 'read_file']));
    for (const tool of ['write_file', 'grep']) expect(at.offered(1)).not.toContain(tool);
  });

  it('that only reads cannot write, whatever its permission mode says', async () => {
    await using at = await scene({
      '.claude/agents/reviewer-cc.md': REVIEWER,
      '.claude/skills/house-style/SKILL.md': SKILL,
    });
    const { launch, told } = await at.run(
      call('write_file', { file_path: 'made.txt', content: 'x' }),
      'reviewer-cc',
    );
    expect(launch).toMatchObject({
      safety_mode: 'read_only',
      limits: { max_turns: 7 },
      skills: ['house-style'],
    });
    expect(told.join()).toMatch(/No tool is called 'write_file'/);
    await expect(at.folder.read('made.txt')).rejects.toThrow('ENOENT');
  });

  it('is not there when the settings say so', async () => {
    await using at = await scene(
      { '.claude/agents/reviewer-cc.md': REVIEWER, '.opencode/agent/oc.md': '---\ndescription: x\n---\nx\n' },
      {},
      'other_tools: { claude_code: false }\n',
    );
    const names = (await (await at.project()).agents.listAgents()).agents.map(({ name }) => name);
    expect(names).not.toContain('reviewer-cc');
    expect(names).toContain('oc');
  });

  it('that names tools without end is no agent, and holds nobody up', async () => {
    const frozen = `---\nname: frozen\ndescription: x\ntools: "${'a,'.repeat(300_000)}"\n---\nx\n`;
    await using at = await scene({ '.claude/agents/frozen.md': frozen });
    const { agents, problems } = await (await at.project()).agents.listAgents();
    expect(agents.map(({ name }) => name)).not.toContain('frozen');
    expect(problems.map(({ message }) => message).join()).toContain('has 300001 names');
  });

  it('whose skill is not there is not launched', async () => {
    await using at = await scene({ '.claude/agents/reviewer-cc.md': REVIEWER });
    const { told } = await at.run(call('delegate', { agent: 'reviewer-cc', instruction: '!say Reviewed.' }));
    expect(told.join()).toMatch(/There is no skill 'house-style'/);
    expect(at.server.exchanges).toHaveLength(2);
  });
});

it('an agent that lists tools of an MCP server its parent lacks is not launched', async () => {
  await using at = await scene({
    '.claude/agents/tracker.md':
      '---\nname: tracker\ndescription: x\ntools: Read, mcp__issues__search\n---\nx\n',
  });
  const { told } = await at.run(call('delegate', { agent: 'tracker', instruction: '!say Found.' }));
  expect(told.join()).toMatch(/needs the MCP server 'issues'/);
  expect(at.server.exchanges).toHaveLength(2);
});

it('an agent of opencode loses what it turns off', async () => {
  await using at = await scene({
    '.opencode/agent/looker.md':
      '---\ndescription: Looks.\nmode: subagent\nmodel: openai-compatible/fake-2\ntools:\n  write: false\n  bash: false\n---\nYou look.\n',
  });
  await at.trust();
  const { launch } = await at.run('!say Seen.', 'looker');
  expect(at.offered(0)).not.toContain('bash');
  expect(launch).toMatchObject({ safety_mode: 'read_only', agent: { origin: 'opencode project' } });
  expect(at.server.exchanges[0]?.model).toBe('fake-2');
});

it('an agent of Codex is read from its TOML, narrows itself, and a bad one is named with its line', async () => {
  const reviewer = `name = "reviewer-cx"
description = "Reviews changes."
developer_instructions = """
You review, canary-codex.
"""
model = "gpt-6"
sandbox_mode = "read-only"
nickname_candidates = ["Atlas"]

[mcp_servers.docs]
url = "https://docs.example/mcp"
`;
  await using at = await scene(
    {
      '.codex/agents/reviewer-cx.toml': reviewer,
      '.codex/agents/bad.toml': 'name = "bad"\ndescription = \n',
      '.codex/agents/half.toml': 'name = "half"\ndescription = "x"\n',
      '.codex/agents/explorer.toml':
        'name = "explorer"\ndescription = "Theirs."\ndeveloper_instructions = "x"\n',
      '.codex/agents/notes.md': '# Not an agent.\n',
    },
    {
      '.codex/agents/plain-cx.toml':
        'name = "plain-cx"\ndescription = "Plain."\ndeveloper_instructions = "You help."\nsandbox_mode = "danger-full-access"\n',
    },
  );
  await at.trust();
  const { agents, problems } = await (await at.project()).agents.listAgents();
  const named = (name: string) => agents.find((agent) => agent.name === name);
  expect(named('reviewer-cx')).toMatchObject({
    origin: 'codex project',
    agent: { description: 'Reviews changes.' },
  });
  expect(named('plain-cx')?.origin).toBe('codex user');
  expect(named('explorer')?.origin).toBe('foundation');
  expect(agents.map(({ name }) => name)).not.toContain('notes');
  const told = problems.map(({ message }) => message).join('\n');
  expect(told).toMatch(/bad\.toml:2: /);
  expect(told).toMatch(/half\.toml: An agent of Codex needs 'developer_instructions'/);
  const { launch, told: answers } = await at.run(
    call('write_file', { file_path: 'made.txt', content: 'x' }),
    'reviewer-cx',
  );
  expect(launch).toMatchObject({ safety_mode: 'read_only', agent: { origin: 'codex project' } });
  expect(wire(at.server, 0)).toContain('canary-codex');
  expect(answers.join()).toMatch(/is not allowed/);
  expect(told).toMatch(/reviewer-cx\.toml:10: .*MCP servers/);
  const plain = await at.run('!say Hi.', 'plain-cx');
  expect(plain.launch.safety_mode).toBe('write');
});

it('agents of Codex’s settings are read with the files they name, which are none by themselves', async () => {
  const layer = 'model_reasoning_effort = "high"\nsandbox_mode = "read-only"\ndeveloper_instructions = "';
  await using at = await scene({
    '.codex/config.toml':
      '[agents]\nmax_threads = 4\n[agents.docs_cx]\ndescription = "Looks things up."\nconfig_file = "agents/docs-cx.toml"\n[agents.away]\ndescription = "x"\nconfig_file = "../../secret.toml"\n[agents.bare]\ndescription = "Bare."\n',
    '.codex/agents/docs-cx.toml': `${layer}You look up, canary-layer."\n`,
    '.codex/agents/own-cx.toml':
      'name = "own-cx"\ndescription = "Own."\ndeveloper_instructions = "You help."\n',
  });
  await at.trust();
  const { agents, problems } = await (await at.project()).agents.listAgents();
  const theirs = agents.filter(({ origin }) => origin === 'codex project').map(({ name }) => name);
  expect(theirs).toEqual(['own-cx', 'bare', 'docs_cx']);
  const errors = problems.filter(({ level }) => level === 'error').map(({ message }) => message);
  expect(errors).toEqual([expect.stringMatching(/secret\.toml' leads out of/)]);
  const { launch } = await at.run('!say Found.', 'docs_cx');
  expect(launch).toMatchObject({ safety_mode: 'read_only', agent: { origin: 'codex project' } });
  expect(wire(at.server, 0)).toContain('canary-layer');
});

it('commands are read from the settings of opencode, too', async () => {
  const command = { release: { template: 'Release $1.\n!say Released.', description: 'Releases.' } };
  await using at = await scene({ '.opencode/opencode.jsonc': JSON.stringify({ command, mcp: {} }) });
  expect((await at.run('/release 1.2')).outcome).toMatchObject({ text: 'Released.' });
  expect(wire(at.server, 0)).toContain('Release 1.2.');
});

it('a skill is handed to a child by name', async () => {
  await using at = await scene({ '.amplifier/skills/house-style/SKILL.md': SKILL });
  await at.run(call('delegate', { agent: 'explorer', instruction: '!say Seen.', skills: ['house-style'] }));
  expect(wire(at.server, 0)).not.toMatch(/canary-skill/);
  expect(at.offered(0)).toContain('load_skill');
  expect(wire(at.server, 1)).toMatch(/canary-skill/);
});

it('a command of Claude Code is an instruction by name', async () => {
  await using at = await scene({
    '.claude/commands/fix-issue.md':
      '---\ndescription: Fixes.\n---\nFix issue $1 with care: $ARGUMENTS.\n!say Fixed.\n',
  });
  const { outcome } = await at.run('/fix-issue 12 soon');
  expect(outcome).toMatchObject({ status: 'completed', text: 'Fixed.' });
  expect(wire(at.server, 0)).toMatch(/Fix issue 12 with care: 12 soon/);
});

describe('what a command says beside its text holds for its turn alone', () => {
  const bash = call('bash', { command: 'git --version' });
  const head = 'argument-hint: [issue]\nmodel: openai-compatible/fake-9\nallowed-tools: Read, Bash(git:*)';
  const text = `---\n${head}\n---\nLook.\n${bash}\n`;

  /** A session in which nothing runs unless somebody allows it, and nobody is there. */
  async function asking(files: Record<string, string>, own: Record<string, string> = {}) {
    const policy = 'modules: { hooks: [{ module: hooks-approval, config: { default_action: ask } }] }\n';
    return scene(files, own, policy);
  }

  it('its model and what it allows, in the first turn as in a later one', async () => {
    await using at = await asking({}, { '.claude/commands/look.md': text });
    await using host = await Host.open(await at.project());
    const request = { safety_mode: 'write', trusted: true } as const;
    const models = () => at.server.exchanges.map(({ model }) => model);
    const told = async (id: string) =>
      (await host.store.messages(id))
        .filter(({ role }) => role === 'tool')
        .map(({ content }) => String(content));
    const { launch } = await host.run({ ...request, instruction: '/look' });
    const id = launch.session_id;
    expect((await told(id)).join()).toMatch(/git version/);
    await host.delegator.resume(id, bash);
    expect((await told(id)).at(-1)).toMatch(/nobody|denied/i);
    await host.delegator.resume(id, '/look');
    expect((await told(id)).at(-1)).toMatch(/git version/);
    expect(models()).toEqual(['fake-9', 'fake-9', 'fake-1', 'fake-1', 'fake-9', 'fake-9']);
    await host.run({ ...request, instruction: '/look', model: 'fake-1' });
    expect(models().slice(-2), 'a person who names a model gets it').toEqual(['fake-1', 'fake-1']);
  });

  it('a project’s chooses a model once the folder is trusted, and never allows anything', async () => {
    await using at = await asking({ '.claude/commands/look.md': text });
    expect((await at.run('/look')).told.join()).toMatch(/nobody|denied/i);
    await at.trust();
    expect((await at.run('/look')).told.join()).toMatch(/nobody|denied/i);
    expect(at.server.exchanges.map(({ model }) => model)).toEqual(['fake-1', 'fake-1', 'fake-9', 'fake-9']);
  });

  it('a model that is not there is told of, and the turn runs all the same', async () => {
    await using at = await scene({}, { '.claude/commands/deep.md': '---\nmodel: opus\n---\n!say Done.\n' });
    const { outcome } = await at.run('/deep');
    expect(outcome).toMatchObject({
      text: 'Done.',
      warnings: [expect.stringMatching(/model that \/deep requests/)],
    });
  });
});

it('commands of other tools go by the last part of their names, and may be switched off', async () => {
  const files = {
    '.claude/commands/git/tidy.md': 'Tidy up.\n!say Tidied.\n',
    '.claude/skills/sort-up/SKILL.md': '---\nname: sort-up\ndescription: x\n---\nSort $1.\n!say Sorted.\n',
    '.claude/skills/quiet/SKILL.md':
      '---\nname: quiet\ndescription: x\nuser-invocable: false\n---\n!say Loud.\n',
    '.opencode/command/spell.md': '---\ndescription: Spells: all\n---\nSpell $1.\n!say Spelt.\n',
  };
  await using at = await scene(files, { '.codex/prompts/plan.md': 'Plan $ARGUMENTS.\n!say Planned.\n' });
  for (const [line, text] of Object.entries({
    '/tidy': 'Tidied.',
    '/sort-up a': 'Sorted.',
    '/quiet': 'You said: /quiet',
    '/spell x': 'Spelt.',
    '/plan y': 'Planned.',
  }))
    expect((await at.run(line)).outcome).toMatchObject({ text });
  await using off = await scene(files, {}, 'other_tools: false\n');
  await off.run('/spell x');
  expect(wire(off.server, 0)).toContain('/spell x');
});

it('a command of a project reads what it mentions in the folder once that is trusted, and nothing else', async () => {
  await using outside = await TempWorkspace.create({ 'other.md': 'WHAT OTHERS SAY' });
  await using at = await scene({
    '.claude/commands/look.md': `Look at @notes.md and @${outside.resolve('other.md')}.\n!say Seen.\n`,
    'notes.md': 'WHAT THE NOTES SAY',
  });
  await at.run('/look');
  expect(wire(at.server, 0)).toContain('@notes.md');
  expect(wire(at.server, 0)).not.toContain('WHAT THE NOTES SAY');
  await at.trust();
  await at.run('/look');
  expect(wire(at.server, -1)).toContain('WHAT THE NOTES SAY');
  expect(wire(at.server, -1)).not.toContain('WHAT OTHERS SAY');
});

describe('before the folder is trusted nothing of another tool is run', () => {
  it('hooks of its settings run after that, with its JSON, and say no by exit code 2', async () => {
    const hooks = {
      PreToolUse: [
        {
          matcher: 'Write|Edit',
          hooks: [{ type: 'command', command: 'cat > seen.json; echo "not that file" >&2; exit 2' }],
        },
      ],
    };
    const more = {
      ...hooks,
      SessionEnd: [{ hooks: [{ type: 'command', command: 'touch ended.txt' }] }],
      PermissionRequest: [{ hooks: [{ type: 'command', command: 'exit 2' }] }],
    };
    await using at = await scene({ '.claude/settings.json': JSON.stringify({ hooks: more }) });
    const write = call('write_file', { file_path: 'made.txt', content: 'x' });
    await at.run(write);
    await expect(at.folder.read('seen.json')).rejects.toThrow('ENOENT');
    expect(await at.folder.read('made.txt')).toBe('x');
    await at.trust();
    expect(await probeModules(await at.project()), 'looking is not running').toEqual([]);
    await expect(at.folder.read('ended.txt')).rejects.toThrow('ENOENT');
    const { told } = await at.run(write);
    expect(told.join()).toMatch(/not that file/);
    expect(at.diagnostics).toContainEqual(
      expect.objectContaining({
        module_id: 'hooks-shell',
        message: expect.stringMatching(/PermissionRequest have no counterpart/),
      }),
    );
    expect(JSON.parse(await at.folder.read('seen.json'))).toMatchObject({
      hook_event_name: 'PreToolUse',
      tool_name: 'Write',
      tool_input: { file_path: 'made.txt', content: 'x' },
      cwd: at.folder.path,
    });
    const { told: free } = await at.run(call('glob', { pattern: '*' }));
    expect(free.join()).toMatch(/made\.txt/);
  });

  it('hooks match names in linear time, and one whose matcher cannot be used ends the session with its pattern', async () => {
    const name = 'a'.repeat(30);
    const hooks = (matcher: string) => ({
      '.claude/settings.json': JSON.stringify({
        hooks: { SubagentStop: [{ matcher, hooks: [{ type: 'command', command: 'touch ended.txt' }] }] },
      }),
      [`.claude/agents/${name}.md`]: `---\nname: ${name}\ndescription: x\n---\nx\n`,
    });
    const child = call('delegate', { agent: name, instruction: '!say Seen.', context_depth: 'none' });
    await using slow = await scene(hooks('(a+)+b'));
    await slow.trust();
    expect((await slow.run(child)).outcome.status).toBe('completed');
    await expect(slow.folder.read('ended.txt')).rejects.toThrow('ENOENT');
    await using fits = await scene(hooks('a+|b'));
    await fits.trust();
    await fits.run(child);
    expect(await fits.folder.read('ended.txt')).toBe('');
    await using wrong = await scene(hooks('(?!b).*'));
    await wrong.trust();
    const { outcome } = await wrong.run(child);
    expect(outcome.status).toBe('failed');
    expect(JSON.stringify(outcome)).toContain("'(?!b).*' cannot be used");
  });

  it('hooks of the user stay, whatever a trusted project says of the files of other tools', async () => {
    const hooks = { PreToolUse: [{ hooks: [{ type: 'command', command: 'exit 2' }] }] };
    const files = { '.amplifier/settings.yaml': 'other_tools: false\n' };
    await using at = await scene(files, { '.claude/settings.json': JSON.stringify({ hooks }) });
    await at.trust();
    await at.run(call('write_file', { file_path: 'made.txt', content: 'x' }));
    await expect(at.folder.read('made.txt')).rejects.toThrow('ENOENT');
  });

  it('hooks add to a session, change a call, tell the model what is wrong, and send it back to work', async () => {
    const run = (command: string, matcher?: string) => [
      { ...(matcher ? { matcher } : {}), hooks: [{ type: 'command', command }] },
    ];
    const input = { file_path: 'changed.txt', content: 'by the hook' };
    const changed = JSON.stringify({ hookSpecificOutput: { updatedInput: input } });
    const hooks = {
      SessionStart: [...run('echo AT-THE-START', 'startup'), ...run('echo NOT-THEN', 'resume')],
      UserPromptSubmit: run('echo WITH-THE-PROMPT'),
      PreToolUse: run(`echo '${changed}'`, 'Write'),
      PostToolUse: run('echo "no newline at its end" >&2; exit 2', 'Write'),
      // Back to work once, as the variable and the file show that it was here.
      Stop: run(
        'cd "$CLAUDE_PROJECT_DIR"; cat >> stops.jsonl; test -f checked || { touch checked; echo "run the tests first" >&2; exit 2; }',
      ),
      SubagentStop: run('cat > child.json'),
    };
    await using at = await scene({ '.claude/settings.json': JSON.stringify({ hooks }) });
    await at.trust();
    const child = call('delegate', { agent: 'explorer', instruction: '!say Seen.', context_depth: 'none' });
    const write = `!call write_file ${JSON.stringify({ file_path: 'asked.txt', content: 'x' })}`;
    await at.run(`${write}\n!then\n${child}`);
    expect(await at.folder.read('changed.txt')).toBe('by the hook');
    const [first, last] = [wire(at.server, 0), wire(at.server, -1)];
    for (const word of ['AT-THE-START', 'WITH-THE-PROMPT']) expect(first).toContain(word);
    expect(first).not.toContain('NOT-THEN');
    for (const word of ['no newline at its end', 'run the tests first']) expect(last).toContain(word);
    const sent = at.server.exchanges.map((_, index) => wire(at.server, index) ?? '');
    const ofChild = sent.filter((body) => body.includes('Another agent handed you one task'));
    expect(ofChild).toHaveLength(1);
    expect(ofChild.join()).not.toMatch(/AT-THE-START|WITH-THE-PROMPT/);
    const stops = (await at.folder.read('stops.jsonl'))
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(stops.map(({ stop_hook_active }) => stop_hook_active)).toEqual([false, true]);
    expect(JSON.parse(await at.folder.read('child.json'))).toMatchObject({ agent_type: 'explorer' });
  });

  it('hooks of a single agent run after that, for it and what it delegates; its end is its own', async () => {
    const hooks = `hooks:
  PreToolUse:
    - matcher: Bash
      hooks:
        - type: command
          command: 'echo "no shell here" >&2; exit 2'
  Stop:
    - hooks:
        - { type: command, command: 'cat >> ends.jsonl' }
        - { type: prompt, prompt: 'Is it done?' }
`;
    await using at = await scene({
      '.claude/agents/lead-cc.md': `---\nname: lead-cc\ndescription: Leads.\n${hooks}---\nYou lead.\n`,
      '.claude/agents/bad.md': '---\nname: bad\ndescription: x\nhooks: [Stop]\n---\nx\n',
      '.amplifier/hooks/gate/hooks.json': JSON.stringify({
        hooks: {
          PreToolUse: [{ matcher: 'Glob', hooks: [{ command: 'sh $AMPLIFIER_HOOKS_DIR/gate/no.sh' }] }],
        },
      }),
      '.amplifier/hooks/gate/no.sh': 'echo "no looking" >&2; exit 2\n',
    });
    const bash = call('bash', { command: 'touch ran.txt' });
    const { outcome } = await at.run(bash, 'lead-cc');
    expect(outcome.status).toBe('completed');
    expect(await at.folder.read('ran.txt')).toBe('');
    await expect(at.folder.read('ends.jsonl')).rejects.toThrow('ENOENT');
    await at.trust();
    const handed = (agent: string) => call('delegate', { agent, instruction: bash, context_depth: 'none' });
    const refused = () =>
      at.server.exchanges.filter((_, index) => wire(at.server, index)?.includes('no shell here')).length;
    await at.run(handed('lead-cc'));
    expect(refused()).toBe(1);
    await at.run(handed('modular-builder'), 'lead-cc');
    expect(refused(), 'a child of the agent').toBe(2);
    const ends = (await at.folder.read('ends.jsonl')).trim().split('\n');
    expect(ends.map((line) => JSON.parse(line).hook_event_name)).toEqual(['SubagentStop', 'Stop']);
    expect((await at.run(call('glob', { pattern: '*' }))).told.join()).toMatch(/no looking/);
    expect((await at.run(bash)).told.join(), 'not those of another').not.toMatch(/no shell here/);
    const told2 = (await (await at.project()).agents.listAgents()).problems.map(({ message }) => message);
    expect(told2).toEqual(
      expect.arrayContaining([
        expect.stringMatching(/bad\.md:4: 'hooks' is no mapping/),
        expect.stringMatching(/lead-cc\.md:4: The hooks Stop \(prompt\)/),
      ]),
    );
  });

  it('the servers of .mcp.json are started after that, and those of a single agent for it alone', async () => {
    const mcpServers = { fix: { command: process.execPath, args: [MCP_SERVER] } };
    const own = JSON.stringify([{ mine: { type: 'stdio', ...mcpServers.fix } }]);
    await using at = await scene({
      '.mcp.json': JSON.stringify({ mcpServers }),
      '.claude/agents/owner.md': `---\nname: owner\ndescription: x\ntools: Read\nmcpServers: ${own}\n---\nx\n`,
    });
    const servers = (index: number) => [
      ...new Set(at.offered(index).flatMap((name) => /^mcp_(fix|mine)_/.exec(name)?.[1] ?? [])),
    ];
    const delegate = call('delegate', { agent: 'owner', instruction: '!say Found.' });
    await at.run(delegate);
    const before = at.server.exchanges.length;
    for (let index = 0; index < before; index++) expect(servers(index)).toEqual([]);
    await at.trust();
    await at.run(delegate);
    const seen = at.server.exchanges.slice(before).map((_, index) => servers(before + index).join());
    expect(seen.slice(0, 2), 'the parent, and the agent, which lists none of its').toEqual(['fix', 'mine']);
    expect(seen.at(-1)).toBe('fix');
  });

  it('a server of the project takes no tool name of the user’s', async () => {
    const program = { command: process.execPath, args: [MCP_SERVER] };
    // The first server that has a name keeps it.
    const settings = `mcp_servers: ${JSON.stringify({ zz: program })}\n`;
    await using at = await scene(
      {
        '.mcp.json': JSON.stringify({ mcpServers: { aa: program } }),
        '.amplifier/settings.yaml': `mcp_servers: ${JSON.stringify({ bb: program })}\n`,
      },
      {},
      settings,
    );
    await at.trust();
    const plan = await (await at.project()).plan();
    const names = (plan.tools ?? []).flatMap((tool) =>
      typeof tool === 'object' && tool.module === 'tool-mcp'
        ? Object.keys((tool.config?.servers ?? {}) as object)
        : [],
    );
    expect(names[0]).toBe('zz');
    expect(names.sort()).toEqual(['aa', 'bb', 'zz']);
  });
});
