import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import {
  closestNames,
  hostPaths,
  listMatrices,
  loadSettings,
  namedBundles,
  ROUTING_DIR,
  readSettings,
  redactSecrets,
  SETTINGS_SCOPES,
  trustNotice,
} from '@amplifier/host';
import { parse, stringify } from 'yaml';
import type { Cli } from '../../cli.js';
import { openCliProject } from '../../open/open-project.js';
import { changeSetting, chooseScope } from '../../options/choose-scope.js';
import type { Options } from '../../program/bind.js';
import { UsageError } from '../../usage-error.js';

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

/** Keys that settings have. Other keys may belong to modules; one that is similar to one of these is probably a typing mistake. */
const KEYS: Record<string, readonly string[]> = {
  '': [
    'bundle',
    'config',
    'modules',
    'overrides',
    'sources',
    'routing',
    'delegation',
    'permissions',
    'terminal',
    'prices',
  ],
  bundle: ['active', 'app', 'added'],
  config: ['providers'],
  modules: ['tools', 'hooks'],
  sources: ['modules', 'bundles'],
  routing: ['matrix', 'overrides'],
  permissions: ['allow', 'ask', 'deny'],
  terminal: ['notify', 'screen_reader'],
};

/** Throws when a setting would name a key, a bundle or a matrix that does not exist. */
async function requireKnown(cli: Cli, path: readonly string[], value: unknown): Promise<void> {
  requireKey(path[0] ?? '', KEYS[''] ?? [], '');
  requireKey(path[1], KEYS[path[0] ?? ''] ?? [], `${path[0]}.`);
  const paths = hostPaths(cli.cwd);
  const key = path.join('.');
  if (key === 'routing.matrix')
    requireName(
      'matrix',
      value,
      await listMatrices([...paths.routing, ROUTING_DIR]),
      'amplifier routing list',
    );
  if (key !== 'bundle.active') return;
  const known = Object.keys(await namedBundles(paths, await readSettings(paths)));
  if (!known.includes(String(value)) && !/[/:]/.test(String(value)))
    requireName('bundle', value, known, 'amplifier bundle list');
  await openCliProject(cli, String(value));
}

function requireKey(key: string | undefined, known: readonly string[], above: string): void {
  if (key === undefined || known.length === 0 || known.includes(key)) return;
  const [close] = closestNames(key, [...known]);
  if (close) throw new UsageError(`There is no setting '${above}${key}'. Did you mean '${above}${close}'?`);
}

function requireName(what: string, value: unknown, known: readonly string[], command: string): void {
  if (typeof value === 'string' && known.includes(value)) return;
  const [close] = closestNames(String(value), [...known]);
  throw new UsageError(
    `There is no ${what} '${String(value)}'. ${close ? `Did you mean '${close}'?` : `See: ${command}`}`,
  );
}
