import { createHash } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import { homedir } from 'node:os';
import { basename, isAbsolute, join, resolve } from 'node:path';
import { type Grant, realPathOf } from '@amplifier/workspace';
import type { StdioServer } from './mcp-config.js';

/** Programs that fetch a server before they start it, and so need a cache. */
const LAUNCHERS = new Set(['npx', 'npm', 'pnpm', 'pnpx', 'yarn', 'bun', 'bunx', 'deno', 'uv', 'uvx', 'pipx']);

/** How each of them is told where. */
const CACHES: Readonly<Record<string, string>> = {
  npm_config_cache: 'npm',
  npm_config_store_dir: 'pnpm',
  YARN_CACHE_FOLDER: 'yarn',
  BUN_INSTALL_CACHE_DIR: 'bun',
  DENO_DIR: 'deno',
  UV_CACHE_DIR: 'uv',
  UV_TOOL_DIR: 'uv-tools',
  PIPX_HOME: 'pipx',
};

export interface ServerState {
  /** Real paths that the server may write, whatever the session may. */
  paths: string[];
  env: Record<string, string>;
}

/**
 * What a server may keep between sessions: the folders it is configured with, and for a launcher a separate cache. It cannot write
 * the user's caches, because programs without a sandbox run what is there. Sessions that may not read the same folders do not share
 * a cache: the server of one tenant must not run what the server of another stored.
 */
export async function serverState(
  { command, args, state_paths }: StdioServer,
  { read }: Pick<Grant, 'read'>,
): Promise<ServerState> {
  const given = await Promise.all(state_paths.map((path) => realPathOf(expanded(path))));
  if (!LAUNCHERS.has(basename(command))) return { paths: given, env: {} };
  const scope = read.allow.includes('/') ? [] : [read.allow];
  const digest = createHash('sha256')
    .update(JSON.stringify([command, args, ...scope]))
    .digest('hex')
    .slice(0, 16);
  const folder = join(mcpCacheFolder(), `${basename(command)}-${digest}`);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const cache = await realPathOf(folder);
  const env = Object.entries(CACHES).map(([name, below]) => [name, join(cache, below)]);
  return { paths: [...given, cache], env: Object.fromEntries(env) };
}

/** Below the cache folder of the user. No session writes there; see `protectedPaths`. */
export function mcpCacheFolder(): string {
  return join(cacheHome(), 'amplifier-mcp');
}

function cacheHome(): string {
  const { XDG_CACHE_HOME: named } = process.env;
  return named && isAbsolute(named) ? named : join(homedir(), '.cache');
}

function expanded(path: string): string {
  return path.startsWith('~/') ? join(homedir(), path.slice(2)) : resolve(path);
}
