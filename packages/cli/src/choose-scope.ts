import {
  type FolderTrust,
  folderTrust,
  type HostPaths,
  hostPaths,
  SETTINGS_SCOPES,
  type SettingsScope,
  trustFolder,
  writeSetting,
} from '@amplifier/host';
import type { Cli } from './cli.js';
import type { Options } from './program.js';
import { UsageError } from './usage-error.js';

/** The scope a command writes to. One flag at most; without one, the user's. */
export function chooseScope(options: Options, fallback: SettingsScope = 'user'): SettingsScope {
  const named = SETTINGS_SCOPES.filter((scope) => options[scope]);
  if (named.length > 1)
    throw new UsageError(`Choose one of ${named.map((scope) => `--${scope}`).join(', ')}.`);
  return named[0] ?? fallback;
}

export interface Change {
  path: readonly (string | number)[];
  /** Undefined removes it. */
  value: unknown;
}

/** What a person writes with a command of ours in a folder with nothing else to distrust, they trust. */
export async function keepTrust(cli: Cli, before: FolderTrust): Promise<void> {
  const paths = hostPaths(cli.cwd);
  const after = await folderTrust(paths);
  if (after.digest === before.digest || (before.state !== 'trusted' && before.parts.length > 0)) return;
  await trustFolder(paths, after);
  if (before.state !== 'trusted') cli.say(`${after.folder} is trusted with what you just wrote.`);
}

/** Changes one setting, and says in which file. */
export async function changeSetting(cli: Cli, options: Options, change: Change): Promise<string> {
  const paths: HostPaths = hostPaths(cli.cwd);
  const file = paths.settings[chooseScope(options)];
  const before = await folderTrust(paths);
  await writeSetting({ file, keysFile: paths.keys, ...change });
  await keepTrust(cli, before);
  return file;
}
