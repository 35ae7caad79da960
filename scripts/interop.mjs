// npm run interop                    real agents from npm, driven by our engine against the fake model server, and real
//                                    MCP clients from npm, driving ours
// npm run interop -- opencode gemini only these. They are installed once, into a folder that git ignores.
// Writes what was seen into the tables of docs/acp.md and docs/mcp.md; what did not run this time stands there as it was last seen.
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { keepSeen, writeMatrix } from './lib/interop-matrix.mjs';
import { root } from './lib/paths.mjs';
import { prepare } from './lib/prepare.mjs';
import { run, say } from './lib/run.mjs';

const AGENTS = {
  claude_code: '@agentclientprotocol/claude-agent-acp@0.99.1',
  codex: '@agentclientprotocol/codex-acp@2.6.0',
  qwen: '@qwen-code/qwen-code@0.24.4',
  opencode: 'opencode-ai@1.18.33',
  gemini: '@google/gemini-cli@0.61.0',
};
const CLIENTS = {
  mcp_sdk_v1: 'mcp_sdk_v1@npm:@modelcontextprotocol/sdk@1.32.2',
  inspector_v0: 'inspector_v0@npm:@modelcontextprotocol/inspector@0.15.0',
  inspector_v2: 'inspector_v2@npm:@modelcontextprotocol/inspector@2.12.0',
};
/** Agents that work with an account alone: what is told of them is seen, too. */
const LACKING = {
  copilot: '@github/copilot@1.0.102',
  pi: 'pi-acp@0.0.34',
};
/** What an adapter wraps. */
const WRAPPED = { pi: '@mariozechner/pi-coding-agent@0.73.1' };
const ALL = { ...AGENTS, ...LACKING, ...CLIENTS };
/** Where the program has another name. */
const PROGRAMS = { claude_code: 'claude-agent-acp', codex: 'codex-acp', pi: 'pi-acp' };
/** Some of them do not start on the oldest Node that we do. */
const NODE = 'node@24.21.0';

const wanted = process.argv.slice(2).length > 0 ? process.argv.slice(2) : Object.keys(ALL);
const unknown = wanted.filter((id) => !(id in ALL));
if (unknown.length > 0) {
  console.error(`No recipe for ${unknown.join(', ')}. There are: ${Object.keys(ALL).join(', ')}.`);
  process.exit(2);
}
const folder = process.env.INTEROP_AGENTS_FOLDER ?? join(root, 'node_modules/.cache/amplifier/agents');
await prepare();
for (const id of wanted) await install(id);
const results = join(folder, 'results.json');
rmSync(results, { force: true });
const vitest = ['node_modules/vitest/vitest.mjs', 'run', '--config', 'vitest.interop.config.ts'];
vitest.push('--reporter=verbose', '--reporter=json', `--outputFile.json=${results}`);
process.exitCode = await run(process.execPath, vitest, {
  env: { INTEROP_AGENTS_FOLDER: folder, INTEROP_AGENTS: wanted.join(',') },
});
if (existsSync(results)) {
  const { testResults } = JSON.parse(readFileSync(results, 'utf8'));
  const seen = keepSeen(join(folder, 'seen.json'), testResults, ALL);
  writeMatrix(join(root, 'docs/acp.md'), AGENTS, seen, '<!-- interop -->');
  writeMatrix(join(root, 'docs/acp.md'), LACKING, seen, '<!-- interop: lacking -->');
  writeMatrix(join(root, 'docs/mcp.md'), CLIENTS, seen, '<!-- interop -->');
}
const missing = wanted.filter((id) => !isInstalled(id));
for (const id of missing) say(`SKIPPED: ${id} could not be installed. Nothing is shown for it.`);
if (missing.length === wanted.length) {
  say('None of them ran.');
  process.exitCode = 1;
}

async function install(id) {
  if (isInstalled(id)) return;
  mkdirSync(folder, { recursive: true });
  const manifest = join(folder, 'package.json');
  if (!existsSync(manifest)) writeFileSync(manifest, '{"private": true}\n');
  say(`installing ${ALL[id]} (some 100 MB, once)`);
  const args = ['install', '--no-audit', '--no-fund', '--prefix', folder, NODE, ALL[id]];
  if (WRAPPED[id]) args.push(WRAPPED[id]);
  await run('npm', args, { label: `installing ${id}` });
}

function isInstalled(id) {
  const place = id in CLIENTS ? join(id, 'package.json') : join('.bin', PROGRAMS[id] ?? id);
  return existsSync(join(folder, 'node_modules', place));
}
