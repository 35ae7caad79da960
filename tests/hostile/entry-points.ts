import { spawn } from 'node:child_process';
import { cp } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable, Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { client, ndJsonStream } from '@agentclientprotocol/sdk';
import { Host, openProject } from '@amplifier/host';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { runHere } from '../../packages/cli/test-support/run-here.js';
import { runProfile } from '../../packages/daemon/test-support/run-profile.js';
import { TestDaemon } from '../../packages/daemon/test-support/test-daemon.js';
import type { HostileScene } from './hostile-scene.js';

const PROGRAM = fileURLToPath(new URL('../../packages/cli/dist/main.js', import.meta.url));

type Mode = 'read_only' | 'write';

/** A place where work is asked for, driven as its users drive it. Whoever is asked for approval there always says yes. */
export interface EntryPoint {
  name: string;
  /** Does one piece of work in the folder, and resolves with everything that was shown. */
  ask(scene: HostileScene, prompt: string, mode: Mode): Promise<string>;
}

/** `amplifier ARGS` in the folder, without a terminal and without a process of its own. */
export async function amplifierHere(scene: HostileScene, ...args: string[]): Promise<string> {
  const { TMPDIR = '' } = process.env;
  const ran = await runHere(args, scene.folder.path, { TMPDIR, ...scene.environment }, '');
  if (!ran) throw new Error('Another command runs.');
  return ran.stdout + ran.stderr;
}

/** `amplifier ARGS` in the folder, without a terminal. */
function amplifier(scene: HostileScene, ...args: string[]): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [PROGRAM, ...args], {
      cwd: scene.folder.path,
      env: scene.environment,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let shown = '';
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (text: string) => {
        shown += text;
      });
    child.on('error', reject).on('close', () => resolve(shown));
  });
}

export const ENTRY_POINTS: readonly EntryPoint[] = [
  { name: 'amplifier run', ask: (scene, prompt, mode) => amplifier(scene, 'run', '--safety', mode, prompt) },
  {
    name: 'amplifier delegate',
    ask: (scene, prompt, mode) => amplifier(scene, 'delegate', '--safety', mode, 'self', prompt),
  },
  {
    name: 'MCP over stdio',
    async ask(scene, prompt, mode) {
      let shown = '';
      const transport = new StdioClientTransport({
        command: process.execPath,
        args: [PROGRAM, 'mcp'],
        cwd: scene.user.path,
        env: scene.environment,
        stderr: 'pipe',
      });
      transport.stderr?.on('data', (chunk: Buffer) => {
        shown += chunk.toString();
      });
      const mcp = new Client({ name: 'test', version: '1.0.0' });
      await mcp.connect(transport);
      try {
        // The client trusts the folder for writing, as a model at the other end might. That lets no file act.
        const input = { cli: 'amplifier', prompt, working_dir: scene.folder.path, safety_mode: mode };
        return shown + JSON.stringify(await mcp.callTool(delegateCall({ ...input, trust_workspace: true })));
      } finally {
        await mcp.close();
      }
    },
  },
  {
    name: 'MCP of the daemon with a run token',
    ask: (scene, prompt) =>
      withDaemon(scene, async (daemon, token) => {
        const mcp = new Client({ name: 'test', version: '1.0.0' });
        const headers = { authorization: `Bearer ${token}` };
        const url = new URL(`${daemon.daemon.url}/mcp`);
        await mcp.connect(new StreamableHTTPClientTransport(url, { requestInit: { headers } }));
        const input = { cli: 'amplifier', prompt, working_dir: scene.folder.path };
        const answer = JSON.stringify(await mcp.callTool(delegateCall(input)));
        await mcp.close();
        return answer;
      }),
  },
  {
    name: 'REST',
    ask: (scene, prompt) =>
      withDaemon(scene, async (daemon, token) => {
        const manifest = runProfile(scene.model.url).replace('hooks:\n  - module: hooks-approval\n', '');
        const made = await daemon.post('/api/v1/profiles', { name: 'worker', manifest });
        if (made.status !== 201) throw new Error(made.text);
        const working_dir = scene.folder.path;
        const id = await daemon.session({ profile_id: 'local/worker', working_dir });
        const options = { headers: { authorization: `Bearer ${token}` } };
        const body = { instruction: prompt, wait: 60 };
        const run = await daemon.post(`/api/v1/sessions/${id}/runs`, body, options);
        return run.text + (await daemon.get(`/api/v1/sessions/${id}/transcript`)).text;
      }),
  },
  {
    name: 'REST and AG-UI of a user',
    ask: (scene, prompt) =>
      asUser(scene, async () => {
        await using daemon = await TestDaemon.start();
        await daemon.restart({
          users: true,
          environment: {
            ...scene.environment,
            AMPLIFIERD_RUNS: JSON.stringify({ working_roots: [scene.folder.path] }),
          },
        });
        const { token } = (await daemon.post('/api/v1/tokens', { scope: 'run', name: 'works' })).body;
        const options = { headers: { authorization: `Bearer ${token}` } };
        const working_dir = scene.folder.path;
        const made = await daemon.post('/api/v1/sessions', { working_dir }, options);
        if (made.status !== 201) throw new Error(made.text);
        const { session_id } = made.body;
        // Whoever is asked says yes.
        const say = {
          instruction: prompt,
          wait: 120,
          approvals: { timeout_seconds: 0.01, on_timeout: 'allow' },
        };
        const run = await daemon.post(`/api/v1/sessions/${session_id}/runs`, say, options);
        const messages = [{ id: 'm', role: 'user', content: '!say Once more.' }];
        const input = { threadId: 't', runId: 'r', messages, tools: [], context: [], state: {} };
        const streamed = await daemon.post(`/api/v1/ag-ui/${session_id}`, input, options);
        const looks = ['agents', 'providers'].map((room) =>
          daemon.get(`/api/v1/${room}?working_dir=${encodeURIComponent(working_dir)}`, options),
        );
        const looked = (await Promise.all(looks)).map(({ text }) => text);
        // The API carries text as it is: whoever shows it makes it harmless. Leaks are looked for in it all the same.
        const data = [run.text, streamed.text, ...looked].join('\n').replace(/[^\x20-\x7e]/g, '');
        return data + daemon.log.join('');
      }),
  },
  {
    name: 'ACP',
    async ask(scene, prompt, mode) {
      const child = spawn(process.execPath, [PROGRAM, 'acp'], {
        cwd: scene.user.path,
        env: scene.environment,
      });
      let shown = '';
      child.stderr.on('data', (chunk: Buffer) => {
        shown += chunk.toString();
      });
      const ended = new Promise((resolve) => child.once('close', resolve));
      const { agent } = client({ name: 'editor' })
        .onRequest('session/request_permission', ({ params }) => {
          const option = params.options.find(({ kind }) => kind === 'allow_once');
          return { outcome: { outcome: 'selected' as const, optionId: option?.optionId ?? '' } };
        })
        .onNotification('session/update', ({ params }) => {
          shown += JSON.stringify(params.update);
        })
        .connect(
          ndJsonStream(
            Writable.toWeb(child.stdin) as WritableStream<Uint8Array>,
            Readable.toWeb(child.stdout) as ReadableStream<Uint8Array>,
          ),
        );
      await agent.request('initialize', { protocolVersion: 1, clientCapabilities: {} });
      const { sessionId } = await agent.request('session/new', { cwd: scene.folder.path, mcpServers: [] });
      await agent.request('session/set_mode', { sessionId, modeId: mode });
      await agent.request('session/prompt', { sessionId, prompt: [{ type: 'text', text: prompt }] });
      child.stdin.end();
      await ended;
      return shown;
    },
  },
  {
    name: 'the library',
    ask: (scene, instruction, safety_mode) =>
      asUser(scene, async () => {
        const said: string[] = [];
        const project = await openProject({
          cwd: scene.folder.path,
          environment: scene.environment,
          report: ({ message }) => said.push(message),
        });
        await using host = await Host.open(project);
        const { outcome } = await host.run({ instruction, safety_mode, trusted: true });
        return said.join('\n') + JSON.stringify(outcome);
      }),
  },
];

function delegateCall(input: Record<string, unknown>) {
  return { name: 'delegate', arguments: input };
}

async function withDaemon(
  scene: HostileScene,
  work: (daemon: TestDaemon, token: string) => Promise<string>,
): Promise<string> {
  return asUser(scene, async () => {
    await using daemon = await TestDaemon.start();
    await daemon.restart({
      environment: {
        ...scene.environment,
        AMPLIFIERD_HOME: daemon.home,
        AMPLIFIERD_RUNS: JSON.stringify({ working_roots: [scene.folder.path] }),
        RUN_TEST_KEY: scene.canaries.key,
      },
    });
    // Settings and keys at /mcp are those of the deployment.
    const own = scene.environment.AMPLIFIER_HOME;
    if (own === undefined) throw new Error('The scene has no home.');
    const filter = (path: string) => !/\/live$|\/amplifier\.db/.test(path);
    await cp(own, join(daemon.home, 'mcp'), { recursive: true, filter });
    const { token } = (await daemon.post('/api/v1/tokens', { scope: 'run', name: 'works' })).body;
    return (await work(daemon, token)) + daemon.log.join('');
  });
}

/** Work in this process with the user's environment: providers look for their keys in the variables of the process. */
async function asUser<T>(scene: HostileScene, work: () => Promise<T>): Promise<T> {
  const before = { ...process.env };
  const { environment } = scene;
  for (const name of Object.keys(process.env)) delete process.env[name];
  Object.assign(process.env, { TMPDIR: before.TMPDIR }, environment);
  try {
    return await work();
  } finally {
    for (const name of Object.keys(process.env)) delete process.env[name];
    Object.assign(process.env, before);
  }
}
