import { isPlainObject, type JsonObject } from '@amplifier/core';
import { NetworkAccess, SafetyMode } from '@amplifier/workspace';
import { LimitOptions } from '../metering/limits.js';

/** What an agent says of the sessions that run it. */
export interface AgentTerms {
  /** The system prompt; null when it has none. */
  instruction: string | null;
  limits: LimitOptions | undefined;
  network: NetworkAccess | undefined;
  safety_mode: SafetyMode | undefined;
  skills: string[] | undefined;
  /** MCP servers whose tools the agent lists: it gets them from its parent or is not launched. */
  needs_servers: string[] | undefined;
}

export function readOverlay(overlay: JsonObject): AgentTerms {
  const { limits, safety_mode } = overlay;
  return {
    instruction: instructionOf(overlay),
    limits: limits === undefined ? undefined : LimitOptions.safeParse(limits).data,
    network: networkOf(overlay),
    safety_mode: SafetyMode.options.find((mode) => mode === safety_mode),
    skills: namesIn(overlay.skills),
    needs_servers: namesIn(overlay.needs_servers),
  };
}

/** The skills the agent names and those the caller hands it. */
export function skillsOf({ skills }: AgentTerms, handed: readonly string[] = []): string[] | undefined {
  return handed.length === 0 ? skills : [...new Set([...(skills ?? []), ...handed])];
}

/** What the agent says of the network. Anything else than a known value allows nothing. */
export function networkOf({ network }: JsonObject): NetworkAccess | undefined {
  return network === undefined ? undefined : (NetworkAccess.safeParse(network).data ?? false);
}

function instructionOf({ instruction, system }: JsonObject): string | null {
  const own =
    typeof instruction === 'string' ? instruction : isPlainObject(system) ? system.instruction : null;
  return typeof own === 'string' && own.trim() !== '' ? own : null;
}

function namesIn(value: unknown): string[] | undefined {
  const names = Array.isArray(value) ? value.filter((name) => typeof name === 'string') : [];
  return names.length > 0 ? [...new Set(names)] : undefined;
}
