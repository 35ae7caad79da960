// Runs the official MCP conformance suite and inspector against the MCP door. They are installed into a temporary folder, with
// a Node of their own, because the suite does not start on Node 20 and both are large. Installing needs the registry; the
// runs themselves stay on this machine.
import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ownEnvironment } from './lib/own-environment.mjs';
import { root } from './lib/paths.mjs';
import { prepare } from './lib/prepare.mjs';

const TOOLS = [
  'node@24',
  '@modelcontextprotocol/conformance@0.2.0-alpha.12',
  '@modelcontextprotocol/inspector@2.12.0',
];

/** Scenarios that need no tool, resource or prompt of the suite's own. Each must pass; the others are only counted. */
const APPLICABLE = {
  '2025-11-25': [
    'server-initialize',
    'ping',
    'tools-list',
    'server-sse-multiple-streams',
    'dns-rebinding-protection',
    'server-session-lifecycle',
  ],
  '2026-07-28': [
    'tools-list',
    'server-sse-multiple-streams',
    'sep-2164-resource-not-found',
    'dns-rebinding-protection',
    'input-required-result-missing-input-response',
    'input-required-result-unsupported-methods',
    'input-required-result-ignore-extra-params',
    'input-required-result-validate-input',
    'http-header-validation',
  ],
};

await prepare();
const folder = mkdtempSync(join(tmpdir(), 'amplifier-conformance-'));
const work = join(folder, 'work');
mkdirSync(work);
const env = ownEnvironment(process.env, folder);
/** The door by itself, and as the daemon serves it. */
const SERVERS = {
  'HTTP handler': 'packages/mcp/conformance/serve-http.mjs',
  daemon: 'packages/daemon/conformance/serve-mcp.mjs',
};
let failures = 0;
try {
  console.log('installing the suite and the inspector');
  // With the person's own environment: that is where the registry is set up.
  const install = ['install', '--prefix', folder, '--no-audit', '--no-fund', '--no-save', ...TOOLS];
  await run('npm', install, process.env);
  for (const [name, file] of Object.entries(SERVERS)) await checkServer(name, file);
  await inspectStdio();
} finally {
  rmSync(folder, { recursive: true, force: true });
}
console.log(
  failures === 0 ? 'conformance: everything that applies passed' : `conformance: ${failures} failed`,
);
process.exitCode = failures === 0 ? 0 : 1;

async function checkServer(name, file) {
  console.log(`${name}:`);
  const server = spawn(process.execPath, [join(root, file), work], {
    env: { ...env, AMPLIFIERD_HOME: join(folder, 'daemon') },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  try {
    const url = await firstLine(server.stdout);
    for (const [revision, applicable] of Object.entries(APPLICABLE)) await suite(url, revision, applicable);
    const listed = await inspect([url, '--transport', 'http', '--method', 'tools/list']);
    report(listed.output.includes('"continue_job"'), 'inspector, HTTP, tools/list');
  } finally {
    server.kill('SIGKILL');
  }
}

async function suite(url, revision, applicable) {
  const node = join(folder, 'node_modules/.bin/node');
  const program = join(folder, 'node_modules/@modelcontextprotocol/conformance/dist/index.js');
  const { output } = await run(node, [
    program,
    'server',
    '--url',
    url,
    '--requirements',
    revision,
    '--timeout',
    '10000',
  ]);
  const summary = output.slice(output.indexOf('=== SUMMARY ==='));
  const scenarios = new Map();
  for (const [, name, passed, failed] of summary.matchAll(/^\S+ ([\w-]+): (\d+) passed, (\d+) failed$/gm))
    scenarios.set(name, { passed: Number(passed), failed: Number(failed) });
  for (const name of applicable) {
    const { passed = 0, failed = 1 } = scenarios.get(name) ?? {};
    report(failed === 0, `${revision} ${name}: ${passed} passed, ${failed} failed`);
  }
  const others = scenarios.size - applicable.length;
  console.log(
    `  ${revision}: ${others} further scenarios need tools, resources, prompts or tasks of the suite's own server`,
  );
}

function inspect(args) {
  return run(join(folder, 'node_modules/.bin/mcp-inspector'), ['--cli', ...args]);
}

async function inspectStdio() {
  const ours = [process.execPath, join(root, 'packages/cli/dist/main.js'), '--cwd', work, 'mcp', '--offline'];
  const called = await inspect([
    ...ours,
    ...['--method', 'tools/call', '--tool-name', 'delegate'],
    ...['--tool-arg', 'cli=amplifier', '--tool-arg', 'prompt=hello'],
  ]);
  report(/"ok":\s*true/.test(called.output), 'inspector, stdio, tools/call delegate');
}

function report(passed, text) {
  if (!passed) failures += 1;
  console.log(`${passed ? '✓' : '✗'} ${text}`);
}

function run(program, args, environment = env) {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { env: environment, stdio: ['ignore', 'pipe', 'pipe'] });
    let output = '';
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (chunk) => {
        output += chunk;
      });
    child.on('error', reject);
    child.on('close', (code) => resolve({ code, output }));
  });
}

function firstLine(stream) {
  return new Promise((resolve) => {
    let text = '';
    stream.on('data', (chunk) => {
      text += chunk;
      if (text.includes('\n')) resolve(text.trim());
    });
  });
}
