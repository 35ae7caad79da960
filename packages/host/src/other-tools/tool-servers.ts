import { basename, join } from 'node:path';
import { errorInfo, isPlainObject, type JsonObject } from '@amplifier/core';
import { OPENCODE_CONFIGS, type OtherTool, parseOpencodeConfig, parseToml } from '@amplifier/foundation';
import { readSmallFile } from '../project/read-json-file.js';
import { mcpJsonFile, mcpServersIn } from './mcp-json.js';

/** A file of another tool's that may name MCP servers. */
export interface ServerFile {
  tool: OtherTool;
  file: string;
  /** Shown to people. */
  origin: string;
  /** A project's own count only where the folder is trusted. */
  ofProject: boolean;
  /** The servers as `tool-mcp` is configured, and what is wrong with others. Rejects for a file that cannot be read. */
  read(): Promise<ReadServers>;
}

interface ReadServers {
  servers: Record<string, JsonObject>;
  left_out: string[];
}

/** The user's before the project's: a project does not take the place of a server of the user's. */
export function serverFiles(
  tools: ReadonlySet<OtherTool>,
  { home, cwd }: { home: string; cwd: string },
): ServerFile[] {
  const user = [
    ...opencodeFiles([join(home, '.config/opencode')], 'opencode user', false),
    codexFile(home, 'codex user', false),
  ];
  const own = new Set(user.map(({ file }) => file));
  const project = projectServerFiles(tools, cwd).filter(({ file }) => !own.has(file));
  return [...user.filter(({ tool }) => tools.has(tool)), ...project];
}

export function projectServerFiles(tools: ReadonlySet<OtherTool>, cwd: string): ServerFile[] {
  return [
    mcpJson(cwd),
    ...opencodeFiles([cwd, join(cwd, '.opencode')], 'opencode project', true),
    codexFile(cwd, 'codex project', true),
  ].filter(({ tool }) => tools.has(tool));
}

function mcpJson(cwd: string): ServerFile {
  const file = mcpJsonFile(cwd);
  const read = async () => ({ servers: await mcpServersIn(file), left_out: [] });
  return { tool: 'claude_code', file, origin: '.mcp.json', ofProject: true, read };
}

function opencodeFiles(folders: readonly string[], origin: string, ofProject: boolean): ServerFile[] {
  const files = folders.flatMap((folder) => OPENCODE_CONFIGS.map((name) => join(folder, name)));
  return files.map((file) => ({
    tool: 'opencode',
    file,
    origin,
    ofProject,
    read: async () => {
      const text = await readSmallFile(file);
      return text === null ? NONE : serversOf(parseOpencodeConfig(text, file).mcp, opencodeServer);
    },
  }));
}

function codexFile(folder: string, origin: string, ofProject: boolean): ServerFile {
  const file = join(folder, '.codex/config.toml');
  const read = async () => {
    const text = await readSmallFile(file);
    return text === null ? NONE : serversOf(parseToml(text, file).mcp_servers, codexServer);
  };
  return { tool: 'codex', file, origin, ofProject, read };
}

const NONE: ReadServers = { servers: {}, left_out: [] };

function serversOf(section: unknown, convert: (server: JsonObject) => JsonObject): ReadServers {
  const servers: Record<string, JsonObject> = {};
  const left_out: string[] = [];
  for (const [name, server] of Object.entries(isPlainObject(section) ? section : {})) {
    if (!isPlainObject(server) || server.enabled === false) continue;
    try {
      const config = convert(server);
      if (!isOurselves(config)) servers[name.replace(/[^A-Za-z0-9_-]+/g, '_')] = config;
    } catch (error) {
      left_out.push(`${name} (${errorInfo(error).message})`);
    }
  }
  return { servers, left_out };
}

/** These tools are told of us in the same place; a session needs no server to reach itself. */
function isOurselves({ command, args }: JsonObject): boolean {
  return (
    typeof command === 'string' &&
    basename(command) === 'amplifier' &&
    Array.isArray(args) &&
    args.includes('mcp')
  );
}

/** https://opencode.ai/docs/mcp-servers: `command` is a list, `environment` its variables, `{env:NAME}` stands for one of ours. */
function opencodeServer({ command, environment, url, headers, timeout, cwd }: JsonObject): JsonObject {
  const words = Array.isArray(command) ? command : [command];
  const given =
    typeof url === 'string'
      ? { url, headers }
      : { command: words[0], args: words.slice(1), env: environment, cwd };
  return ourReferences(said({ ...given, connect_timeout_ms: timeout }));
}

function ourReferences<Value>(value: Value): Value {
  if (typeof value === 'string') {
    if (value.includes('{file:')) throw new Error('{file:…} has no counterpart; use {env:NAME}');
    return value.replace(/\{env:(\w+)\}/g, '$${$1:}') as Value;
  }
  if (Array.isArray(value)) return value.map(ourReferences) as Value;
  if (!isPlainObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, ourReferences(each)])) as Value;
}

/** https://developers.openai.com/codex/mcp: what is to come from the environment is named, not written as a reference. */
function codexServer(server: JsonObject): JsonObject {
  const { command, args, env, env_vars, cwd, url, http_headers, env_http_headers, required } = server;
  // Offering what somebody switched off would be worse than not having the server.
  if (Array.isArray(server.disabled_tools) && server.disabled_tools.length > 0)
    throw new Error('disabled_tools has no counterpart; name the others in enabled_tools');
  const token = server.bearer_token_env_var;
  const names = Array.isArray(env_vars) ? env_vars.filter((name) => typeof name === 'string') : [];
  const passed = Object.fromEntries(names.map((name) => [name, `\${${name}:}`]));
  const named = Object.entries(isPlainObject(env_http_headers) ? env_http_headers : {});
  const headers = {
    ...(isPlainObject(http_headers) ? http_headers : {}),
    ...Object.fromEntries(named.map(([header, name]) => [header, `\${${String(name)}:}`])),
    ...(typeof token === 'string' ? { Authorization: `Bearer \${${token}:}` } : {}),
  };
  const given =
    typeof url === 'string'
      ? { url, headers }
      : { command, args, cwd, env: { ...(isPlainObject(env) ? env : {}), ...passed } };
  return said({
    ...given,
    required,
    tools: server.enabled_tools,
    connect_timeout_ms: milliseconds(server.startup_timeout_sec),
    timeout_ms: milliseconds(server.tool_timeout_sec),
  });
}

function milliseconds(seconds: unknown): number | undefined {
  return typeof seconds === 'number' && seconds > 0 ? Math.round(seconds * 1000) : undefined;
}

function said(config: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(config).filter(([, value]) => value != null));
}
