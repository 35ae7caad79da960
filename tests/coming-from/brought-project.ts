import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { startDaemon } from '@amplifier/daemon';
import { createClient } from '@amplifier/daemon/client';
import { FakeModelServer, PICTURE, TempWorkspace } from '@amplifier/testkit';
import { runHere } from '../../packages/cli/test-support/run-here.js';

const MCP_SERVER = fileURLToPath(new URL('../../packages/modules/fixtures/mcp-server.mjs', import.meta.url));

const hook = (command: string, matcher?: string) => [
  { ...(matcher ? { matcher } : {}), hooks: [{ type: 'command', command }] },
];
const call = (tool: string, input: object) => `!call ${tool} ${JSON.stringify(input)}`;

/** A server with more tools than a model should be shown. */
const MANY_TOOLS = `
  const tools = Array.from({ length: 400 }, (_, at) => ({ name: 'ticket' + at, description: 'Opens a ticket.', inputSchema: { type: 'object' } }));
  require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
    const { id, method, params } = JSON.parse(line);
    const server = { capabilities: { tools: {} }, serverInfo: { name: 'many', version: '1' } };
    const result = method === 'initialize' ? { protocolVersion: params.protocolVersion, ...server } : { tools };
    if (id !== undefined) console.log(JSON.stringify({ jsonrpc: '2.0', id, result }));
  });`;

/** What a person may have who comes from other tools, each with a word by which it is known on the wire. */
const FILES: Record<string, string> = {
  'AGENTS.md': 'canary-agents-md',
  'CLAUDE.md': 'canary-claude-md @docs/rules.md',
  'docs/rules.md': 'canary-import',
  'notes.md': 'canary-notes',
  '.gitignore': '.env\n',
  '.env': 'canary-env\n',
  'secret/key.txt': 'canary-secret',
  '.claude/agents/team/judge.md':
    '---\nname: code-judge\ndescription: Use when: code is to be judged.\ntools: Read, Grep\nmodel: haiku\nskills: house-style\nhooks:\n  SubagentStart:\n    - hooks: [{ type: command, command: echo canary-agent-hook }]\n---\ncanary-judge\n',
  '.claude/skills/house-style/SKILL.md':
    '---\nname: house-style\ndescription: How we write.\n---\ncanary-skill\n',
  '.claude/commands/git/look.md': [
    '---\ndescription: Look at it\nargument-hint: [number]\n---',
    'Look at $1 and @notes.md, canary-command.',
    call('bash', { command: 'echo forbidden' }),
    '!then',
    call('read_file', { file_path: 'secret/key.txt' }),
    '!then',
    call('mcp_find_tools', { query: 'adds two numbers' }),
    '!then',
    call('mcp_fix_add', { a: 2, b: 40 }),
    '!then',
    call('delegate', {
      agent: 'code-judge',
      instruction: '!say Judged.',
      context_depth: 'none',
      attachments: ['pic.png'],
    }),
    '!then',
    '!say Looked.',
  ].join('\n'),
  '.claude/settings.json': JSON.stringify({
    permissions: { deny: ['Read(secret/**)'] },
    hooks: {
      UserPromptSubmit: hook('echo canary-hook'),
      PreToolUse: hook('grep -q forbidden && { echo "canary-refusal" >&2; exit 2; }; exit 0', 'Bash'),
    },
  }),
  '.mcp.json': JSON.stringify({
    mcpServers: {
      fix: { command: process.execPath, args: [MCP_SERVER] },
      many: { command: process.execPath, args: ['-e', MANY_TOOLS] },
    },
  }),
  '.opencode/agent/looker.md':
    '---\ndescription: Looks: closely.\nmode: subagent\ntools:\n  bash: false\n---\nYou look.\n',
  '.codex/config.toml': '[agents.docs_cx]\ndescription = "Looks up."\nconfig_file = "roles/docs.toml"\n',
  '.codex/roles/docs.toml': 'developer_instructions = "You look up."\n',
  '.codex/agents/checker.toml':
    'name = "checker-cx"\ndescription = "Checks."\ndeveloper_instructions = "You check."\nsandbox_mode = "read-only"\n',
};

/** One way in, as far as these files are concerned. */
export interface WayIn {
  name: string;
  /** Runs a turn of a new session with the picture, or another of one that is there. Its id. */
  run(instruction: string, session_id?: string): Promise<string>;
  /** Delegates in the name of a session. What came back. */
  delegate(parent: string, request: Record<string, unknown>): Promise<string>;
  /** The names of the agents it offers to a session. */
  agents(session_id: string): Promise<string[]>;
}

/** A folder with such files, a home, and a model that looks at what arrives. */
export class BroughtProject implements AsyncDisposable {
  readonly #toClose: (() => Promise<unknown>)[] = [];

  private constructor(
    readonly model: FakeModelServer,
    readonly folder: TempWorkspace,
    readonly environment: Record<string, string>,
  ) {}

  static async open(): Promise<BroughtProject> {
    const model = await FakeModelServer.start();
    const folder = await TempWorkspace.create(FILES);
    const home = await TempWorkspace.create({
      '.claude/commands/blind.md': '---\nmodel: blind/fake-1\n---\n!say I cannot see it.\n',
    });
    await writeFile(folder.resolve('pic.png'), Buffer.from(PICTURE, 'base64'));
    const config = { base_url: `${model.url}/v1`, default_model: 'fake-1' };
    const module = 'provider-openai-compatible';
    const providers = [
      { module, config },
      { module, id: 'blind', config: { ...config, vision: false, priority: 200 } },
    ];
    await home.write(
      '.amplifier/settings.yaml',
      JSON.stringify({
        config: { providers },
        delegation: { trusted_workspaces: [folder.path] },
        isolation: { setup: 'echo canary-setup > ready.txt' },
      }),
    );
    const { PATH = '', TMPDIR = '' } = process.env;
    const own = { HOME: home.path, AMPLIFIER_HOME: home.resolve('.amplifier'), NO_COLOR: '1' };
    const all = new BroughtProject(model, folder, { PATH, TMPDIR, ...own });
    all.#toClose.push(...[model, folder, home].map((each) => () => each[Symbol.asyncDispose]()));
    const identity = ['-c', 'user.name=t', '-c', 'user.email=t@example.test'];
    for (const args of [
      ['init', '-q'],
      ['add', '-A'],
      [...identity, 'commit', '-qm', 'first'],
    ])
      await all.#program('git', args);
    return all;
  }

  /** What the model was sent since the last time it was asked for. */
  sent(): string[] {
    return this.model.exchanges.splice(0).map(({ body }) => JSON.stringify(body));
  }

  async trust(): Promise<void> {
    await this.#amplifier('trust', '.', '--yes');
  }

  cli(): WayIn {
    const json = async (...args: string[]) => JSON.parse(await this.#amplifier('--json', ...args));
    return {
      name: 'CLI',
      async run(instruction, session_id) {
        const whose = session_id === undefined ? ['--attach', 'pic.png'] : ['--resume', session_id];
        return (await json('run', ...whose, instruction)).session_id;
      },
      async delegate(parent, { agent, instruction, ...more }) {
        const options = Object.entries(more).flatMap(([name, value]) => [
          `--${name.replace('skills', 'skill').replaceAll('_', '-')}`,
          String(value),
        ]);
        const words = [String(agent), String(instruction)];
        return (await json('delegate', '--parent', parent, ...options, ...words)).response;
      },
      async agents() {
        const { agents } = await json('agent', 'list');
        return agents.map(({ name }: { name: string }) => name);
      },
    };
  }

  async rest(): Promise<WayIn> {
    const { environment, folder } = this;
    const flags = { port: 0, log_level: 'silent', sync_on_start: false };
    const daemon = await startDaemon({ users: true, environment, cwd: folder.path, flags });
    this.#toClose.unshift(() => daemon.stop());
    const { url, token } = daemon;
    const api = createClient({ url, token });
    const attachments = [{ name: 'pic.png', data: PICTURE }];
    // Nobody is there to ask.
    const approvals = { timeout_seconds: 0.01, on_timeout: 'allow' } as const;
    return {
      name: 'REST',
      async run(instruction, earlier) {
        const made = earlier === undefined ? await api.POST('/api/v1/sessions', { body: {} }) : null;
        const session_id = earlier ?? made?.data?.session_id;
        if (session_id === undefined) throw new Error(JSON.stringify(made?.error));
        const shown = earlier === undefined ? { attachments } : {};
        const body = { instruction, ...shown, approvals, wait: 60 };
        const params = { path: { session_id } };
        const done = await api.POST('/api/v1/sessions/{session_id}/runs', { params, body });
        if (done.data?.status !== 'completed') throw new Error(JSON.stringify(done.data ?? done.error));
        return session_id;
      },
      async delegate(session_id, request) {
        const { data, error } = await api.POST('/api/v1/sessions/{session_id}/delegate', {
          params: { path: { session_id } },
          body: { ...request, approvals, wait: 60 } as never,
        });
        if (typeof data?.outcome?.text !== 'string') throw new Error(JSON.stringify(data ?? error));
        return data.outcome.text;
      },
      async agents(session_id) {
        const { data = [] } = await api.GET('/api/v1/sessions/{session_id}/agents', {
          params: { path: { session_id }, query: { limit: 100 } },
        });
        return data.map(({ name }) => name);
      },
    };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const close of this.#toClose) await close();
  }

  /** In this process, as the server is. */
  async #amplifier(...args: string[]): Promise<string> {
    const done = await runHere(args, this.folder.path, this.environment, '');
    if (done?.code !== 0) throw new Error(`${args.join(' ')}: ${done?.stdout}${done?.stderr}`);
    return done.stdout;
  }

  async #program(program: string, args: string[]): Promise<string> {
    const child = spawn(program, args, { cwd: this.folder.path, env: this.environment });
    let [said, complaint] = ['', ''];
    child.stdout.on('data', (text) => {
      said += text;
    });
    child.stderr.on('data', (text) => {
      complaint += text;
    });
    await once(child, 'close');
    if (child.exitCode !== 0) throw new Error(`${args.join(' ')}: ${said}${complaint}`);
    return said;
  }
}
