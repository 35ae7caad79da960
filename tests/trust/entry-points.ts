import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, cp } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { Readable, Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { type ClientContext, client, ndJsonStream } from '@agentclientprotocol/sdk';
import { errorInfo } from '@amplifier/core';
import { Host, openProject, type SafetyMode } from '@amplifier/host';
import { chaosAgentCommand, FakeModelServer, TempWorkspace } from '@amplifier/testkit';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { build } from 'esbuild';
import { makeCli } from '../../packages/cli/src/cli.js';
import { delegate } from '../../packages/cli/src/commands/delegation/delegate.js';
import { run } from '../../packages/cli/src/commands/run/run.js';
import { runProfile } from '../../packages/daemon/test-support/run-profile.js';
import { TestDaemon } from '../../packages/daemon/test-support/test-daemon.js';

const PROGRAM = fileURLToPath(new URL('../../packages/cli/dist/main.js', import.meta.url));
const REPOSITORY = resolve(fileURLToPath(import.meta.url), '../../..');

/** `delegated`: an external agent that nobody named; the model of a session hands it the task. */
const KINDS = ['markdown', 'external', 'delegated'] as const;
export type Kind = (typeof KINDS)[number];

/** An agent of a kind is asked to write made.txt into the folder. */
interface Order {
  folder: string;
  trusted: boolean;
  kind: Kind;
  mode: SafetyMode;
}

/** A place where work is asked for, driven as its users drive it. Whoever is asked for approval there says yes, unless told otherwise. */
export interface EntryPoint {
  name: string;
  /** Those that can be asked for there. */
  kinds: readonly Kind[];
  ask(scene: Scene, order: Order): Promise<{ said: string; asked: boolean }>;
}

const WRITE = '!call write_file {"file_path": "made.txt", "content": "new"}\n!then\n!say Over.';
const WRITE_OUTSIDE = '!write made.txt new\n!say Over.';
const handOn = (agent: string) =>
  `!call delegate ${JSON.stringify({ agent, context_depth: 'none', instruction: WRITE_OUTSIDE })}\n!then\n!say Over.`;
const PROMPTS: Record<Kind, string> = {
  markdown: WRITE,
  external: WRITE_OUTSIDE,
  delegated: handOn('acp:chaos'),
};
const agentOf = (kind: Kind) => (kind === 'external' ? 'acp:chaos' : 'helper');

interface Editor {
  agent: ClientContext;
  child: ChildProcess;
  said: string[];
  asked: number;
  /** What the person in front of it says to every question. */
  answer: 'allow_once' | 'reject_once';
}

/** Two folders, of which the user trusts one, and everything that is driven in them, each opened when it is first needed. */
export class Scene implements AsyncDisposable {
  readonly #before = { ...process.env };
  readonly #toClose: (() => Promise<unknown>)[] = [];
  #mcp: Promise<Client> | undefined;
  #editor: Promise<Editor> | undefined;
  #daemon: { mode: SafetyMode; daemon: Promise<TestDaemon> } | undefined;

  private constructor(
    readonly home: TempWorkspace,
    /** On the path. */
    readonly tools: TempWorkspace,
    readonly trusted: TempWorkspace,
    readonly unknown: TempWorkspace,
    readonly model: FakeModelServer,
  ) {}

  static async open(): Promise<Scene> {
    const helper = '---\nname: helper\ndescription: Helps.\n---\nYou help.\n';
    // A program of the name of a known agent stands in for it where the roster cannot be extended. It is one file: the sandbox
    // shows no more of a temporary folder than the program itself.
    const tools = await TempWorkspace.create();
    const [, agent = ''] = chaosAgentCommand();
    const outfile = tools.resolve('opencode');
    // What the real one is called with means nothing to it.
    const banner = { js: `#!${process.execPath}\nprocess.argv.length = 2;` };
    await build({ entryPoints: [agent], outfile, banner, bundle: true, platform: 'node' });
    await chmod(outfile, 0o755);
    const home = await TempWorkspace.create({ 'agents/helper.md': helper });
    const trusted = await TempWorkspace.create({ 'a.txt': 'one\n' });
    const unknown = await TempWorkspace.create({ 'a.txt': 'one\n' });
    const chaos = { command: chaosAgentCommand(), visible: [REPOSITORY] };
    const delegation = { agents: { chaos }, trusted_workspaces: [trusted.path] };
    await home.write('settings.yaml', JSON.stringify({ delegation }));
    const scene = new Scene(home, tools, trusted, unknown, await FakeModelServer.start());
    Object.assign(process.env, scene.environment);
    return scene;
  }

  get environment(): Record<string, string> {
    const { path } = this.home;
    return {
      ...(Object.fromEntries(
        Object.entries(this.#before).filter(([name]) => !/_API_KEY$|_BASE_URL$/.test(name)),
      ) as Record<string, string>),
      PATH: `${this.tools.path}:${this.#before.PATH}`,
      HOME: this.tools.resolve('user'),
      AMPLIFIER_HOME: path,
      AMPLIFIER_TREES_DIR: this.tools.resolve('trees'),
      ANTHROPIC_API_KEY: 'key',
      ANTHROPIC_BASE_URL: `${this.model.url}/v1`,
      RUN_TEST_KEY: 'key',
      NO_COLOR: '1',
    };
  }

  mcp(): Promise<Client> {
    this.#mcp ??= this.#openMcp();
    return this.#mcp;
  }

  editor(): Promise<Editor> {
    this.#editor ??= this.#openEditor();
    return this.#editor;
  }

  /** The operator named both folders and trusts neither: what the user trusts counts. */
  async daemon(mode: SafetyMode): Promise<TestDaemon> {
    if (this.#daemon?.mode === mode) return this.#daemon.daemon;
    await (await this.#daemon?.daemon)?.[Symbol.asyncDispose]();
    this.#daemon = { mode, daemon: this.#openDaemon(mode) };
    return this.#daemon.daemon;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await (await this.#daemon?.daemon)?.[Symbol.asyncDispose]();
    for (const close of this.#toClose) await close();
    await this.model[Symbol.asyncDispose]();
    for (const name of Object.keys(process.env)) if (!(name in this.#before)) delete process.env[name];
    Object.assign(process.env, this.#before);
    for (const folder of [this.home, this.tools, this.trusted, this.unknown])
      await folder[Symbol.asyncDispose]();
  }

  async #openDaemon(mode: SafetyMode): Promise<TestDaemon> {
    const daemon = await TestDaemon.start();
    const working_roots = [this.trusted.path, this.unknown.path];
    const environment = { ...this.environment, AMPLIFIERD_HOME: daemon.home };
    const runs = { working_roots, trust_working_dir: false, safety_mode: mode };
    await daemon.restart({ environment, flags: { runs } });
    // Settings and agents at /mcp are those of the deployment.
    const filter = (path: string) => !/\/live$|\/amplifier\.db/.test(path);
    await cp(this.home.path, join(daemon.home, 'mcp'), { recursive: true, filter });
    const manifest = runProfile(this.model.url).replace('hooks:\n  - module: hooks-approval\n', '');
    const made = await daemon.post('/api/v1/profiles', { name: 'worker', manifest });
    if (made.status !== 201) throw new Error(made.text);
    return daemon;
  }

  async #openMcp(): Promise<Client> {
    const mcp = new Client({ name: 'test', version: '1.0.0' });
    const [command, args] = [process.execPath, [PROGRAM, 'mcp']];
    await mcp.connect(
      new StdioClientTransport({
        command,
        args,
        cwd: this.home.path,
        env: this.environment,
        stderr: 'ignore',
      }),
    );
    this.#toClose.push(() => mcp.close());
    return mcp;
  }

  async #openEditor(): Promise<Editor> {
    const child = spawn(process.execPath, [PROGRAM, 'acp'], { cwd: this.home.path, env: this.environment });
    child.stderr.resume();
    const { agent } = client({ name: 'editor' })
      .onRequest('session/request_permission', ({ params }) => {
        editor.asked++;
        const option = params.options.find(({ kind }) => kind === editor.answer);
        return { outcome: { outcome: 'selected' as const, optionId: option?.optionId ?? '' } };
      })
      .onNotification('session/update', ({ params: { update } }) => {
        const text = 'content' in update && !Array.isArray(update.content) ? update.content : update;
        editor.said.push(text && 'text' in text ? String(text.text) : JSON.stringify(update));
      })
      .connect(
        ndJsonStream(
          Writable.toWeb(child.stdin) as WritableStream<Uint8Array>,
          Readable.toWeb(child.stdout) as ReadableStream<Uint8Array>,
        ),
      );
    const editor: Editor = { agent, child, said: [], asked: 0, answer: 'allow_once' };
    await agent.request('initialize', { protocolVersion: 1, clientCapabilities: {} });
    this.#toClose.push(async () => {
      const ended = once(child, 'close');
      child.stdin.end();
      await ended;
    });
    return editor;
  }
}

export const ENTRY_POINTS: readonly EntryPoint[] = [
  {
    name: 'amplifier run',
    kinds: KINDS,
    ask: (_scene, { folder, kind, mode }) =>
      typed(folder, (cli) => run(cli, [PROMPTS[kind]], { safety: mode, agent: agentOf(kind) })),
  },
  {
    name: 'amplifier delegate',
    // A child gets no tool to delegate with.
    kinds: ['markdown', 'external'],
    ask: (_scene, { folder, kind, mode }) =>
      typed(folder, (cli) => delegate(cli, agentOf(kind), [PROMPTS[kind]], { safety: mode })),
  },
  {
    name: 'REST',
    kinds: KINDS,
    async ask(scene, { folder, kind, mode }) {
      const daemon = await scene.daemon(mode);
      const id = await daemon.session({ profile_id: 'local/worker', working_dir: folder });
      const path = `/api/v1/sessions/${id}`;
      const named = { agent: 'acp:opencode', instruction: WRITE_OUTSIDE, wait: 60 };
      const instruction = kind === 'markdown' ? WRITE : handOn('acp:opencode');
      const { text } =
        kind === 'external'
          ? await daemon.post(`${path}/delegate`, named)
          : await daemon.post(`${path}/runs`, { instruction, wait: 60 });
      return { said: text, asked: false };
    },
  },
  {
    name: '/mcp of the daemon',
    kinds: KINDS,
    ask: async (scene, { folder, kind, mode }) => ({
      said: await atDaemon(scene, mode, delegateInput(folder, kind, mode)),
      asked: false,
    }),
  },
  {
    name: 'MCP over stdio',
    kinds: KINDS,
    async ask(scene, { folder, kind, mode }) {
      const mcp = await scene.mcp();
      const call = { name: 'delegate', arguments: delegateInput(folder, kind, mode) };
      return { said: JSON.stringify(await mcp.callTool(call)), asked: false };
    },
  },
  {
    name: 'ACP',
    // An editor names no agent.
    kinds: ['markdown', 'delegated'],
    async ask(scene, { folder, kind, mode }) {
      const editor = await scene.editor();
      editor.said.length = 0;
      editor.asked = 0;
      const { sessionId } = await editor.agent.request('session/new', { cwd: folder, mcpServers: [] });
      await editor.agent.request('session/set_mode', { sessionId, modeId: mode });
      const prompt = [{ type: 'text' as const, text: PROMPTS[kind] }];
      const failure = await editor.agent.request('session/prompt', { sessionId, prompt }).then(
        () => '',
        (error) => JSON.stringify(error.data),
      );
      // The client may hand on the last updates just after the answer they came before.
      await new Promise((resolve) => setImmediate(resolve));
      return { said: editor.said.join('') + failure, asked: editor.asked > 0 };
    },
  },
  {
    name: 'library',
    kinds: KINDS,
    async ask(scene, { folder, kind, mode, trusted }) {
      const { environment } = scene;
      const project = await openProject({ cwd: folder, environment, report: () => {} });
      await using host = await Host.open(project);
      const request = { agent: agentOf(kind), instruction: PROMPTS[kind], safety_mode: mode, trusted };
      return { said: JSON.stringify((await host.run(request)).outcome), asked: false };
    },
  },
];

const WRITE_WIDER = '!call write_file {"file_path": "wider.txt", "content": "new"}\n!then\n!say Over.';

/** A child, or a caller, that wants to write where the one above only reads. */
export const WIDER: readonly [name: string, ask: (scene: Scene) => Promise<string>][] = [
  [
    'amplifier delegate',
    async ({ trusted: { path } }) => {
      const parent = await typed(path, (cli) => run(cli, ['!say Over.'], { safety: 'read_only' }));
      const options = { safety: 'write', parent: JSON.parse(parent.said).session_id };
      return (await typed(path, (cli) => delegate(cli, 'helper', [WRITE_WIDER], options))).said;
    },
  ],
  [
    'REST',
    async (scene) => {
      const daemon = await scene.daemon('read_only');
      const id = await daemon.session({ profile_id: 'local/worker', working_dir: scene.trusted.path });
      const task = { agent: 'scribe', instruction: WRITE_WIDER, safety_mode: 'write', wait: 60 };
      return (await daemon.post(`/api/v1/sessions/${id}/delegate`, task)).text;
    },
  ],
  [
    '/mcp of the daemon',
    (scene) =>
      atDaemon(scene, 'read_only', {
        ...{ cli: 'helper', prompt: WRITE_WIDER, safety_mode: 'write' },
        working_dir: scene.trusted.path,
      }),
  ],
];

async function atDaemon(scene: Scene, mode: SafetyMode, input: object): Promise<string> {
  const { daemon } = await scene.daemon(mode);
  const mcp = new Client({ name: 'test', version: '1.0.0' });
  const requestInit = { headers: { authorization: `Bearer ${daemon.token}` } };
  await mcp.connect(new StreamableHTTPClientTransport(new URL(`${daemon.url}/mcp`), { requestInit }));
  const said = JSON.stringify(await mcp.callTool({ name: 'delegate', arguments: { ...input } }));
  await mcp.close();
  return said;
}

function delegateInput(working_dir: string, kind: Kind, safety_mode: SafetyMode) {
  return { cli: agentOf(kind), prompt: PROMPTS[kind], working_dir, safety_mode };
}

/** A command as it is typed where nobody sits at the terminal. */
async function typed(folder: string, command: (cli: ReturnType<typeof makeCli>) => Promise<number>) {
  let said = '';
  const heard = (text: string) => {
    said += `${text}\n`;
  };
  const options = { cwd: folder, json: true, quiet: true, verbose: false, debug: false, strict: false };
  const cli = { ...makeCli(options, { path: '', write: () => {} }), interactive: false };
  Object.assign(cli, {
    print: heard,
    say: heard,
    printJson: (value: unknown) => heard(JSON.stringify(value)),
  });
  await command(cli).catch((error) => heard(JSON.stringify(errorInfo(error))));
  return { said, asked: false };
}
