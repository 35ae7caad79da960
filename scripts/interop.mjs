// npm run interop                    real agents from npm, driven by our engine against the fake model server
// npm run interop -- opencode gemini only these. They are installed once, into a folder that git ignores.
// The matrix of agents and cases is written into docs/acp.md.
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './lib/paths.mjs';
import { prepare } from './lib/prepare.mjs';
import { run, say } from './lib/run.mjs';

const PACKAGES = {
  claude_code: '@agentclientprotocol/claude-agent-acp@0.99.1',
  codex: '@agentclientprotocol/codex-acp@2.6.0',
  qwen: '@qwen-code/qwen-code@0.24.4',
  opencode: 'opencode-ai@1.18.33',
  gemini: '@google/gemini-cli@0.61.0',
};
/** Where the program has another name. */
const PROGRAMS = { claude_code: 'claude-agent-acp', codex: 'codex-acp' };
/** Some of them do not start on the oldest Node that we do. */
const NODE = 'node@24.21.0';

const wanted = process.argv.slice(2).length > 0 ? process.argv.slice(2) : Object.keys(PACKAGES);
const unknown = wanted.filter((id) => !(id in PACKAGES));
if (unknown.length > 0) {
  console.error(`No recipe for ${unknown.join(', ')}. There are: ${Object.keys(PACKAGES).join(', ')}.`);
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
if (existsSync(results)) await writeMatrix(JSON.parse(readFileSync(results, 'utf8')));
const missing = wanted.filter((id) => !isInstalled(id));
for (const id of missing) say(`SKIPPED: ${id} could not be installed. Nothing is shown for it.`);
if (missing.length === wanted.length) {
  say('No real agent ran.');
  process.exitCode = 1;
}

async function install(id) {
  if (isInstalled(id)) return;
  mkdirSync(folder, { recursive: true });
  const manifest = join(folder, 'package.json');
  if (!existsSync(manifest)) writeFileSync(manifest, '{"private": true}\n');
  say(`installing ${PACKAGES[id]} (some 100 MB, once)`);
  const args = ['install', '--no-audit', '--no-fund', '--prefix', folder, NODE, PACKAGES[id]];
  await run('npm', args, { label: `installing ${id}` });
}

function isInstalled(id) {
  return existsSync(join(folder, 'node_modules', '.bin', PROGRAMS[id] ?? id));
}

/** Puts what was seen into docs/acp.md; an agent that did not run keeps its column out. */
async function writeMatrix({ testResults }) {
  const seen = new Map();
  const reasons = [];
  for (const { ancestorTitles, title, status } of testResults.flatMap((file) => file.assertionResults)) {
    const id = ancestorTitles[0]?.split(',')[0];
    if (!(id in PACKAGES)) continue;
    const [name, reason] = title.split(/: (.*)/);
    if (reason) reasons.push(`- ${id}, ${name}: ${reason}`);
    const row = seen.get(name) ?? {};
    row[id] = reason ? 'see below' : status === 'passed' ? 'yes' : 'FAILED';
    seen.set(name, row);
  }
  const ids = Object.keys(PACKAGES).filter((id) => [...seen.values()].some((row) => id in row));
  if (ids.length === 0) return;
  const line = (cells) => `| ${cells.join(' | ')} |`;
  const table = [
    line(['', ...ids.map((id) => `${id} ${PACKAGES[id].split('@').at(-1)}`)]),
    line(['---', ...ids.map(() => '---')]),
    ...[...seen].map(([name, row]) => line([name, ...ids.map((id) => row[id] ?? 'not run')])),
  ];
  const file = join(root, 'docs/acp.md');
  const [before, , after] = readFileSync(file, 'utf8').split(/<!-- interop -->/);
  const body = [...table, ...(reasons.length > 0 ? ['', ...reasons] : [])].join('\n');
  writeFileSync(file, `${before}<!-- interop -->\n${body}\n<!-- interop -->${after}`);
}
