// npm run interop                    real agents from npm, driven by our engine against the fake model server
// npm run interop -- opencode gemini only these. They are installed once, into a folder that git ignores.
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './lib/paths.mjs';
import { prepare } from './lib/prepare.mjs';
import { run, say } from './lib/run.mjs';

const PACKAGES = {
  opencode: 'opencode-ai@1.18.33',
  gemini: '@google/gemini-cli@0.61.0',
};

const wanted = process.argv.slice(2).length > 0 ? process.argv.slice(2) : Object.keys(PACKAGES);
const unknown = wanted.filter((id) => !(id in PACKAGES));
if (unknown.length > 0) {
  console.error(`No recipe for ${unknown.join(', ')}. There are: ${Object.keys(PACKAGES).join(', ')}.`);
  process.exit(2);
}
const folder = process.env.INTEROP_AGENTS_FOLDER ?? join(root, 'node_modules/.cache/amplifier/agents');
await prepare();
for (const id of wanted) await install(id);
const vitest = ['node_modules/vitest/vitest.mjs', 'run', '--config', 'vitest.interop.config.ts'];
process.exitCode = await run(process.execPath, vitest, {
  env: { INTEROP_AGENTS_FOLDER: folder, INTEROP_AGENTS: wanted.join(',') },
});
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
  const args = ['install', '--no-audit', '--no-fund', '--prefix', folder, PACKAGES[id]];
  await run('npm', args, { label: `installing ${id}` });
}

function isInstalled(id) {
  return existsSync(join(folder, 'node_modules', '.bin', id));
}
