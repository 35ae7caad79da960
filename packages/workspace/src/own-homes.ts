import { realpathSync } from 'node:fs';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';

type Environment = Readonly<Record<string, string | undefined>>;

/** Parts of the daemon's home that a variable may put elsewhere. */
const DAEMON_FOLDERS = ['CONFIG', 'SHARE', 'STATE', 'CACHE', 'LOG'];

/**
 * The folders in which this runtime keeps its own state: settings, keys, tokens, the record, launch records, of the command line
 * and of the daemon, wherever variables put them. No session may look into them or write there, in any mode.
 */
export function ownHomes(environment: Environment = process.env, cwd: string = process.cwd()): string[] {
  const folders = [
    environment.AMPLIFIER_HOME?.trim() || join(homedir(), '.amplifier'),
    environment.AMPLIFIERD_HOME?.trim() || join(homedir(), '.amplifierd'),
    ...DAEMON_FOLDERS.flatMap((name) => environment[`AMPLIFIERD_${name}_DIR`]?.trim() || []),
  ].map((folder) => resolve(cwd, folder));
  return [...new Set(folders.flatMap((folder) => [folder, realOrSame(folder)]))];
}

function realOrSame(folder: string): string {
  try {
    return realpathSync(folder);
  } catch {
    return folder;
  }
}
