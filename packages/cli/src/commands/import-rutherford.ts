import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname } from 'node:path';
import {
  errorInfo,
  hostPaths,
  isPlainObject,
  type JsonObject,
  loadSettings,
  shownText,
} from '@amplifier/host';
import type { Options } from '../bind.js';
import { changeSetting, chooseScope } from '../choose-scope.js';
import type { Cli } from '../cli.js';
import { readRutherford, rutherfordFiles } from '../rutherford-settings.js';
import { fromFolder } from '../session-options.js';
import { UsageError } from '../usage-error.js';

/** Takes a configuration of Rutherford over into the section `delegation`. What is there already stays as it is. */
export async function importRutherford(
  cli: Cli,
  given: string | undefined,
  options: Options,
): Promise<number> {
  const file = given === undefined ? found(cli) : fromFolder(cli.cwd, given);
  const { section, agents, notes } = readRutherford(await parsed(file), dirname(file));
  const { buildRoster } = await import('@amplifier/acp');
  buildRoster({ agents });
  const { scopes } = await loadSettings(hostPaths(cli.cwd).settings);
  const { agents: own = {}, ...present } = (scopes[chooseScope(options)]?.delegation ?? {}) as JsonObject;
  const written: string[] = [];
  const kept: string[] = [];
  const take = async (name: string, isThere: boolean, path: string[], value: unknown) => {
    (isThere ? kept : written).push(name);
    if (!isThere && !options.dryRun) await changeSetting(cli, options, { path, value });
  };
  for (const [key, value] of Object.entries(section))
    await take(key, present[key] !== undefined, ['delegation', key], value);
  for (const [id, entry] of Object.entries(agents))
    await take(`agents.${id}`, (own as JsonObject)[id] !== undefined, ['delegation', 'agents', id], entry);
  const to = hostPaths(cli.cwd).settings[chooseScope(options)];
  if (cli.json) cli.printJson({ file, to, dry_run: Boolean(options.dryRun), written, kept, notes });
  else {
    for (const name of written)
      cli.print(`${options.dryRun ? 'would import' : 'imported'} ${shownText(name)}`);
    for (const name of kept) cli.print(`kept ${shownText(name)} as it is`);
    for (const note of notes) cli.print(`note: ${shownText(note)}`);
    cli.say(`${file} → ${to}. Check it with: amplifier doctor`);
  }
  return 0;
}

function found(cli: Cli): string {
  const files = rutherfordFiles(cli.cwd, process.env, homedir());
  const file = files.find((each) => existsSync(each));
  if (file) return file;
  throw new UsageError(`No configuration of Rutherford was found (${files.join(', ')}). Name the file.`);
}

async function parsed(file: string): Promise<JsonObject> {
  const text = await readFile(file, 'utf8').catch((error: unknown) => {
    throw new UsageError(`${file} cannot be read: ${errorInfo(error).message}`);
  });
  const { parse } = await import('smol-toml');
  try {
    const config: unknown = parse(text);
    return isPlainObject(config) ? config : {};
  } catch (error) {
    throw new UsageError(`${file} is not TOML: ${errorInfo(error).message}`);
  }
}
