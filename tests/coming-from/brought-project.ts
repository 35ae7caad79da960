import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { startDaemon } from '@amplifier/daemon';
import { createClient } from '@amplifier/daemon/client';
import { FakeModelServer, PICTURE, TempWorkspace } from '@amplifier/testkit';

const PROGRAM = fileURLToPath(new URL('../../packages/cli/dist/main.js', import.meta.url));
const MCP_SERVER = fileURLToPath(new URL('../../packages/modules/fixtures/mcp-server.mjs', import.meta.url));

const hook = (command: string, matcher?: string) => [
  { ...(matcher ? { matcher } : {}), hooks: [{ type: 'command', command }] },
];
const call = (tool: string, input: object) => `!call ${tool} ${JSON.stringify(input)}`;

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
    '---\nname: code-judge\ndescription: Use when: code is to be judged.\ntools: Read, Grep\nmodel: haiku\nskills: house-style\n---\ncanary-judge\n',
  '.claude/skills/house-style/SKILL.md':
    '---\nname: house-style\ndescription: How we write.\n---\ncanary-skill\n',
  '.claude/commands/git/look.md': [
    '---\ndescription: Look at it\nargument-hint: [number]\n---',
    'Look at $1 and @notes.md, canary-command.',
    call('bash', { command: 'echo forbidden' }),
    '!then',
    call('read_file', { file_path: 'secret/key.txt' }),
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
  '.mcp.json': JSON.stringify({ mcpServers: { fix: { command: process.execPath, args: [MCP_SERVER] } } }),
  '.opencode/agent/looker.md':
    '---\ndescription: Looks: closely.\nmode: subagent\ntools:\n  bash: false\n---\nYou look.\n',
  '.codex/agents/checker.toml':
    'name = "checker-cx"\ndescription = "Checks."\ndeveloper_instructions = "You check."\nsandbox_mode = "read-only"\n',
};

/** One way in, as far as these files are concerned. */
export interface WayIn {
  name: string;
  /** Runs a turn of a new session with the picture. Its id. */
  run(instruction: string): Promise<string>;
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
    const home = await TempWorkspace.create();
    await writeFile(folder.resolve('pic.png'), Buffer.from(PICTURE, 'base64'));
    const provider = {
      module: 'provider-openai-compatible',
      config: { base_url: `${model.url}/v1`, default_model: 'fake-1' },
    };
    await home.write(
      '.amplifier/settings.yaml',
      JSON.stringify({
        config: { providers: [provider] },
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
      run: async (instruction) => (await json('run', '--attach', 'pic.png', instruction)).session_id,
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
      async run(instruction) {
        const { data, error } = await api.POST('/api/v1/sessions', { body: {} });
        if (!data) throw new Error(JSON.stringify(error));
        const path = { session_id: data.session_id };
        const body = { instruction, attachments, approvals, wait: 60 };
        const done = await api.POST('/api/v1/sessions/{session_id}/runs', { params: { path }, body });
        if (done.data?.status !== 'completed') throw new Error(JSON.stringify(done.data ?? done.error));
        return data.session_id;
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

  #amplifier(...args: string[]): Promise<string> {
    return this.#program(process.execPath, [PROGRAM, ...args]);
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
