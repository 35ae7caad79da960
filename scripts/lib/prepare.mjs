import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { buildWeb } from './build-web.mjs';
import { bundleCli } from './bundle-cli.mjs';
import { fingerprintFiles, fingerprintTree, isFresh, markFresh } from './fingerprint.mjs';
import { root } from './paths.mjs';
import { mustRun, say } from './run.mjs';

const INSTALLED = 'node_modules/.amplifier-installed';
const BUILT = 'node_modules/.cache/amplifier/built';
const CONFIGURED = 'node_modules/.cache/amplifier/configured';

/** What decides how the CLI and the browser application are bundled. */
const BUNDLER = ['bundle-cli', 'build-web', 'own-sources'].map((name) => `scripts/lib/${name}.mjs`);

const TSC = 'node_modules/ts7/bin/tsc';

/** Installs when the lock file is not the one that was installed. */
async function install() {
  const lock = fingerprintFiles(['package-lock.json']);
  if (isFresh(INSTALLED, lock)) return;
  say('installing dependencies (only when they changed)');
  const npm = process.env.npm_execpath;
  const args = ['ci', '--no-audit', '--no-fund', '--prefer-offline'];
  const label = 'installing';
  if (npm) await mustRun(process.execPath, [npm, ...args], { label });
  else await mustRun('npm', args, { label });
  markFresh(INSTALLED, lock);
}

/** Compiles the packages that changed. */
async function build() {
  const sources = fingerprintTree(['packages'], isSource) + fingerprintFiles(BUNDLER);
  if (isFresh(BUILT, sources)) return;
  say('building');
  const configs =
    fingerprintTree(['packages'], isConfig) + fingerprintFiles(['tsconfig.base.json', 'tsconfig.json']);
  // The compiler's own bookkeeping does not notice a changed base configuration.
  if (!isFresh(CONFIGURED, configs)) removeBuilds();
  await mustRun(process.execPath, [TSC, '--build', 'tsconfig.json'], { label: 'building' });
  await buildWeb();
  await bundleCli();
  markFresh(CONFIGURED, configs);
  markFresh(BUILT, sources);
}

export async function prepare() {
  await install();
  await build();
}

function isSource(name) {
  return isConfig(name) || (/\.(ts|tsx|css|html|json|md|yaml)$/.test(name) && !name.endsWith('.test.ts'));
}

function isConfig(name) {
  return name === 'tsconfig.json' || name === 'package.json';
}

function removeBuilds() {
  for (const name of readdirSync(join(root, 'packages'))) {
    rmSync(join(root, 'packages', name, 'dist'), { recursive: true, force: true });
  }
}
