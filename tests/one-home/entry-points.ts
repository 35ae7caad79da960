import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { Readable, Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { type ClientContext, client, ndJsonStream } from '@agentclientprotocol/sdk';
import { startDaemon } from '@amplifier/daemon';
import { createClient } from '@amplifier/daemon/client';
import { Host, openProject } from '@amplifier/host';
import { FakeModelServer, TempWorkspace } from '@amplifier/testkit';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';

const PROGRAM = fileURLToPath(new URL('../../packages/cli/dist/main.js', import.meta.url));

/** One way into the product, as far as a session is concerned. */
export interface EntryPoint {
  name: string;
  /** Starts a session with an instruction. Its id. */
  make(instruction: string): Promise<string>;
  /** The ids of the sessions it lists. */
  list(): Promise<string[]>;
  /** Gives a session another instruction. What it answered. */
  resume(session_id: string, instruction: string): Promise<string>;
  /** What it shows of a session. */
  show(session_id: string): Promise<string>;
}

/** One home, one folder, and every entry point on them. The key is in the home's own file and nowhere else. */
export class OneHome implements AsyncDisposable {
  readonly #toClose: (() => Promise<unknown>)[] = [];

  private constructor(
    readonly home: TempWorkspace,
    readonly folder: TempWorkspace,
    readonly environment: Record<string, string>,
  ) {}

  static async open(): Promise<OneHome> {
    const model = await FakeModelServer.start();
    const home = await TempWorkspace.create();
    const folder = await TempWorkspace.create({ 'a.txt': 'one\n' });
    await home.write('keys.env', `ANTHROPIC_API_KEY=key\nANTHROPIC_BASE_URL=${model.url}/v1\n`);
    await home.write(
      'settings.yaml',
      JSON.stringify({
        config: { providers: [{ module: 'provider-anthropic', config: { base_url: `${model.url}/v1` } }] },
        delegation: { trusted_workspaces: [folder.path] },
      }),
    );
    const { PATH = '' } = process.env;
    const environment = { PATH, HOME: home.path, AMPLIFIER_HOME: home.path, NO_COLOR: '1' };
    const all = new OneHome(home, folder, environment);
    all.#toClose.push(
      () => model[Symbol.asyncDispose](),
      () => folder[Symbol.asyncDispose](),
      () => home[Symbol.asyncDispose](),
    );
    return all;
  }

  async entryPoints() {
    const rest = await this.#rest();
    const points = [this.#cli(), rest, await this.#mcp(), await this.#acp(), await this.#library()];
    return { points: points as EntryPoint[], rest };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const close of this.#toClose) await close();
  }

  /** What is opened last is closed first. */
  #later(close: () => Promise<unknown>): void {
    this.#toClose.unshift(close);
  }

  #cli(): EntryPoint {
    const run = async (...args: string[]) => {
      const child = spawn(process.execPath, [PROGRAM, ...args], {
        cwd: this.folder.path,
        env: this.environment,
      });
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
    };
    return {
      name: 'CLI',
      make: async (instruction) => JSON.parse(await run('--json', 'run', instruction)).session_id,
      async list() {
        const { sessions } = JSON.parse(await run('--json', 'session', 'list'));
        return sessions.map(({ session_id }: { session_id: string }) => session_id);
      },
      resume: (session_id, instruction) => run('session', 'resume', session_id, instruction),
      show: (session_id) => run('session', 'show', session_id),
    };
  }

  async #rest() {
    const { environment, folder } = this;
    const flags = { port: 0, log_level: 'silent', sync_on_start: false };
    const daemon = await startDaemon({ users: true, environment, cwd: folder.path, flags });
    this.#later(() => daemon.stop());
    const { url, token } = daemon;
    const api = createClient({ url, token });
    const run = async (session_id: string, instruction: string) => {
      const path = { session_id };
      const sent = { params: { path }, body: { instruction, wait: 60 } };
      const { data, error } = await api.POST('/api/v1/sessions/{session_id}/runs', sent);
      return JSON.stringify(data?.outcome ?? data ?? error);
    };
    return {
      name: 'REST',
      /** Follows the session's events, as a page that watches it does, until so many turns have ended. */
      async follow(session_id: string, count: number) {
        const ends: string[] = [];
        for await (const { name, data } of api.followEvents({ session_id })) {
          if (name === 'session:status' && data.status === 'completed') ends.push(name);
          if (ends.length === count) break;
        }
        return ends;
      },
      async make(instruction: string) {
        const { data, error } = await api.POST('/api/v1/sessions', { body: {} });
        if (!data) throw new Error(JSON.stringify(error));
        await run(data.session_id, instruction);
        return data.session_id;
      },
      async list() {
        const { data = [] } = await api.GET('/api/v1/sessions', {});
        return data.map(({ session_id }) => session_id);
      },
      resume: run,
      async show(session_id: string) {
        const { data } = await api.GET('/api/v1/sessions/{session_id}/transcript', {
          params: { path: { session_id } },
        });
        return JSON.stringify(data);
      },
    };
  }

  async #mcp(): Promise<EntryPoint> {
    const mcp = new Client({ name: 'test', version: '1.0.0' });
    const program = { command: process.execPath, args: [PROGRAM, 'mcp'], stderr: 'ignore' as const };
    await mcp.connect(new StdioClientTransport({ ...program, cwd: this.folder.path, env: this.environment }));
    this.#later(() => mcp.close());
    const call = async (name: string, input: object = {}) => {
      const result = await mcp.callTool({ name, arguments: { ...input } });
      if (result.isError) throw new Error(JSON.stringify(result.content));
      return result.structuredContent as Record<string, never> & { sessions: { session_id: string }[] };
    };
    return {
      name: 'MCP',
      make: async (prompt) => {
        const { result } = await call('delegate', {
          cli: 'amplifier',
          prompt,
          working_dir: this.folder.path,
        });
        return (result as unknown as { session_id: string }).session_id;
      },
      list: async () => (await call('list_sessions')).sessions.map(({ session_id }) => session_id),
      resume: async (session_id, prompt) =>
        JSON.stringify(await call('delegate', { cli: 'amplifier', session_id, prompt })),
      show: async (session_id) => JSON.stringify(await call('show_session', { session_id })),
    };
  }

  async #acp(): Promise<EntryPoint> {
    const { editor, said } = await this.#editor();
    const { path: cwd } = this.folder;
    const prompt = async (sessionId: string, text: string) => {
      said.length = 0;
      await editor.request('session/prompt', { sessionId, prompt: [{ type: 'text' as const, text }] });
      // The client may hand on the last updates just after the answer they came before.
      await new Promise((resolve) => setImmediate(resolve));
      return said.join('');
    };
    const show = async (sessionId: string) => {
      said.length = 0;
      await editor.request('session/load', { sessionId, cwd, mcpServers: [] });
      await new Promise((resolve) => setImmediate(resolve));
      return said.join('');
    };
    return {
      name: 'ACP',
      async make(instruction) {
        const { sessionId } = await editor.request('session/new', { cwd, mcpServers: [] });
        await prompt(sessionId, instruction);
        return sessionId;
      },
      async list() {
        const { sessions } = await editor.request('session/list', { cwd });
        return sessions.map(({ sessionId }) => sessionId);
      },
      async resume(session_id, instruction) {
        await show(session_id);
        return prompt(session_id, instruction);
      },
      show,
    };
  }

  async #editor(): Promise<{ editor: ClientContext; said: string[] }> {
    const said: string[] = [];
    const child: ChildProcess = spawn(process.execPath, [PROGRAM, 'acp'], {
      cwd: this.folder.path,
      env: this.environment,
      stdio: ['pipe', 'pipe', 'ignore'],
    });
    const [input, output] = [child.stdin as Writable, child.stdout as Readable];
    const { agent: editor } = client({ name: 'editor' })
      .onNotification('session/update', ({ params: { update } }) => {
        if ('content' in update && update.content && 'text' in update.content) said.push(update.content.text);
      })
      .connect(
        ndJsonStream(
          Writable.toWeb(input) as WritableStream<Uint8Array>,
          Readable.toWeb(output) as ReadableStream<Uint8Array>,
        ),
      );
    await editor.request('initialize', { protocolVersion: 1, clientCapabilities: {} });
    this.#later(async () => {
      const ended = once(child, 'close');
      input.end();
      await ended;
    });
    return { editor, said };
  }

  async #library(): Promise<EntryPoint> {
    const { environment, folder } = this;
    const host = await Host.open(await openProject({ cwd: folder.path, environment }));
    this.#later(() => host.close());
    return {
      name: 'library',
      make: async (instruction) =>
        (await host.run({ instruction, safety_mode: 'write', trusted: true })).outcome.session_id,
      list: async () => (await host.store.list({ limit: 100 })).sessions.map(({ session_id }) => session_id),
      resume: async (session_id, instruction) =>
        JSON.stringify((await host.delegator.resume(session_id, instruction)).outcome),
      show: async (session_id) => JSON.stringify(await host.store.tail(session_id, 100)),
    };
  }
}
