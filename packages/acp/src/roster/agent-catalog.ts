import type { AgentCatalog, ResolvedAgent } from '@amplifier/delegation';
import type { Roster } from './roster.js';

/** `acp:x` always means the roster. */
export const ENGINE_PREFIX = 'acp:';

/** The roster as agents a parent can delegate to, by `acp:<id>`. Bare names are for the entry point to sort out. */
export function acpAgents(roster: Roster): AgentCatalog {
  return {
    async find(name): Promise<ResolvedAgent | null> {
      if (!name.startsWith(ENGINE_PREFIX)) return null;
      const agent = roster.get(name.slice(ENGINE_PREFIX.length));
      const description = `${agent.display_name}, an external coding agent.`;
      return { name, origin: 'roster', digest: null, engine: name, overlay: { description } };
    },
    names: async () => roster.ids.map((id) => `${ENGINE_PREFIX}${id}`),
  };
}

/** `cli:model` splits after the longest known id, so that an id may have a colon in its model. */
export function splitTarget(target: string, roster: Roster): { id: string; model: string | null } {
  const bare = target.startsWith(ENGINE_PREFIX) ? target.slice(ENGINE_PREFIX.length) : target;
  const known = roster.ids.filter((id) => bare === id || bare.startsWith(`${id}:`));
  const id = known.sort((a, b) => b.length - a.length)[0] ?? bare;
  return { id, model: bare.length > id.length ? bare.slice(id.length + 1) : null };
}
