// Runs the official MCP conformance suite and inspector against the MCP server. They are installed into a temporary folder, with
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
  '@modelcontextprotocol/sdk@1.32.2',
];

/** Beside the newest, in a folder of its own: the last inspector of the first generation. */
const OLD_INSPECTOR = '@modelcontextprotocol/inspector@0.15.0';

/** What the first words of a refused call must be, whoever asks. */
const REFUSALS = {
  'unknown target': 'UNKNOWN_TARGET',
  'untrusted folder': 'WORKSPACE_NOT_TRUSTED',
  'unknown job': 'JOB_NOT_FOUND',
};

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
/** The MCP server by itself, and as the daemon serves it. */
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
  const old = join(folder, 'old');
  mkdirSync(old);
  await run(
    'npm',
    ['install', '--prefix', old, '--no-audit', '--no-fund', '--no-save', OLD_INSPECTOR],
    process.env,
  );
  for (const [name, file] of Object.entries(SERVERS)) await checkServer(name, file);
  await inspectStdio();
  await askAsBefore();
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

function inspect(args, at = folder) {
  const node = join(folder, 'node_modules/.bin');
  const environment = { ...env, PATH: `${node}:${env.PATH}` };
  return run(join(at, 'node_modules/.bin/mcp-inspector'), ['--cli', ...args], environment);
}

function program() {
  return [
    ...[process.execPath, join(root, 'packages/cli/dist/main.js')],
    ...['--cwd', work, 'mcp', '--offline'],
  ];
}

async function inspectStdio() {
  for (const [name, at] of [
    ['inspector', folder],
    ['inspector of the first generation', join(folder, 'old')],
  ]) {
    const call = (...input) =>
      inspect(
        [
          ...program(),
          '--method',
          'tools/call',
          '--tool-name',
          'delegate',
          ...input.flatMap((arg) => ['--tool-arg', arg]),
        ],
        at,
      );
    const called = await call('cli=amplifier', 'prompt=hello');
    report(/"ok":\s*true/.test(called.output), `${name}, stdio, tools/call delegate`);
    const refused = await call('cli=nobody', 'prompt=hello');
    report(refused.output.includes('UNKNOWN_TARGET: '), `${name}, stdio, a refused call`);
  }
}

/** With the official client of the first generation. */
async function askAsBefore() {
  const file = join(root, 'packages/mcp/conformance/old-client.mjs');
  const { output } = await run(process.execPath, [file, folder, ...program()]);
  const told = output.trim().startsWith('{') ? JSON.parse(output) : {};
  report(told.answer?.isError === false, 'client of the first generation, an answer');
  for (const [name, code] of Object.entries(REFUSALS))
    report(
      told[name]?.isError && told[name].text.startsWith(`${code}: `),
      `client of the first generation, ${name}`,
    );
  report(told['bad input']?.isError === true, 'client of the first generation, bad input');
  if (!told.answer) console.log(output);
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
