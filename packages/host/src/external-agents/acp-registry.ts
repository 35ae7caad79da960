import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { errorInfo, isPlainObject } from '@amplifier/core';
import type { Environment } from '../environment.js';
import type { HostPaths } from '../host-paths.js';
import { fetchText } from '../models/fetch-text.js';

const ADDRESS = 'https://cdn.agentclientprotocol.com/registry/v1/latest/registry.json';
const LIMITS = { timeout_ms: 5000, max_bytes: 4 * 1024 * 1024 };

/** An agent of the public list, by the command it would be started with. All of it is untrusted. */
export interface RegistryAgent {
  id: string;
  name: string;
  command: [string, ...string[]];
}

export interface AcpRegistry {
  source: 'network' | 'cache' | 'none';
  agents: RegistryAgent[];
  /** Why the network, or the list, could not be used. */
  problem: string | null;
}

/** The public list of agents: from the network, else as it was last seen, else none. `AMPLIFIER_ACP_REGISTRY_URL` names another. */
export async function readAcpRegistry({ cache }: HostPaths, environment: Environment): Promise<AcpRegistry> {
  const file = join(cache, 'acp-registry.json');
  try {
    const text = await fetchText(environment.AMPLIFIER_ACP_REGISTRY_URL || ADDRESS, LIMITS);
    const agents = agentsIn(JSON.parse(text));
    await mkdir(dirname(file), { recursive: true, mode: 0o700 });
    const beside = `${file}.${process.pid}`;
    await writeFile(beside, text, { mode: 0o600 });
    await rename(beside, file);
    return { source: 'network', agents, problem: null };
  } catch (error) {
    const problem = `The public list of agents could not be read: ${errorInfo(error).message}`;
    const kept = await readFile(file, 'utf8').catch(() => null);
    if (kept === null) return { source: 'none', agents: [], problem };
    return { source: 'cache', agents: agentsIn(JSON.parse(kept)), problem };
  }
}

function agentsIn(list: unknown): RegistryAgent[] {
  const entries = isPlainObject(list) && Array.isArray(list.agents) ? list.agents.filter(isPlainObject) : [];
  return entries.flatMap(({ id, name, distribution }) => {
    const command = isPlainObject(distribution) ? commandOf(distribution) : null;
    if (typeof id !== 'string' || !/^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/.test(id) || !command) return [];
    if (!isItsOwn(id, command[0])) return [];
    return [{ id, name: typeof name === 'string' ? name.slice(0, 100) : id, command }];
  });
}

function commandOf(distribution: Record<string, unknown>): [string, ...string[]] | null {
  const { binary, npx } = distribution;
  const os = process.platform === 'win32' ? 'windows' : process.platform;
  const arch = process.arch === 'arm64' ? 'aarch64' : 'x86_64';
  const own = isPlainObject(binary) ? binary[`${os}-${arch}`] : undefined;
  if (isPlainObject(own) && typeof own.cmd === 'string')
    return words(own.cmd.split('/').at(-1) ?? '', own.args);
  if (!isPlainObject(npx) || typeof npx.package !== 'string') return null;
  const [, bare = ''] = /^(?:@[^/]+\/)?([^@/]+)/.exec(npx.package) ?? [];
  return words(bare, npx.args);
}

function words(program: string, args: unknown): [string, ...string[]] | null {
  const more = Array.isArray(args) ? args : [];
  if (!/^[A-Za-z0-9][\w.-]*$/.test(program) || more.some((word) => typeof word !== 'string')) return null;
  return [program, ...(more as string[])];
}

/** Words that say nothing of who an agent is. */
const GENERIC = new Set(['cli', 'acp', 'agent', 'code', 'coding', 'bin', 'app']);

/**
 * A list from the network may name any program. Only one that bears the name of its agent is taken: so no shell, interpreter or
 * package runner is ever started because a list says so.
 */
function isItsOwn(id: string, program: string): boolean {
  const parts = id
    .toLowerCase()
    .split(/[-_]/)
    .filter((part) => part.length >= 3 && !GENERIC.has(part));
  return parts.some((part) => program.toLowerCase().includes(part)) && !RUNNERS.test(program);
}

const RUNNERS =
  /^(ba|da|z|k|fi|tc|c)?sh$|^(node|deno|bun|bunx|npm|npx|pnpm|pnpx|yarn|python[\d.]*|pip[\d.]*|pipx|uv|uvx|ruby|perl|php|lua|java|go|cargo|dotnet|docker|podman|env|sudo|su|doas|ssh|curl|wget|git|make|xargs|nohup|timeout|eval|exec|awk|sed|find|rm|mv|cp|dd|tee|cat|pwsh|powershell|cmd)(\.exe)?$/i;
