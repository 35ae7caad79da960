import { PassThrough } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { folderTrust, hostPaths, trustFolder } from '@amplifier/host';
import { FakeModelServer, TempWorkspace } from '@amplifier/testkit';
import { Client, type ClientOptions } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { StdioServerTransport } from '@modelcontextprotocol/server/stdio';
import { serveStdio } from '../src/serve-stdio.js';

export const PROGRAM = fileURLToPath(new URL('../../cli/dist/main.js', import.meta.url));

/** Variables that would let a test depend on the machine it runs on. */
const FOREIGN = /^(AMPLIFIER_|ANTHROPIC_|OPENAI_|GEMINI_|GOOGLE_|AZURE_|OLLAMA_)/;

export type Era = 'legacy' | 'modern';
export const ERAS: readonly Era[] = ['legacy', 'modern'];

/** The answer of a tool, as the client sees it. */
export interface Answer {
  isError?: boolean;
  content: { type: string; text?: string }[];
  // biome-ignore lint/suspicious/noExplicitAny: every tool has a form of its own, and the tests look into all of them
  structuredContent?: any;
  _meta?: Record<string, unknown>;
}

/** What a refused call says to a program. It must hold nothing that a client would check against the form of results. */
export function errorOf({ isError, structuredContent, _meta }: Answer): Record<string, unknown> {
  if (!isError || structuredContent !== undefined) throw new Error('This is no refused call.');
  return _meta?.['amplifier/error'] as Record<string, unknown>;
}

/** A client connected to a server. */
export interface Connection extends AsyncDisposable {
  client: Client;
  /** Of a program of its own. */
  pid: number;
  call(name: string, input?: Record<string, unknown>, options?: object): Promise<Answer>;
}

/** A folder, a home and a model server of its own. */
export class McpScene implements AsyncDisposable {
  readonly folder: TempWorkspace;
  readonly home: TempWorkspace;
  readonly model: FakeModelServer;

  private constructor(folder: TempWorkspace, home: TempWorkspace, model: FakeModelServer) {
    this.folder = folder;
    this.home = home;
    this.model = model;
  }

  static async create(
    files: Record<string, string> = {},
    home: Record<string, string> = {},
  ): Promise<McpScene> {
    const model = await FakeModelServer.start();
    return new McpScene(await TempWorkspace.create(files), await TempWorkspace.create(home), model);
  }

  get env(): Record<string, string> {
    const own = Object.entries(process.env).filter(([name]) => !FOREIGN.test(name));
    return {
      ...(Object.fromEntries(own) as Record<string, string>),
      AMPLIFIER_HOME: this.home.path,
      AMPLIFIER_LOCAL_SERVERS: '',
      ANTHROPIC_API_KEY: 'key-of-a-test',
      ANTHROPIC_BASE_URL: `${this.model.url}/v1`,
    };
  }

  /** A person trusts the folder with all its files as they are. */
  async trust(): Promise<void> {
    const paths = hostPaths(this.folder.path, { AMPLIFIER_HOME: this.home.path });
    await trustFolder(paths, await folderTrust(paths));
  }

  /** Connects to a server of its own: one in this process, or `amplifier mcp` as a process that can be killed. */
  async connect(
    options: {
      era?: Era;
      program?: boolean;
      env?: Record<string, string>;
      client?: ClientOptions;
      onAsk?: (message: string) => unknown;
    } = {},
  ): Promise<Connection> {
    const { era = 'legacy', program = false, env = {}, client: clientOptions = {}, onAsk } = options;
    const environment = { ...this.env, ...env };
    const { transport, ended } = program ? this.#start(environment) : this.#serve(environment);
    const client = new Client(
      { name: 'test', version: '1.0.0' },
      {
        ...(onAsk ? { capabilities: { elicitation: {} } } : {}),
        ...(era === 'modern' ? { versionNegotiation: { mode: 'auto' } } : {}),
        ...clientOptions,
      },
    );
    if (onAsk)
      client.setRequestHandler(
        'elicitation/create',
        async (request) => onAsk(String(request.params.message)) as never,
      );
    await client.connect(transport);
    return {
      client,
      pid: transport instanceof StdioClientTransport ? (transport.pid ?? 0) : 0,
      call: async (name, input = {}, callOptions = {}) =>
        (await client.callTool({ name, arguments: input }, callOptions)) as Answer,
      async [Symbol.asyncDispose]() {
        await client.close();
        await ended;
      },
    };
  }

  #start(env: Record<string, string>) {
    const args = [PROGRAM, '--cwd', this.folder.path, 'mcp'];
    const transport = new StdioClientTransport({ command: process.execPath, args, env, stderr: 'ignore' });
    return { transport, ended: undefined };
  }

  #serve(environment: Record<string, string>) {
    const [input, output] = [new PassThrough(), new PassThrough()];
    const cwd = this.folder.path;
    const streams = { input, output };
    const ended = serveStdio({ cwd, environment, streams, report: () => {}, version: '0.1.0' });
    // Both ends of the protocol speak alike: this one writes to where the server reads.
    const transport = new StdioServerTransport(output, input);
    transport.onclose = () => input.end();
    return { transport, ended };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.model[Symbol.asyncDispose]();
    await this.folder[Symbol.asyncDispose]();
    await this.home[Symbol.asyncDispose]();
  }
}
