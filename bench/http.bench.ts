// What each middleware of the HTTP library adds to a small request. It says which the daemon uses for every request, and which only
// where they are needed.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { type Call, load, warmUp } from './lib/http-load.js';
import { isSmoke, percentile } from './lib/measure.js';
import { processorMs } from './lib/processor-time.js';

const NAMES = [
  'no middleware',
  'requestId',
  'bearerAuth',
  'csrf',
  'methodNotAllowed',
  'cors',
  'cors for requests with an origin',
  'bodyLimit',
  'bodyLimit without a content length',
  'etag',
  'compress',
  'secureHeaders',
];
const ROUNDS = isSmoke ? 1 : 7;
const MS = isSmoke ? 30 : 800;
const WARM = isSmoke ? 8 : 3_000;
const SERVER = fileURLToPath(
  new URL('../packages/daemon/test-support/middleware-server.mjs', import.meta.url),
);

const headers = { authorization: 'Bearer secret', 'content-type': 'application/json' };
const body = JSON.stringify({ content: 'A message of ordinary length, such as people write.' });
const get: Call = { method: 'GET', path: '/small', headers, status: 200 };
const CALLS: Record<string, Call> = {
  GET: get,
  'GET of a page': { ...get, headers: { ...headers, origin: 'https://app.example.org' } },
  POST: { method: 'POST', path: '/small', headers, body, status: 200 },
};

const children: ChildProcess[] = [];
try {
  const servers = await Promise.all(NAMES.map(start));
  for (const [name, call] of Object.entries(CALLS)) {
    for (const { url } of servers) await warmUp(url, call, WARM);
    const spent = servers.map(() => [] as number[]);
    for (let round = 0; round < ROUNDS; round++)
      for (const [at, server] of servers.entries()) spent[at]?.push(await cpuOf(server, call));
    print(
      name,
      spent.map((each) => percentile(each, 0.5)),
    );
  }
} finally {
  for (const child of children) child.kill('SIGKILL');
}

interface Server {
  url: string;
  pid: number;
}

async function start(name: string): Promise<Server> {
  const child = spawn(process.execPath, [SERVER, name], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  children.push(child);
  if (!child.stdout) throw new Error('The server has no output.');
  const [line] = await once(createInterface({ input: child.stdout }), 'line');
  return { url: String(line), pid: child.pid ?? 0 };
}

/** Microseconds of processor time that the server spends on one request. */
async function cpuOf({ url, pid }: Server, call: Call): Promise<number> {
  const before = await processorMs(pid);
  const started = performance.now();
  const { rps } = await load(url, call, { ms: MS });
  const seconds = (performance.now() - started) / 1_000;
  return (((await processorMs(pid)) - before) * 1_000) / (rps * seconds);
}

function print(name: string, spent: readonly number[]): void {
  console.log(`\n${`Small ${name}`.padEnd(44)}${'CPU µs'.padStart(10)}${'× first'.padStart(10)}`);
  for (const [at, us] of spent.entries()) {
    const ratio = us / (spent[0] ?? Number.NaN);
    console.log(`  ${NAMES[at]?.padEnd(42)}${us.toFixed(1).padStart(10)}${ratio.toFixed(2).padStart(10)}`);
  }
}
