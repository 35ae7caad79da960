import { accessSync, constants, existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
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
 * Installs what is missing where that is possible: as root, with apt-get. Never fails: elsewhere it says what is missing, and
 * the tests that need it are skipped, and counted as skipped.
 */
export async function ensureDebianPackages() {
  const missing = missingPackages();
  if (missing.length === 0) return;
  const wanted = missing.join(' ');
  if (process.getuid?.() !== 0 || !isOnPath('apt-get')) {
    say(
      `not installed: ${wanted}. The tests that need them are SKIPPED. On Debian: apt-get install ${wanted}`,
    );
    return;
  }
  say(`installing Debian packages: ${wanted}`);
  await installDebianPackages(missing);
  const left = missingPackages();
  if (left.length > 0) say(`could not install ${left.join(' ')}. The tests that need them are SKIPPED.`);
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
