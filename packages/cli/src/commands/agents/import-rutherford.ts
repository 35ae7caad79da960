import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, isAbsolute, join, resolve } from 'node:path';
import {
  errorInfo,
  hostPaths,
  isPlainObject,
  type JsonObject,
  loadSettings,
  shownText,
} from '@amplifier/host';
import type { Cli } from '../../cli.js';
import { changeSetting, chooseScope } from '../../options/choose-scope.js';
import { fromFolder } from '../../options/session-options.js';
import type { Options } from '../../program/bind.js';
import { UsageError } from '../../usage-error.js';

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

/** What a configuration of Rutherford becomes here. */
interface RutherfordImport {
  /** Members of the section `delegation`. */
  section: JsonObject;
  agents: Record<string, JsonObject>;
  /** What is left to a person, or has no counterpart: one sentence each. */
  notes: string[];
}

const SAME = [
  'default_safety_mode',
  'default_effort',
  'default_timeout_s',
  'default_persistence',
  'enabled_agents',
];
const SAME_OF_AGENT = [
  'enabled',
  'command',
  'env',
  'provider',
  'default_model',
  'timeout_s',
  'extra_args',
  'effort',
  'fallback_model',
  'base',
];

/** Takes over what means the same here. `folder` is where the file lies: relative places count from there. */
function readRutherford(config: JsonObject, folder: string): RutherfordImport {
  const { agents = {}, jobs_dir, role_dirs, trusted_workspaces, ...rest } = config;
  const place = (path: string) => (isAbsolute(path) || path.startsWith('~') ? path : resolve(folder, path));
  const section: JsonObject = {};
  const notes: string[] = [];
  for (const [key, value] of Object.entries(rest)) {
    if (SAME.includes(key)) section[key] = value;
    else notes.push(LEFT[key] ?? `${key} has no counterpart here and was skipped.`);
  }
  if (typeof jobs_dir === 'string') section.jobs_dir = place(jobs_dir);
  if (Array.isArray(role_dirs)) section.role_dirs = role_dirs.map((path) => place(String(path)));
  for (const path of Array.isArray(trusted_workspaces) ? trusted_workspaces : [])
    notes.push(`Only you can trust a folder. To trust it: amplifier trust ${place(String(path))}`);
  const taken: Record<string, JsonObject> = {};
  for (const [id, entry] of Object.entries(isPlainObject(agents) ? agents : {}))
    if (isPlainObject(entry)) taken[id] = agentOf(id, entry, notes);
  return { section, agents: taken, notes };
}

const LEFT: Record<string, string> = {
  allow_direct_workspace_mutation:
    'Only you can let agents change a folder directly: amplifier config set delegation.allow_direct_workspace_mutation true',
  auto_detect_local_models: 'To find local model servers, run amplifier init or the MCP tool discover.',
  verify_read_only: 'read_only is always enforced by the sandbox, or checked afterwards without one.',
  max_depth: 'Nesting of agents is limited to 3; max_depth was skipped.',
};

function agentOf(id: string, entry: JsonObject, notes: string[]): JsonObject {
  const { backend, model, host, handshake_timeout_s, ...rest } = entry;
  const agent: JsonObject = {};
  for (const [key, value] of Object.entries(rest)) {
    if (SAME_OF_AGENT.includes(key)) agent[key] = value;
    else notes.push(`agents.${id}.${key} has no counterpart here and was skipped.`);
  }
  if (typeof agent.command === 'string')
    agent.command = agent.command.split(/\s+/).filter((word) => word !== '');
  if (typeof handshake_timeout_s === 'number') agent.handshake_ms = handshake_timeout_s * 1000;
  if (typeof backend !== 'string') return agent;
  const source = String(agent.base ?? id);
  const given = { model: String(model ?? ''), host: typeof host === 'string' ? host : null };
  const env = BACKENDS[`${source}+${backend}`]?.(given);
  if (!env) {
    notes.push(`agents.${id}: ${source} with ${backend} is not known here; set its variables in env.`);
    return agent;
  }
  const base = agent.base === undefined && source !== id ? { base: source } : {};
  return {
    ...agent,
    ...base,
    provider: agent.provider ?? backend,
    env: { ...env, ...(agent.env as JsonObject | undefined) },
  };
}

interface Backend {
  model: string;
  host: string | null;
}

const OLLAMA = 'http://127.0.0.1:11434';
const LM_STUDIO = 'http://127.0.0.1:1234';

/** The variables by which an agent is told to use a model server of the user's own. */
const BACKENDS: Record<string, (backend: Backend) => Record<string, string>> = {
  'goose+ollama': ({ model, host }) => ({
    GOOSE_PROVIDER: 'ollama',
    GOOSE_MODEL: model,
    OLLAMA_HOST: host ?? OLLAMA,
  }),
  'goose+lmstudio': ({ model, host }) => ({
    GOOSE_PROVIDER: 'openai',
    GOOSE_MODEL: model,
    OPENAI_HOST: host ?? LM_STUDIO,
    OPENAI_BASE_PATH: 'v1/chat/completions',
    OPENAI_API_KEY: 'local',
  }),
  'qwen+ollama': (backend) => openaiLike(backend, OLLAMA),
  'qwen+lmstudio': (backend) => openaiLike(backend, LM_STUDIO),
  'opencode+ollama': (backend) => opencode('ollama', backend, OLLAMA),
  'opencode+lmstudio': (backend) => opencode('lmstudio', backend, LM_STUDIO),
  'claude_code+ollama': ({ model, host }) => ({
    ANTHROPIC_BASE_URL: host ?? OLLAMA,
    ANTHROPIC_AUTH_TOKEN: 'local',
    ANTHROPIC_MODEL: model,
    ANTHROPIC_SMALL_FAST_MODEL: model,
  }),
};

function openaiLike({ model, host }: Backend, at: string): Record<string, string> {
  return { OPENAI_BASE_URL: `${host ?? at}/v1`, OPENAI_API_KEY: 'local', OPENAI_MODEL: model };
}

function opencode(name: string, { model, host }: Backend, at: string): Record<string, string> {
  const options = { baseURL: `${host ?? at}/v1`, apiKey: 'local' };
  const provider = {
    [name]: { npm: '@ai-sdk/openai-compatible', name, options, models: { [model]: { name: model } } },
  };
  return { OPENCODE_CONFIG_CONTENT: JSON.stringify({ provider, model: `${name}/${model}` }) };
}

/** Where Rutherford looks for its configuration, nearest first. */
function rutherfordFiles(cwd: string, environment: NodeJS.ProcessEnv, home: string): string[] {
  const named = environment.RUTHERFORD_CONFIG;
  if (named) return [named];
  return [
    join(cwd, 'rutherford.toml'),
    join(cwd, '.rutherford.toml'),
    join(cwd, '.rutherford', 'config.toml'),
    join(environment.XDG_CONFIG_HOME || join(home, '.config'), 'rutherford', 'config.toml'),
  ];
}
