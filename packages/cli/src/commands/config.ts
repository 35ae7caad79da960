import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import {
  hostPaths,
  loadSettings,
  readSettings,
  redactSecrets,
  SETTINGS_SCOPES,
  trustNotice,
} from '@amplifier/host';
import { parse, stringify } from 'yaml';
import type { Options } from '../bind.js';
import { changeSetting, chooseScope } from '../choose-scope.js';
import type { Cli } from '../cli.js';
import { requireKnown } from '../known-settings.js';
import { UsageError } from '../usage-error.js';

/** What counts of all scopes together, or one member of it. */
export async function configGet(cli: Cli, key: string | undefined): Promise<number> {
  const { settings, trust } = await readSettings(hostPaths(cli.cwd));
  const notice = trustNotice(trust);
  if (notice) cli.report(notice);
  const value = key === undefined ? settings : memberAt(settings, pathOf(key));
  if (value === undefined) {
    cli.say(`${key} is not set.`);
    return 1;
  }
  const shown = redactSecrets({ value }).value;
  if (cli.json) cli.printJson(shown);
  else cli.print(typeof shown === 'string' ? shown : stringify(shown, { lineWidth: 0 }));
  return 0;
}

export async function configSet(
  cli: Cli,
  key: string,
  text: string | undefined,
  options: Options,
): Promise<number> {
  const value = text === undefined ? undefined : parseValue(text);
  const path = pathOf(key);
  if (value !== undefined) await requireKnown(cli, path, value);
  const file = await changeSetting(cli, options, { path, value });
  if (cli.json) cli.printJson({ key, file });
  else cli.say(`${value === undefined ? 'Removed' : 'Set'} ${key} in ${file}`);
  return 0;
}

export async function configPath(cli: Cli): Promise<number> {
  const { settings, keys, home } = hostPaths(cli.cwd);
  const files = SETTINGS_SCOPES.map((scope) => ({
    scope,
    file: settings[scope],
    exists: existsSync(settings[scope]),
  }));
  if (cli.json) cli.printJson({ home, keys, settings: files });
  else
    for (const { scope, file, exists } of files)
      cli.print(`${scope.padEnd(8)} ${file}${exists ? '' : '  (does not exist)'}`);
  return 0;
}

export async function configEdit(cli: Cli, options: Options): Promise<number> {
  const file = hostPaths(cli.cwd).settings[chooseScope(options)];
  const editor = process.env.VISUAL || process.env.EDITOR;
  if (!editor) throw new UsageError(`Neither VISUAL nor EDITOR is set. Set one, or edit ${file} yourself.`);
  await mkdir(dirname(file), { recursive: true });
  if (!existsSync(file)) await writeFile(file, '', { mode: 0o600 });
  const code = await new Promise<number>((resolve, reject) => {
    const child = spawn(`${editor} "$FILE"`, {
      shell: true,
      stdio: 'inherit',
      env: { ...process.env, FILE: file },
    });
    child.on('error', reject).on('exit', (exit) => resolve(exit ?? 1));
  });
  await loadSettings(hostPaths(cli.cwd).settings);
  return code;
}

function pathOf(key: string): string[] {
  const path = key.split('.');
  if (path.some((part) => part === ''))
    throw new UsageError(`'${key}' is not a key. Write one such as bundle.active.`);
  return path;
}

function parseValue(text: string): unknown {
  try {
    return parse(text);
  } catch (error) {
    throw new UsageError(`The value is not YAML: ${(error as Error).message}`);
  }
}

function memberAt(value: unknown, path: readonly string[]): unknown {
  let at: unknown = value;
  for (const key of path)
    at = at !== null && typeof at === 'object' ? (at as Record<string, unknown>)[key] : undefined;
  return at;
}
