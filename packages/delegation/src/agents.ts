import { isPlainObject, type JsonObject } from '@amplifier/core';
import type { AgentLoader } from '@amplifier/foundation';

/** An agent that can be launched: its overlay for the parent's plan, and where it came from. */
export interface ResolvedAgent {
  name: string;
  origin: string;
  /** Of its file; null for an agent that has none. */
  digest: string | null;
  overlay: JsonObject;
  /** Who runs it. Default: in this process, on a model. */
  engine?: string;
}

/** Where an entry point finds its agents. */
export interface AgentCatalog {
  /** Null for a name nobody has. Throws for an agent that is there and cannot be used. */
  find(name: string): Promise<ResolvedAgent | null>;
  /** Every name, for suggestions. */
  names(): Promise<string[]>;
}

/** An entry point without agent files: only the agents of the plan. */
export const NO_AGENTS: AgentCatalog = { find: async () => null, names: async () => [] };

/** Agent files, through the resolver and its search order. */
export function fileAgents(loader: AgentLoader): AgentCatalog {
  return {
    async find(name) {
      const found = await loader.resolver.find(name);
      if (!found) return null;
      const loaded = await loader.loadAgent(name);
      const overlay = loaded.toMountPlanFragment();
      const engine = typeof overlay.engine === 'string' ? overlay.engine : undefined;
      return { name, origin: loaded.origin, digest: loaded.digest, overlay, ...(engine ? { engine } : {}) };
    },
    names: async () => (await loader.resolver.list()).map((agent) => agent.name),
  };
}

/** What a plan says of one agent. */
export function rosterEntry(agents: unknown, name: string): JsonObject | undefined {
  const overlay = isPlainObject(agents) && Object.hasOwn(agents, name) ? agents[name] : undefined;
  return isPlainObject(overlay) ? overlay : undefined;
}

/** The agents a plan carries, by name. */
export function rosterOf(agents: unknown): Map<string, JsonObject> {
  const roster = new Map<string, JsonObject>();
  if (!isPlainObject(agents)) return roster;
  for (const name of Object.keys(agents)) {
    const overlay = agents[name];
    if (isPlainObject(overlay)) roster.set(name, overlay);
  }
  return roster;
}
