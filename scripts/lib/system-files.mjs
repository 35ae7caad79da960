import { lstatSync, readdirSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';

/** What no test may change: the system's settings, and the person's. */
const FOLDERS = ['/etc', ...['.ssh', '.gnupg', '.config/git', '.amplifier/agents'].map(inHome)];
/** Written by shells and editors while the tests run. */
const BUSY = /(history|hist|hsts|viminfo|lesshst|\.lock|^\.claude\.json.*)$/;

function inHome(name) {
  return join(homedir(), name);
}

/** Time, size and rights of every such file. */
export function lookAtSystemFiles(folders = FOLDERS, home = homedir()) {
  const seen = new Map();
  for (const folder of folders) look(folder);
  for (const name of list(home)) {
    const path = join(home, name);
    if (name.startsWith('.') && !BUSY.test(name) && !stat(path)?.isDirectory()) note(path);
  }
  for (const name of ['settings.yaml', 'keys.env']) note(join(home, '.amplifier', name));
  return seen;

  function look(folder) {
    for (const name of list(folder)) {
      const path = join(folder, name);
      note(path);
      if (stat(path)?.isDirectory()) look(path);
    }
  }

  function note(path) {
    const stats = stat(path);
    if (stats) seen.set(path, `${stats.mtimeMs} ${stats.isDirectory() ? '' : stats.size} ${stats.mode}`);
  }
}

/** The files that are new, gone or different. */
export function changedFiles(before, after) {
  const paths = new Set([...before.keys(), ...after.keys()]);
  return [...paths].filter((path) => before.get(path) !== after.get(path)).sort();
}

function list(folder) {
  try {
    return readdirSync(folder);
  } catch {
    // Not there, or not for us to read: then no test of ours can have written there either.
    return [];
  }
}

function stat(path) {
  return lstatSync(path, { throwIfNoEntry: false });
}
