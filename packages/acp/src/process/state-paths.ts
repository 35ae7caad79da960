import { mkdir, stat } from 'node:fs/promises';
import { homedir } from 'node:os';
import { basename, isAbsolute, join, resolve } from 'node:path';
import { isWithin } from '@amplifier/workspace';

const BASES: Record<string, [variable: string, below: string]> = {
  config: ['XDG_CONFIG_HOME', '.config'],
  data: ['XDG_DATA_HOME', '.local/share'],
  cache: ['XDG_CACHE_HOME', '.cache'],
  state: ['XDG_STATE_HOME', '.local/state'],
};

/** Where the entries of `state_paths` are for this environment. */
export function statePaths(entries: readonly string[], env: Record<string, string>): string[] {
  const home = env.HOME ?? homedir();
  return entries.flatMap((entry) => {
    const [base = 'home', path = ''] = splitOnce(entry);
    if (base === 'env') return namedBy(env[path], home);
    const [variable, below] = BASES[base] ?? ['', ''];
    return [join(env[variable] || join(home, below), path)];
  });
}

/** A place that a variable names. One that holds the whole home is no place of the agent's own. */
function namedBy(value: string | undefined, home: string): string[] {
  return value && isAbsolute(value) && !isWithin(resolve(value), resolve(home)) ? [resolve(value)] : [];
}

/** Makes the missing folders, because a sandbox can only let an agent write what is there. A name like `.x.json` is a file. */
export async function makeStateFolders(paths: readonly string[]): Promise<string[]> {
  const there: string[] = [];
  for (const path of paths) {
    const isFile = /\w\.\w+$/.test(basename(path));
    if (!isFile) await mkdir(path, { recursive: true, mode: 0o700 });
    if (await stat(path).catch(() => null)) there.push(path);
  }
  return there;
}

function splitOnce(entry: string): [string, string] {
  const at = entry.indexOf(':');
  return [entry.slice(0, at), entry.slice(at + 1)];
}
