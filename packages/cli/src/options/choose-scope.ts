import {
  type FolderTrust,
  folderTrust,
  type HostPaths,
  hostPaths,
  loadSettings,
  recordTrust,
  SETTINGS_SCOPES,
  type SettingsScope,
  writeSetting,
} from '@amplifier/host';
import type { Cli } from '../cli.js';
import type { Options } from '../program/bind.js';
import { UsageError } from '../usage-error.js';

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
  await recordTrust(paths, after);
  if (before.state !== 'trusted') cli.say(`${after.folder} is trusted with what you just wrote.`);
}

/** Changes one setting, and says in which file. When another file hides it, that is said, too. */
export async function changeSetting(cli: Cli, options: Options, change: Change): Promise<string> {
  const paths: HostPaths = hostPaths(cli.cwd);
  const scope = chooseScope(options);
  const file = paths.settings[scope];
  const before = await folderTrust(paths);
  await writeSetting({ file, keysFile: paths.keys, ...change });
  await keepTrust(cli, before);
  const hiding = await hidingScope(paths, scope, change.path);
  if (hiding)
    cli.say(
      `warning: It does not take effect here: ${paths.settings[hiding]} sets ${JSON.stringify(await valueIn(paths, hiding, change.path))}. Use --${hiding} to change that.`,
    );
  return file;
}

/** The nearest scope above that says something of its own about the same setting. Lists and mappings are merged, not hidden. */
async function hidingScope(
  paths: HostPaths,
  scope: SettingsScope,
  path: Change['path'],
): Promise<SettingsScope | null> {
  const nearer = SETTINGS_SCOPES.slice(SETTINGS_SCOPES.indexOf(scope) + 1).reverse();
  for (const each of nearer) {
    const value = await valueIn(paths, each, path);
    if (value !== undefined && (typeof value !== 'object' || value === null)) return each;
  }
  return null;
}

async function valueIn(paths: HostPaths, scope: SettingsScope, path: Change['path']): Promise<unknown> {
  const { scopes } = await loadSettings(paths.settings);
  let at: unknown = scopes[scope];
  for (const key of path)
    at = at !== null && typeof at === 'object' ? (at as Record<string | number, unknown>)[key] : undefined;
  return at;
}
