import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { type Answer, type McpScene, PROGRAM } from '../test-support/mcp-scene.js';

/** What a case needs of a client, whoever made it. */
export interface RealClient {
  tools(): Promise<string[]>;
  call(tool: string, input: Record<string, string>): Promise<Answer>;
  close(): Promise<void>;
}

type Open = (modules: string, scene: McpScene) => Promise<RealClient>;

const serverOf = (scene: McpScene) => [process.execPath, PROGRAM, '--cwd', scene.folder.path, 'mcp'] as const;

/** The members of the first generation of the official client that are used here. */
interface FirstClient {
  connect(transport: unknown): Promise<void>;
  listTools(): Promise<{ tools: { name: string }[] }>;
  callTool(call: object): Promise<unknown>;
  close(): Promise<void>;
}

/** The first generation of the official client. It checks every result against the form that the listing gave. */
const firstGeneration: Open = async (modules, scene) => {
  const place = (file: string) => join(modules, 'mcp_sdk_v1/dist/esm/client', file);
  const { Client } = await import(place('index.js'));
  const { StdioClientTransport } = await import(place('stdio.js'));
  const client: FirstClient = new Client({ name: 'first', version: '1.0.0' });
  const [command, ...args] = serverOf(scene);
  await client.connect(new StdioClientTransport({ command, args, env: scene.env, stderr: 'ignore' }));
  await client.listTools();
  return {
    tools: async () => (await client.listTools()).tools.map(({ name }) => name),
    call: async (name, input) => (await client.callTool({ name, arguments: input })) as Answer,
    close: () => client.close(),
  };
};

/** The inspector at the command line: one process for each question, and its answer as JSON. */
const inspector =
  (start: string): Open =>
  async (modules, scene) => {
    const ask = (...question: string[]) =>
      new Promise<Record<string, unknown>>((resolve, reject) => {
        const program = join(modules, '.bin/node');
        // It hands a server only the variables it is told to.
        const given = ['AMPLIFIER_HOME', 'ANTHROPIC_API_KEY', 'ANTHROPIC_BASE_URL'];
        const variables = given.flatMap((name) => ['-e', `${name}=${scene.env[name]}`]);
        const args = [
          join(modules, start),
          '--cli',
          ...variables,
          ...serverOf(scene),
          '--method',
          ...question,
        ];
        execFile(program, args, { env: scene.env }, (_failure, stdout, stderr) => {
          // It ends with a code of its own when the tool refused: what it printed is what it saw.
          try {
            resolve(JSON.parse(stdout));
          } catch {
            reject(new Error(`The inspector said no JSON: ${stdout}\n${stderr}`));
          }
        });
      });
    return {
      tools: async () => ((await ask('tools/list')).tools as { name: string }[]).map(({ name }) => name),
      call: async (tool, input) => {
        const given = Object.entries(input).flatMap(([name, value]) => ['--tool-arg', `${name}=${value}`]);
        return (await ask('tools/call', '--tool-name', tool, ...given)) as unknown as Answer;
      },
      close: async () => {},
    };
  };

export const CLIENTS: Record<string, Open> = {
  mcp_sdk_v1: firstGeneration,
  inspector_v0: inspector('inspector_v0/cli/build/cli.js'),
  inspector_v2: inspector('inspector_v2/clients/launcher/build/index.js'),
};
