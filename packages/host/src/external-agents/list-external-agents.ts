import type { AgentDescriptor } from '@amplifier/acp';
import type { Environment } from '../environment.js';
import type { Project } from '../project/project.js';
import type { RegistryAgent } from './acp-registry.js';

/** An external agent as a person looks for it. */
export interface ExternalAgent {
  /** What to delegate to: `acp:<id>`. */
  name: string;
  agent: AgentDescriptor;
  /** Where its program is; null when it is not installed. */
  program: string | null;
}

/** Where programs are looked for. */
export interface ProgramSearch {
  environment: Environment;
  cwd: string;
}

/** The external agents of a folder, installed or not. Starts none of them. */
export async function externalAgents(project: Project): Promise<ExternalAgent[]> {
  const { environment, paths } = project;
  const [{ readRoster }, { locateAgents }] = await Promise.all([
    import('./read-roster.js'),
    import('./locate-agents.js'),
  ]);
  return locateAgents(await readRoster(project), { environment, cwd: paths.cwd });
}

/** The same for an entry point without settings: the roster as it is built in. */
export async function builtinExternalAgents(search: ProgramSearch): Promise<ExternalAgent[]> {
  const [{ buildRoster }, { locateAgents }] = await Promise.all([
    import('@amplifier/acp'),
    import('./locate-agents.js'),
  ]);
  return locateAgents(buildRoster(), search);
}

/** Agents of the public list, as they would be in the roster. */
export async function locateRegistryAgents(
  listed: readonly RegistryAgent[],
  search: ProgramSearch,
): Promise<ExternalAgent[]> {
  const [{ AgentDescriptor, Roster }, { locateAgents }] = await Promise.all([
    import('@amplifier/acp'),
    import('./locate-agents.js'),
  ]);
  const agents = listed.map(({ id, name, command }) =>
    AgentDescriptor.parse({ id, display_name: name, command }),
  );
  return locateAgents(new Roster(agents), search);
}
