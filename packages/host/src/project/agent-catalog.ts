import { closestNames } from '@amplifier/core';
import { type AgentCatalog, fileAgents } from '@amplifier/delegation';
import { FoundationError } from '@amplifier/foundation';
import type { Project } from './project.js';

type Agents = Pick<Project, 'agents' | 'bundle'>;

/** Every agent of a project: the files of its search order, and those a bundle defines without a file. */
export function agentCatalog({ agents, bundle }: Agents): AgentCatalog {
  const files = fileAgents(agents);
  return {
    async find(name) {
      const found = await files.find(name);
      if (found) return found;
      const overlay = Object.hasOwn(bundle.agents, name) ? bundle.agents[name] : undefined;
      if (!overlay) return null;
      const engine = typeof overlay.engine === 'string' ? { engine: overlay.engine } : {};
      return { name, origin: bundle.name, digest: null, overlay, ...engine };
    },
    names: async () => [...new Set([...(await files.names()), ...Object.keys(bundle.agents)])],
  };
}

/** Rejects for a name no agent has, with the nearest there are. */
export async function mustHaveAgent(name: string, catalog: AgentCatalog): Promise<void> {
  if (await catalog.find(name)) return;
  const known = (await catalog.names()).sort();
  const [guess] = closestNames(name, known);
  const hint = guess ? `Did you mean '${guess}'?` : `There are: ${known.join(', ') || 'none'}.`;
  throw new FoundationError(`No agent is called '${name}'. ${hint}`, { code: 'AGENT_NOT_FOUND' });
}
