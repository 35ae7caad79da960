import { accessSync, constants, existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { createInterface } from 'node:readline';
import { run, say } from './run.mjs';

/** Programs that some tests need, and the Debian package each comes in. */
const PROGRAMS = {
  bwrap: 'bubblewrap',
  'chromium-headless-shell': 'chromium-headless-shell',
  rg: 'ripgrep',
  tmux: 'tmux',
};

/** Debian keeps the programs of a server off the path. Without it the tests run on the newest, which comes from npm. */
const POSTGRES = '/usr/lib/postgresql';

/**
 * Installs what is missing, as root with apt-get; in a terminal it asks first, unless CI is set. Returns what is still missing:
 * the tests that need it are skipped.
 */
export async function ensureDebianPackages() {
  const missing = missingPackages();
  if (missing.length === 0 || process.getuid?.() !== 0 || !isOnPath('apt-get')) return missing;
  const interactive = process.stdin.isTTY && process.stdout.isTTY && !process.env.CI;
  if (interactive && !(await confirm(`Install the Debian packages ${missing.join(' ')}? [y/N] `)))
    return missing;
  say(`installing Debian packages: ${missing.join(' ')}`);
  await installDebianPackages(missing);
  return missingPackages();
}

/** False for any answer but yes, and for the end of the input. */
async function confirm(question) {
  const terminal = createInterface({ input: process.stdin, output: process.stdout });
  const answer = await new Promise((resolve) => {
    terminal.question(question, resolve);
    terminal.once('close', () => resolve(''));
  });
  terminal.close();
  return /^y(es)?$/i.test(answer.trim());
}

/** Says whether they are there now. */
export async function installDebianPackages(packages) {
  const env = { DEBIAN_FRONTEND: 'noninteractive' };
  const install = () =>
    run('apt-get', ['install', '-y', '-qq', '--no-install-recommends', ...packages], { env }).catch(() => 1);
  if ((await install()) === 0) return true;
  await run('apt-get', ['update', '-qq'], { env }).catch(() => 1);
  return (await install()) === 0;
}

function missingPackages() {
  const missing = Object.entries(PROGRAMS).flatMap(([program, name]) => (isOnPath(program) ? [] : name));
  return existsSync(POSTGRES) ? missing : [...missing, 'postgresql'];
}

function isOnPath(program) {
  return (process.env.PATH ?? '').split(delimiter).some((folder) => {
    try {
      accessSync(join(folder, program), constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}
