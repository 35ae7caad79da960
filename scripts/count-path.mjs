// node scripts/count-path.mjs              files of our packages between a request and the engine, and an event and a signal of the browser
// node scripts/count-path.mjs --entered    and every file in which a function was called until the turn begins
//
// A file is on the path when one of its functions is on the stack where the engine's session starts to execute (`Session.execute`), or on
// the stack where an asynchronous ancestor of that call was made (async_hooks: the resource in whose callback it runs, and so on up to
// the request). Files that were only called and have returned, such as stores and validation, are not; nor is the engine itself
// (`delegation/src/engine`). Where a queue is in between, the path is that to the row (`RunQueue.enqueue`), then that from the worker
// which claims it. In the browser the path begins with the frame that the client reads and ends where a signal gets its value.
//
// The real programs run in this process from their sources, with a model server on loopback and the default bundle. Each request is made
// twice, and the second one is counted.
import { mkdirSync } from 'node:fs';
import { PassThrough, Readable, Writable } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { run } from './lib/run.mjs';
import { countEntered, mark, pathHere, startTracing, watchCalls } from './lib/trace-path.mjs';

const LIMITS = { rest: 14, mcp: 14, acp: 14, browser: 8 };
const ENGINE = 'packages/delegation/src/engine/';
const CLIENT = 'packages/daemon/src/client/';
const ROW = 'packages/sessions/src/sql/sql-run-queue.ts';

if (!process.argv.includes('--count')) {
  const sources = ['--import', 'tsx', '--import', new URL('./lib/load-sources.mjs', import.meta.url).href];
  const args = [...sources, fileURLToPath(import.meta.url), '--count', ...process.argv.slice(2)];
  process.exit(await run(process.execPath, args));
}

startTracing();
globalThis.AMPLIFIER_VERSION = '0.0.0';
const { Session } = await import('@amplifier/core');
const { LiveSessions } = await import('../packages/delegation/src/turn/live-sessions.ts');
const { SqlRunQueue } = await import('@amplifier/sessions');
const { FakeModelServer, TempWorkspace } = await import('@amplifier/testkit');

const model = await FakeModelServer.start();
const box = await TempWorkspace.create({ 'project/a.txt': 'ALPHA' });
const cwd = box.resolve('project');
const environment = {
  PATH: process.env.PATH,
  HOME: box.resolve('user'),
  AMPLIFIER_HOME: box.resolve('home'),
  AMPLIFIER_LOCAL_SERVERS: '',
  ANTHROPIC_API_KEY: 'key',
  ANTHROPIC_BASE_URL: `${model.url}/v1`,
};
for (const name of Object.keys(process.env))
  if (/^(AMPLIFIER_|[A-Z]+_API_KEY$)/.test(name)) delete process.env[name];
Object.assign(process.env, environment);
mkdirSync(environment.HOME);

let isTooLong = false;
print('REST run', LIMITS.rest, await ofRest());
print('MCP delegate', LIMITS.mcp, await ofMcp());
print('ACP prompt', LIMITS.acp, await ofAcp());
print('event to browser signal', LIMITS.browser, await ofBrowser());
await box[Symbol.asyncDispose]();
await model[Symbol.asyncDispose]();
process.exit(isTooLong ? 1 : 0);

async function ofRest() {
  const daemon = await startDaemon();
  const request = async () => {
    const { session_id } = await daemon.post('sessions', {});
    return () => daemon.run(session_id);
  };
  const path = await requestToEngine(request);
  await daemon.stop();
  return path;
}

async function ofMcp() {
  const { McpScene } = await import('../packages/mcp/test-support/mcp-scene.ts');
  const scene = await McpScene.create({ 'a.txt': 'ALPHA' });
  const connection = await scene.connect();
  const call = () => connection.call('delegate', { cli: 'explorer', prompt: '!say Done.' });
  const path = await requestToEngine(() => call);
  await connection[Symbol.asyncDispose]();
  await scene[Symbol.asyncDispose]();
  return path;
}

async function ofAcp() {
  const { main } = await import('../packages/cli/src/run-program.ts');
  const { client, ndJsonStream } = await import('@agentclientprotocol/sdk');
  const [input, output] = [new PassThrough(), new PassThrough()];
  const [stdin, stdout] = ['stdin', 'stdout'].map((name) => Object.getOwnPropertyDescriptor(process, name));
  Object.defineProperty(process, 'stdin', { value: input, configurable: true });
  Object.defineProperty(process, 'stdout', { value: output, configurable: true });
  try {
    const ended = main(['acp', '--cwd', cwd], () => {
      throw new Error('Nothing else is needed.');
    });
    const editor = client({ name: 'editor' }).onNotification('session/update', () => {});
    const { agent } = editor.connect(ndJsonStream(Writable.toWeb(input), Readable.toWeb(output)));
    await agent.request('initialize', { protocolVersion: 1, clientCapabilities: {} });
    const prompt = [{ type: 'text', text: '!say Done.' }];
    const path = await requestToEngine(async () => {
      const { sessionId } = await agent.request('session/new', { cwd, mcpServers: [] });
      return () => agent.request('session/prompt', { sessionId, prompt });
    });
    input.end();
    await ended;
    return path;
  } finally {
    Object.defineProperty(process, 'stdin', stdin);
    Object.defineProperty(process, 'stdout', stdout);
  }
}

/** A run of a session that the browser shows: the files of all signals that its events set. */
async function ofBrowser() {
  const daemon = await startDaemon();
  const { session_id } = await daemon.post('sessions', {});
  beBrowserOf(daemon);
  const { SessionRoom } = await import('../packages/web/src/session/session-room.ts');
  const room = new SessionRoom(session_id);
  await room.start(session_id, null);
  while (room.transcript.value.messages.value === null) await setImmediate();
  const files = new Set();
  const since = mark();
  const unwatch = watchCalls(ReadableStreamDefaultReader.prototype, 'read', () => {
    const [reader] = pathHere(since);
    if (reader?.startsWith(CLIENT)) files.add(reader);
  });
  for (const signal of [...Object.values(room), ...Object.values(room.transcript.value)])
    if (typeof signal?.subscribe === 'function')
      signal.subscribe(() => {
        // Before the first frame, only what the page itself had asked for arrives.
        if (files.size > 0) for (const file of pathHere(since).toReversed()) files.add(file);
      });
  await daemon.run(session_id);
  while (!JSON.stringify(room.transcript.value.messages.value).includes('"assistant"')) await setImmediate();
  unwatch();
  room.close();
  await daemon.stop();
  return { files: [...files] };
}

/** As much of a page as follows events: it is in sight, and its cookie is a token. */
function beBrowserOf({ url, token }) {
  const target = Object.assign(new EventTarget(), { visibilityState: 'visible' });
  const authorization = `Bearer ${token}`;
  const at = (address) => (String(address).startsWith('/') ? url + address : address);
  globalThis.Request = class extends Request {
    constructor(address, init) {
      super(at(address), init);
    }
  };
  const { fetch } = globalThis;
  globalThis.fetch = (address, init = {}) => {
    const headers = new Headers(init.headers ?? address.headers);
    headers.set('authorization', authorization);
    return fetch(at(address), { ...init, headers });
  };
  Object.assign(globalThis, {
    window: target,
    document: target,
    requestAnimationFrame: setTimeout,
    cancelAnimationFrame: clearTimeout,
  });
}

async function startDaemon() {
  const { startDaemon } = await import('@amplifier/daemon');
  const flags = { port: 0, log_level: 'silent', sync_on_start: false };
  const daemon = await startDaemon({ users: true, environment, cwd, flags });
  const headers = { authorization: `Bearer ${daemon.token}`, 'content-type': 'application/json' };
  const post = async (path, body) => {
    const response = await fetch(`${daemon.url}/api/v1/${path}`, {
      method: 'POST',
      headers,
      body: JSON.stringify(body),
    });
    if (!response.ok) throw new Error(await response.text());
    return response.json();
  };
  const run = (id) => post(`sessions/${id}/runs`, { instruction: '!say Done.', wait: 60 });
  return { ...daemon, stop: () => daemon.stop(), post, run };
}

/** The files of the turn that a request leads to, in the order in which they are entered. */
async function requestToEngine(prepare) {
  const first = await prepare();
  await first();
  const send = await prepare();
  const files = new Set();
  const since = mark();
  const enter = (path) => {
    for (const file of path.toReversed()) files.add(file);
  };
  const unwatchRow = watchCalls(SqlRunQueue.prototype, 'enqueue', () => enter([ROW, ...pathHere(since)]));
  const unwatchEngine = watchCalls(Session.prototype, 'execute', () => {
    unwatchEngine();
    const path = pathHere(since);
    enter(path.slice(path.findLastIndex((file) => file.startsWith(ENGINE)) + 1));
  });
  let entered = [];
  const unwatchTurn = watchCalls(LiveSessions.prototype, 'enter', () => {
    unwatchTurn();
    entered = stopCounting();
  });
  const stopCounting = countEntered();
  await send();
  unwatchRow();
  return { files: [...files], entered };
}

function print(what, limit, { files, entered }) {
  const all = entered ? `; ${entered.length} entered until then` : '';
  console.log(`${what}: ${files.length} files, at most ${limit}${all}`);
  if (process.argv.includes('--entered')) for (const file of entered ?? []) console.log(`      ${file}`);
  for (const [at, file] of files.entries()) console.log(`  ${String(at + 1).padStart(2)}  ${file}`);
  isTooLong ||= files.length > limit;
}
