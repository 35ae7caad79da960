import { isPlainObject, type JsonObject } from '@amplifier/core';
import { NetworkAccess, SafetyMode } from '@amplifier/workspace';
import { LimitOptions } from '../metering/limits.js';

/** The system prompt that an agent brings along; null when it has none. */
export function instructionOf(overlay: JsonObject): string | null {
  const { instruction, system } = overlay;
  const own =
    typeof instruction === 'string' ? instruction : isPlainObject(system) ? system.instruction : null;
  return typeof own === 'string' && own.trim() !== '' ? own : null;
}

/** Limits that the agent itself names. */
export function limitsOf({ limits }: JsonObject): LimitOptions {
  return limits === undefined ? {} : (LimitOptions.safeParse(limits).data ?? {});
}

/** MCP servers whose tools the agent lists: it gets them from its parent or is not launched. */
export function serversOf({ needs_servers }: JsonObject): string[] | undefined {
  const names = Array.isArray(needs_servers) ? needs_servers.filter((name) => typeof name === 'string') : [];
  return names.length > 0 ? names : undefined;
}

/** The skills the agent names and those the caller hands it. */
export function skillsOf({ skills }: JsonObject, handed: readonly string[] = []): string[] | undefined {
  const own = Array.isArray(skills) ? skills.filter((name) => typeof name === 'string') : [];
  const all = [...new Set([...own, ...handed])];
  return all.length > 0 ? all : undefined;
}

/** What the agent itself says of the network. Anything else than a known value allows nothing. */
export function networkOf({ network }: JsonObject): NetworkAccess | undefined {
  return network === undefined ? undefined : (NetworkAccess.safeParse(network).data ?? false);
}

export function modeOf({ safety_mode }: JsonObject): SafetyMode | undefined {
  return SafetyMode.options.find((mode) => mode === safety_mode);
}
