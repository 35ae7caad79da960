import {
  type HostPaths,
  hostPaths,
  SETTINGS_SCOPES,
  type SettingsScope,
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

/** Changes one setting, and says in which file. */
export async function changeSetting(cli: Cli, options: Options, change: Change): Promise<string> {
  const paths: HostPaths = hostPaths(cli.cwd);
  const file = paths.settings[chooseScope(options)];
  await writeSetting({ file, keysFile: paths.keys, ...change });
  return file;
}
