import { readdir } from 'node:fs/promises';
import { delimiter, isAbsolute } from 'node:path';
import type { AgentDescriptor, Roster } from '@amplifier/acp';
import type { RegistryAgent } from './acp-registry.js';
import type { Environment } from './amplifier-home.js';
import type { Project } from './open-project.js';

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
  const { readRoster } = await import('./read-roster.js');
  return locateAgents(readRoster(project), { environment, cwd: paths.cwd });
}

/** The same for an entry point without settings: the roster as it is built in. */
export async function builtinExternalAgents(search: ProgramSearch): Promise<ExternalAgent[]> {
  const { buildRoster } = await import('@amplifier/acp');
  return locateAgents(buildRoster(), search);
}

/** Agents of the public list, as they would be in the roster. */
export async function locateRegistryAgents(
  listed: readonly RegistryAgent[],
  search: ProgramSearch,
): Promise<ExternalAgent[]> {
  const { AgentDescriptor, Roster } = await import('@amplifier/acp');
  const agents = listed.map(({ id, name, command }) =>
    AgentDescriptor.parse({ id, display_name: name, command }),
  );
  return locateAgents(new Roster(agents), search);
}

async function locateAgents(
  roster: Roster | Promise<Roster>,
  { environment, cwd }: ProgramSearch,
): Promise<ExternalAgent[]> {
  const path = environment.PATH ?? '';
  const [{ agents }, names, { findProgram }] = await Promise.all([
    roster,
    namesOnPath(path),
    import('@amplifier/acp'),
  ]);
  const mayBeThere = (program: string) => program.includes('/') || names.has(program);
  return Promise.all(
    agents.map(async (agent) => {
      const [program] = agent.command;
      const found = mayBeThere(program) ? await findProgram(program, path, cwd) : null;
      return { name: `acp:${agent.id}`, agent, program: found };
    }),
  );
}

/** Everything the search path leads to. To ask each folder for each program would take longer than all the rest. */
async function namesOnPath(path: string): Promise<Set<string>> {
  const folders = [...new Set(path.split(delimiter))].filter(isAbsolute);
  const lists = await Promise.all(folders.map((folder) => readdir(folder).catch(() => [])));
  return new Set(lists.flat());
}
