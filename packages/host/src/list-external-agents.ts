import { readdir } from 'node:fs/promises';
import { delimiter, isAbsolute } from 'node:path';
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
  const [{ agents }, names] = await Promise.all([
    readRoster(project),
    namesOnPath(project.environment.PATH ?? ''),
  ]);
  const mayBeThere = (program: string) => program.includes('/') || names.has(program);
  return Promise.all(
    agents.map(async (agent) => ({
      name: `acp:${agent.id}`,
      agent,
      program: mayBeThere(agent.command[0]) ? await locateAgent(agent, project) : null,
    })),
  );
}

/** Everything the search path leads to. To ask each folder for each program would take longer than all the rest. */
async function namesOnPath(path: string): Promise<Set<string>> {
  const folders = [...new Set(path.split(delimiter))].filter(isAbsolute);
  const lists = await Promise.all(folders.map((folder) => readdir(folder).catch(() => [])));
  return new Set(lists.flat());
}
