// What a user of the whole product pays for a prompt and for a delegation, over ACP and over REST, beside opencode on the same
// loopback model that answers at once, in the same git repository. Also: how long `amplifierd` takes until `/readyz` answers.
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { Agent } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { Readable, Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { client, ndJsonStream } from '@agentclientprotocol/sdk';
import { type FakeExchange, FakeModelServer, replyFromConversation } from '@amplifier/testkit';
import { DaemonProcess } from '../packages/daemon/test-support/daemon-process.js';
import { send } from './lib/http-load.js';
import { isSmoke, percentile } from './lib/measure.js';
import { processorMs } from './lib/processor-time.js';

const OPENCODE = 'opencode-ai@1.18.33';
const AMPLIFIER = fileURLToPath(new URL('../packages/cli/dist/main.js', import.meta.url));
const WARM_UPS = isSmoke ? 0 : 10;
const ROUNDS = isSmoke ? 1 : 20;
const STARTS = isSmoke ? 1 : 7;
/** Limits of ours over opencode. */
const PROMPT_LIMIT = 0.05;
const DELEGATION_LIMIT = 0.06;
const START_LIMIT_MS = 500;

const STEPS = ['open a session', 'first prompt', 'prompt', 'delegation'] as const;
type Step = (typeof STEPS)[number];

/** A running server under test. Each call resolves when the answer is complete. */
interface Product {
  pid: number;
  open(): Promise<string>;
  /** Returns the text of the answer. */
  prompt(session: string, text: string): Promise<string>;
  /** A directive that makes the model call an agent once, which answers `Found.`. */
  delegate: string;
  close(): Promise<void>;
}

interface Program {
  command: string;
  args: string[];
  env: Record<string, string>;
  delegate: string;
}

const OURS_DELEGATES = `!call delegate ${JSON.stringify({ agent: 'explorer', instruction: '!say Found.', context_depth: 'none' })}`;
const PEER_DELEGATES = `!call task ${JSON.stringify({ description: 'look', prompt: '!say Found.', subagent_type: 'general' })}`;

const folder = await mkdtemp(join(tmpdir(), 'amplifier-bench-'));
const cwd = join(folder, 'work');
const run = promisify(execFile);
/** Session titles are requested without tools. */
const script = ({ steps, body }: FakeExchange) =>
  body.tools === undefined ? { text: 'A title' } : replyFromConversation(steps);
const model = await FakeModelServer.start({ script });
const opened: Product[] = [];
try {
  await main();
} finally {
  for (const product of opened) await product.close();
  await model[Symbol.asyncDispose]();
  await rm(folder, { recursive: true, force: true, maxRetries: 5 });
}

async function main(): Promise<void> {
  await makeRepository();
  const ours = await amplifier();
  const peer = isSmoke ? null : await opencode();
  const transports = [
    { name: 'ACP', ours: () => overAcp(ours, ['acp']), peer: peer && (() => overAcp(peer, ['acp'])) },
    { name: 'REST', ours: () => amplifierRest(ours), peer: peer && (() => opencodeRest(peer)) },
  ];
  for (const transport of transports) {
    const subjects = [await keep(transport.ours())];
    if (transport.peer) subjects.push(await keep(transport.peer()));
    const [mine, theirs] = await compare(subjects);
    if (mine) printTransport(transport.name, mine, theirs);
    for (const product of opened.splice(0)) await product.close();
  }
  await printStart();
}

async function makeRepository(): Promise<void> {
  await mkdir(join(cwd, 'src'), { recursive: true });
  await writeFile(join(cwd, 'README.md'), '# A project\n');
  await writeFile(join(cwd, 'AGENTS.md'), 'Use tabs.\n');
  await writeFile(join(cwd, 'src/index.ts'), 'export const answer = 42;\n');
  const git = (...args: string[]) =>
    run('git', ['-c', 'user.name=bench', '-c', 'user.email=bench@localhost', ...args], { cwd });
  await git('init', '-q');
  await git('add', '.');
  await git('commit', '-q', '-m', 'start');
}

/** The default bundle on the user's home. */
async function amplifier(): Promise<Program> {
  const home = join(folder, 'home');
  const config = { base_url: `${model.url}/v1`, default_model: 'fake-1', api_key: 'x', max_retries: 0 };
  await mkdir(home, { mode: 0o700 });
  const settings = { config: { providers: [{ module: 'provider-openai-compatible', config }] } };
  await writeFile(join(home, 'settings.yaml'), JSON.stringify(settings), { mode: 0o600 });
  return {
    command: process.execPath,
    args: [AMPLIFIER],
    env: { AMPLIFIER_HOME: home, AMPLIFIER_LOCAL_SERVERS: '' },
    delegate: OURS_DELEGATES,
  };
}

/** Null if the registry cannot be reached. */
async function opencode(): Promise<Program | null> {
  const prefix = join(folder, 'opencode');
  await mkdir(prefix);
  try {
    await run('npm', ['install', '--no-audit', '--no-fund', '--prefix', prefix, OPENCODE]);
  } catch {
    console.log(`SKIPPED: ${OPENCODE} could not be installed. The table has no ratios.`);
    return null;
  }
  const home = join(folder, 'opencode-home');
  await mkdir(home);
  const config = {
    provider: {
      fake: {
        npm: '@ai-sdk/openai-compatible',
        name: 'Fake',
        options: { baseURL: `${model.url}/v1`, apiKey: 'x' },
        models: { 'fake-1': { name: 'Fake 1' } },
      },
    },
    model: 'fake/fake-1',
    small_model: 'fake/fake-1',
    enabled_providers: ['fake'],
    autoupdate: false,
    share: 'disabled',
  };
  await writeFile(join(home, 'opencode.json'), JSON.stringify(config));
  const os = process.platform === 'win32' ? 'windows' : process.platform;
  return {
    command: join(prefix, 'node_modules', `opencode-${os}-${process.arch}`, 'bin/opencode'),
    args: [],
    env: {
      HOME: home,
      XDG_CONFIG_HOME: join(home, 'config'),
      XDG_CACHE_HOME: join(home, 'cache'),
      XDG_DATA_HOME: join(home, 'data'),
      XDG_STATE_HOME: join(home, 'state'),
      OPENCODE_CONFIG: join(home, 'opencode.json'),
      // Otherwise it waits for answers from the network.
      OPENCODE_DISABLE_AUTOUPDATE: '1',
      OPENCODE_DISABLE_MODELS_FETCH: '1',
      OPENCODE_DISABLE_LSP_DOWNLOAD: '1',
      OPENCODE_DISABLE_DEFAULT_PLUGINS: '1',
    },
    delegate: PEER_DELEGATES,
  };
}

async function keep(starting: Promise<Product>): Promise<Product> {
  const product = await starting;
  opened.push(product);
  return product;
}

function start({ command, args, env }: Program, words: readonly string[]): ChildProcess {
  const stdio: ('pipe' | 'ignore')[] = ['pipe', 'pipe', 'ignore'];
  return spawn(command, [...args, ...words], { cwd, env: { ...process.env, ...env }, stdio });
}

async function overAcp(program: Program, words: readonly string[]): Promise<Product> {
  const child = start(program, words);
  if (!child.stdin || !child.stdout) throw new Error('The program has no pipes.');
  let text = '';
  const { agent } = client({ name: 'bench' })
    .onRequest('session/request_permission', ({ params }) => {
      const allowed = params.options.find(({ kind }) => kind === 'allow_once');
      return { outcome: { outcome: 'selected' as const, optionId: allowed?.optionId ?? '' } };
    })
    .onNotification('session/update', ({ params: { update } }) => {
      if (update.sessionUpdate === 'agent_message_chunk' && update.content.type === 'text')
        text += update.content.text;
    })
    .connect(
      ndJsonStream(
        Writable.toWeb(child.stdin) as WritableStream<Uint8Array>,
        Readable.toWeb(child.stdout) as ReadableStream<Uint8Array>,
      ),
    );
  await agent.request('initialize', { protocolVersion: 1, clientCapabilities: {} });
  return {
    pid: child.pid ?? 0,
    delegate: program.delegate,
    open: async () => (await agent.request('session/new', { cwd, mcpServers: [] })).sessionId,
    prompt: async (sessionId, words) => {
      text = '';
      await agent.request('session/prompt', { sessionId, prompt: [{ type: 'text', text: words }] });
      // The last updates may be handled just after the answer that follows them.
      await new Promise((resolve) => setImmediate(resolve));
      return text;
    },
    close: () => end(child),
  };
}

async function amplifierRest(program: Program): Promise<Product> {
  const { child, url } = await serve(program, ['serve', '--port', '0'], /listens on (\S+),/);
  const { stdout } = await run(process.execPath, [AMPLIFIER, 'serve', 'token'], {
    cwd,
    env: { ...process.env, ...program.env },
  });
  const { post, close } = poster(url, { authorization: `Bearer ${stdout.trim()}` });
  return {
    pid: child.pid ?? 0,
    delegate: program.delegate,
    open: async () => (await post('/api/v1/sessions', { working_dir: cwd }, 201)).session_id,
    prompt: async (session, instruction) => {
      const ended = await post(`/api/v1/sessions/${session}/runs`, { instruction, wait: 60 }, 200);
      return String(ended.outcome?.text);
    },
    close: () => close().then(() => end(child)),
  };
}

async function opencodeRest(program: Program): Promise<Product> {
  const { child, url } = await serve(program, ['serve', '--port', '0'], /listening on (\S+)/);
  const { post, close } = poster(url, {});
  return {
    pid: child.pid ?? 0,
    delegate: program.delegate,
    open: async () => (await post('/session', {}, 200)).id,
    prompt: async (session, text) => {
      const { parts } = await post(`/session/${session}/message`, { parts: [{ type: 'text', text }] }, 200);
      return parts.flatMap((part: { text?: string }) => part.text ?? []).join('');
    },
    close: () => close().then(() => end(child)),
  };
}

async function serve(program: Program, words: readonly string[], greeting: RegExp) {
  const child = start(program, words);
  if (!child.stdout) throw new Error('The server has no output.');
  for await (const line of createInterface({ input: child.stdout })) {
    const url = greeting.exec(line)?.[1];
    if (url === undefined) continue;
    child.stdout.resume();
    return { child, url };
  }
  throw new Error('The server ended before it listened.');
}

function poster(url: string, authorization: Record<string, string>) {
  const agent = new Agent({ keepAlive: true });
  const headers = { ...authorization, 'content-type': 'application/json' };
  return {
    post: async (path: string, body: object, status: number) =>
      JSON.parse(
        await send(url, { method: 'POST', path, headers, body: JSON.stringify(body), status }, agent),
      ),
    close: async () => agent.destroy(),
  };
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  child.kill('SIGKILL');
  await ended;
}

interface Costs {
  wall: Record<Step, number[]>;
  /** Milliseconds of the serving process for all samples of a step. */
  processor: Record<Step, number>;
}

/** One round of each in turns, so that a noisy machine affects both. */
async function compare(products: readonly Product[]): Promise<Costs[]> {
  const costs = products.map(() => ({
    wall: Object.fromEntries(STEPS.map((step) => [step, [] as number[]])) as Record<Step, number[]>,
    processor: Object.fromEntries(STEPS.map((step) => [step, 0])) as Record<Step, number>,
  }));
  for (let round = -WARM_UPS; round < ROUNDS; round++) {
    for (const [index, product] of products.entries()) {
      let session = '';
      const take = async (step: Step, work: () => Promise<unknown>) => {
        const processor = await processorMs(product.pid);
        const started = performance.now();
        await work();
        const wall = performance.now() - started;
        if (round < 0) return;
        costs[index]?.wall[step].push(wall);
        const cost = costs[index];
        if (cost) cost.processor[step] += (await processorMs(product.pid)) - processor;
      };
      await take('open a session', async () => {
        session = await product.open();
      });
      for (const step of ['first prompt', 'prompt'] as const)
        await take(step, async () => expectText(await product.prompt(session, '!say Done.'), 'Done.'));
      const words = `${product.delegate}\n!then\n!say All done.`;
      await take('delegation', async () => expectText(await product.prompt(session, words), 'All done.'));
      const sub = model.exchanges.some(({ steps }) => steps.at(-1)?.text.trim() === '!say Found.');
      if (!sub) throw new Error('The agent that was delegated to did not ask its model.');
      model.exchanges.length = 0;
    }
  }
  return costs;
}

function expectText(text: string, wanted: string): void {
  if (!text.includes(wanted)) throw new Error(`Expected '${wanted}', got: ${text.slice(0, 500)}`);
}

function printTransport(name: string, ours: Costs, peer: Costs | undefined): void {
  const columns = ['ours ms', 'opencode', 'ratio', 'limit', 'CPU ms', 'opencode'];
  console.log(`\n${`Over ${name}, p50`.padEnd(20)}${columns.map((each) => each.padStart(10)).join('')}`);
  for (const step of STEPS) {
    const [mine, theirs] = [ours, peer].map((costs) => percentile(costs?.wall[step] ?? [], 0.5));
    const limit = { prompt: PROMPT_LIMIT, delegation: DELEGATION_LIMIT }[step as string];
    const figures = [
      ...[mine, theirs, (mine ?? Number.NaN) / (theirs ?? Number.NaN), limit],
      ...[ours, peer].map((costs) => (costs?.processor[step] ?? Number.NaN) / ROUNDS),
    ];
    const cells = figures.map((each) =>
      each === undefined || Number.isNaN(each) ? '' : each.toFixed(each < 1 ? 3 : 1),
    );
    console.log(`  ${step.padEnd(18)}${cells.map((cell) => cell.padStart(10)).join('')}`);
  }
}

async function printStart(): Promise<void> {
  const times: number[] = [];
  for (let round = -1; round < STARTS; round++) {
    const started = performance.now();
    await using _daemon = await DaemonProcess.start(join(folder, 'daemon/home'));
    if (round >= 0) times.push(performance.now() - started);
  }
  const p50 = percentile(times, 0.5);
  const verdict = isSmoke ? '' : p50 <= START_LIMIT_MS ? ' (within)' : ' (OVER)';
  console.log(
    `\nStart of amplifierd until /readyz answers, files cached: p50 ${p50.toFixed(0)} ms; the limit is ${START_LIMIT_MS}${verdict}`,
  );
}
