import type { AgentDescriptor } from '@amplifier/acp';
import type { Project } from './open-project.js';

/** An external agent as a person looks for it. */
export interface ExternalAgent {
  /** What to delegate to: `acp:<id>`. */
  name: string;
  agent: AgentDescriptor;
  /** Where its program is; null when it is not installed. */
  program: string | null;
}

/** The external agents of a folder, installed or not. Starts none of them. */
export async function externalAgents(project: Project): Promise<ExternalAgent[]> {
  const { locateAgent, readRoster } = await import('./read-roster.js');
  const { agents } = await readRoster(project);
  return Promise.all(
    agents.map(async (agent) => ({
      name: `acp:${agent.id}`,
      agent,
      program: await locateAgent(agent, project),
    })),
  );
}
